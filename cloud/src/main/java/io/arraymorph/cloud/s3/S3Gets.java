package io.arraymorph.cloud.s3;

import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.services.s3.S3Utilities;
import software.amazon.awssdk.utils.http.SdkHttpUtils;

/**
 * Reads objects not through the SDK's pipeline.
 *
 * <p>Reads are by far the most requests and often small. Endpoint rules, interceptors and
 * unmarshalling cost several times what sending one does (docs/adr/0021), and say the same for each
 * key of a bucket. Thread-safe.
 */
final class S3Gets implements AutoCloseable {
  /** Answers of servers to failed requests are short; more is not worth reading. */
  private static final int ERROR_BYTES = 16 << 10;

  private static final Pattern CODE = Pattern.compile("<Code>([^<]*)</Code>");
  private static final Pattern MESSAGE = Pattern.compile("<Message>([^<]*)</Message>");

  private final HttpGets http;
  private final S3Settings settings;
  private final String path;
  private final String host;
  private final ReadSignatures signatures;
  private final ServerClock clock;

  private S3Gets(HttpGets http, S3Settings settings, String region, URI bucket, ServerClock clock) {
    this.http = http;
    this.settings = settings;
    this.signatures = new ReadSignatures(region);
    this.host = hostHeader(bucket);
    this.clock = clock;
    this.path = bucket.getRawPath().replaceAll("/+$", "") + "/";
  }

  /** As HTTP clients write the header Host: without the port if it is the scheme's own. */
  private static String hostHeader(URI uri) {
    int usual = "https".equals(uri.getScheme()) ? 443 : 80;
    return uri.getPort() > 0 && uri.getPort() != usual
        ? uri.getHost() + ":" + uri.getPort()
        : uri.getHost();
  }

  /**
   * Reads of a bucket; empty where only the SDK knows how: the region is still to be found, or the
   * bucket needs a session.
   *
   * @param http sends if connections of our own cannot
   * @param urls as the SDK resolves them
   * @param clock for signatures
   */
  static Optional<S3Gets> of(
      SdkHttpClient http, S3Settings settings, String bucket, S3Utilities urls, ServerClock clock) {
    if (settings.region().isEmpty() || bucket.endsWith("--x-s3") || bucket.startsWith("arn:")) {
      return Optional.empty();
    }
    try {
      // The SDK only knows URLs of objects.
      URI any = urls.getUrl(url -> url.bucket(bucket).key("k")).toURI();
      URI server = any.resolve(".");
      HttpGets gets =
          MinimalGets.canConnect()
              ? new MinimalGets(server, Duration.ofSeconds(settings.timeoutSeconds()))
              : new SdkGets(http, server);
      return Optional.of(new S3Gets(gets, settings, settings.region().get(), server, clock));
    } catch (SdkException | URISyntaxException e) {
      return Optional.empty(); // Requests will say what is wrong.
    }
  }

  /**
   * One attempt, and one more if the server says that our clock is wrong; fails with {@link
   * StoreException}.
   */
  ObjectBytes get(String key, ByteRange range, ReadCondition condition, String object) {
    SkewedException first;
    try {
      return attempt(key, range, condition, object);
    } catch (SkewedException e) {
      first = e;
    }
    try {
      return attempt(key, range, condition, object);
    } catch (SkewedException e) {
      e.refusal().addSuppressed(first.refusal());
      throw e.refusal();
    }
  }

  private ObjectBytes attempt(String key, ByteRange range, ReadCondition condition, String object)
      throws SkewedException {
    String encodedPath = path + SdkHttpUtils.urlEncodeIgnoreSlashes(key);
    Map<String, String> headers = new HashMap<>();
    if (!(range instanceof ByteRange.Whole)) {
      headers.put("Range", S3Read.header(range));
    }
    if (condition instanceof ReadCondition.IfMatch) {
      headers.put("If-Match", '"' + ((ReadCondition.IfMatch) condition).etag() + '"');
    }
    Instant now = clock.now();
    AwsCredentials credentials = settings.credentials().resolveCredentials();
    if (credentials.accessKeyId() != null) { // else anonymous
      headers = signatures.signed(host, encodedPath, headers, credentials, now);
    } else {
      headers.put("Host", host);
    }
    try {
      return answer(http.get(encodedPath, headers), range, object, now);
    } catch (IOException e) {
      throw new StoreException(Kind.UNAVAILABLE, object, "connection broken: " + e, e);
    }
  }

  private ObjectBytes answer(HttpGets.Answer answer, ByteRange range, String object, Instant signed)
      throws IOException, SkewedException {
    boolean complete = false;
    try {
      InputStream body = answer.body();
      if (answer.status() / 100 != 2) {
        String text = new String(body.readNBytes(ERROR_BYTES), StandardCharsets.UTF_8);
        complete = body.read() < 0;
        String code = first(CODE, text);
        StoreException failure = S3Failures.of(object, answer, code, first(MESSAGE, text));
        if (clock.learn(answer, code, signed)) {
          throw new SkewedException(failure);
        }
        throw failure;
      }
      S3Read read = new S3Read(object, range, S3Clients.grace(settings));
      ObjectBytes bytes = read.read(S3Read.Head.of(answer), body);
      complete = true;
      return bytes;
    } finally {
      answer.end(complete);
    }
  }

  @Override
  public void close() {
    http.close();
  }

  private static String first(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? matcher.group(1) : "";
  }

  /** The server refused a request for its time, which is now known better. */
  private static final class SkewedException extends Exception {
    private static final long serialVersionUID = 1;

    SkewedException(StoreException refusal) {
      super(refusal);
    }

    StoreException refusal() {
      return (StoreException) getCause();
    }
  }
}
