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
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.services.s3.S3Utilities;
import software.amazon.awssdk.utils.http.SdkHttpUtils;

/**
 * Reads objects with the SDK's signer and HTTP client, but not through its pipeline.
 *
 * <p>Reads are by far the most requests and often small. Endpoint rules, interceptors and
 * unmarshalling cost several times what sending one does (docs/adr/0021), and say the same for each
 * key of a bucket. Thread-safe.
 */
final class S3Gets {
  /** Answers of servers to failed requests are short; more is not worth reading. */
  private static final int ERROR_BYTES = 16 << 10;

  private static final Pattern CODE = Pattern.compile("<Code>([^<]*)</Code>");
  private static final Pattern MESSAGE = Pattern.compile("<Message>([^<]*)</Message>");

  private final SdkHttpClient http;
  private final S3Settings settings;
  private final String region;
  private final URI bucket;
  private final String path;
  private final AwsV4HttpSigner signer = AwsV4HttpSigner.create();

  private S3Gets(SdkHttpClient http, S3Settings settings, String region, URI bucket) {
    this.http = http;
    this.settings = settings;
    this.region = region;
    this.bucket = bucket;
    this.path = bucket.getRawPath().replaceAll("/+$", "") + "/";
  }

  /**
   * Reads of a bucket; empty where only the SDK knows how: the region is still to be found, or the
   * bucket needs a session.
   *
   * @param urls as the SDK resolves them
   */
  static Optional<S3Gets> of(
      SdkHttpClient http, S3Settings settings, String bucket, S3Utilities urls) {
    if (settings.region().isEmpty() || bucket.endsWith("--x-s3") || bucket.startsWith("arn:")) {
      return Optional.empty();
    }
    try {
      // The SDK only knows URLs of objects.
      URI any = urls.getUrl(url -> url.bucket(bucket).key("k")).toURI();
      return Optional.of(new S3Gets(http, settings, settings.region().get(), any.resolve(".")));
    } catch (SdkException | URISyntaxException e) {
      return Optional.empty(); // Requests will say what is wrong.
    }
  }

  /** One attempt; fails with {@link StoreException}. */
  ObjectBytes get(String key, ByteRange range, ReadCondition condition, String object) {
    SdkHttpRequest.Builder request =
        SdkHttpRequest.builder()
            .method(SdkHttpMethod.GET)
            .protocol(bucket.getScheme())
            .host(bucket.getHost())
            .encodedPath(path + SdkHttpUtils.urlEncodeIgnoreSlashes(key));
    if (bucket.getPort() > 0) {
      request.port(bucket.getPort());
    }
    if (!(range instanceof ByteRange.Whole)) {
      request.putHeader("Range", S3Read.header(range));
    }
    if (condition instanceof ReadCondition.IfMatch) {
      request.putHeader("If-Match", '"' + ((ReadCondition.IfMatch) condition).etag() + '"');
    }
    ExecutableHttpRequest sending =
        http.prepareRequest(HttpExecuteRequest.builder().request(signed(request)).build());
    try {
      return answer(sending.call(), range, object);
    } catch (IOException e) {
      throw new StoreException(Kind.UNAVAILABLE, object, "connection broken: " + e, e);
    }
  }

  private SdkHttpRequest signed(SdkHttpRequest.Builder request) {
    AwsCredentials credentials = settings.credentials().resolveCredentials();
    if (credentials.accessKeyId() == null) {
      return request.build(); // anonymous
    }
    return signer
        .sign(
            sign ->
                sign.identity(credentials)
                    .request(request.build())
                    .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "s3")
                    .putProperty(AwsV4HttpSigner.REGION_NAME, region)
                    .putProperty(AwsV4HttpSigner.DOUBLE_URL_ENCODE, false)
                    .putProperty(AwsV4HttpSigner.NORMALIZE_PATH, false))
        .request();
  }

  private ObjectBytes answer(HttpExecuteResponse answer, ByteRange range, String object)
      throws IOException {
    SdkHttpResponse head = answer.httpResponse();
    AbortableInputStream body =
        answer
            .responseBody()
            .orElseGet(() -> AbortableInputStream.create(InputStream.nullInputStream()));
    boolean complete = false;
    try {
      if (head.statusCode() / 100 != 2) {
        StoreException failure = failure(head, body.readNBytes(ERROR_BYTES), object);
        complete = body.read() < 0;
        throw failure;
      }
      S3Read read = new S3Read(object, range, S3Clients.grace(settings));
      ObjectBytes bytes = read.read(S3Read.Head.of(head), body);
      complete = true;
      return bytes;
    } finally {
      if (complete) {
        body.close();
      } else {
        body.abort();
      }
    }
  }

  private static StoreException failure(SdkHttpResponse head, byte[] body, String object) {
    String text = new String(body, StandardCharsets.UTF_8);
    return S3Failures.of(object, head, first(CODE, text), first(MESSAGE, text));
  }

  private static String first(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? matcher.group(1) : "";
  }
}
