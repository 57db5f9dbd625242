package io.arraymorph.cloud.s3;

import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.RequestPool;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreException.Kind;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
  private final RecentCredentials credentials;
  private volatile boolean closed;

  private S3Gets(
      HttpGets http,
      S3Settings settings,
      String region,
      URI bucket,
      ServerClock clock,
      RequestPool threads) {
    this.http = http;
    this.settings = settings;
    this.credentials = new RecentCredentials(settings.credentials(), threads, bucket.toString());
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
   * @param threads for what blocks
   */
  static Optional<S3Gets> of(
      SdkHttpClient http,
      S3Settings settings,
      String bucket,
      S3Utilities urls,
      ServerClock clock,
      RequestPool threads) {
    if (settings.region().isEmpty() || bucket.endsWith("--x-s3") || bucket.startsWith("arn:")) {
      return Optional.empty();
    }
    try {
      // The SDK only knows URLs of objects.
      URI any = urls.getUrl(url -> url.bucket(bucket).key("k")).toURI();
      URI server = any.resolve(".");
      HttpGets gets =
          NioGets.canConnect()
              ? new NioGets(
                  server, settings.connections(), Duration.ofSeconds(settings.timeoutSeconds()))
              : new SdkGets(http, server, threads);
      return Optional.of(
          new S3Gets(gets, settings, settings.region().get(), server, clock, threads));
    } catch (SdkException | URISyntaxException e) {
      return Optional.empty(); // Requests will say what is wrong.
    }
  }

  /**
   * One attempt, and one more if the server says that our clock is wrong; fails with {@link
   * StoreException}.
   */
  CompletableFuture<ObjectBytes> get(
      String key, ByteRange range, ReadCondition condition, String object) {
    Read read = new Read(key, range, condition, object);
    read.begin();
    return read;
  }

  @Override
  public void close() {
    closed = true;
    http.close();
  }

  private static String first(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? matcher.group(1) : "";
  }

  /** The future of a read, and its attempts. */
  private final class Read extends CompletableFuture<ObjectBytes> {
    private final String object;
    private final S3Read read;
    private final String encodedPath;
    private final Map<String, String> headers = new HashMap<>();
    private Instant signedAt;
    private S3Read.Expected expected;

    /** Of the first attempt, once there is a second. */
    private StoreException refusal;

    private volatile CompletableFuture<?> underWay;

    Read(String key, ByteRange range, ReadCondition condition, String object) {
      this.object = object;
      this.read = new S3Read(object, range, S3Clients.grace(settings));
      this.encodedPath = path + SdkHttpUtils.urlEncodeIgnoreSlashes(key);
      if (!(range instanceof ByteRange.Whole)) {
        headers.put("Range", S3Read.header(range));
      }
      if (condition instanceof ReadCondition.IfMatch) {
        headers.put("If-Match", '"' + ((ReadCondition.IfMatch) condition).etag() + '"');
      }
    }

    void begin() {
      CompletableFuture<?> unused =
          credentials
              .get()
              .whenComplete(
                  (keys, failure) -> {
                    if (failure == null) {
                      attempt(() -> send(keys));
                    } else {
                      fail(failure);
                    }
                  });
    }

    /** Runs a step whose failure is the read's. */
    private void attempt(Runnable step) {
      try {
        step.run();
      } catch (RuntimeException | OutOfMemoryError e) {
        fail(e);
      }
    }

    private void send(AwsCredentials keys) {
      if (isDone()) {
        return;
      }
      signedAt = clock.now();
      Map<String, String> all;
      if (keys.accessKeyId() != null) {
        all = signatures.signed(host, encodedPath, headers, keys, signedAt);
      } else { // anonymous
        all = new HashMap<>(headers);
        all.put("Host", host);
      }
      CompletableFuture<HttpGets.Answer> answer = http.get(encodedPath, all, this::wanted);
      underWay = answer;
      if (isDone()) {
        answer.cancel(true);
      }
      CompletableFuture<?> unused =
          answer.whenComplete(
              (found, failure) -> {
                if (failure == null) {
                  attempt(() -> answered(found));
                } else {
                  fail(failure);
                }
              });
    }

    private HttpGets.Body wanted(HttpGets.Head head) {
      Duration grace = S3Clients.grace(settings);
      if (head.status() / 100 != 2) {
        return new HttpGets.Body(ERROR_BYTES, grace);
      }
      expected = read.expected(S3Read.Head.of(head));
      int length = expected.range().length();
      return new HttpGets.Body(length, S3Clients.allowed(grace, length));
    }

    private void answered(HttpGets.Answer answer) {
      HttpGets.Head head = answer.head();
      if (head.status() / 100 == 2) {
        complete(read.bytes(expected, answer.body()));
        return;
      }
      String text = StandardCharsets.UTF_8.decode(answer.body()).toString();
      String code = first(CODE, text);
      StoreException failure = S3Failures.of(object, head, code, first(MESSAGE, text));
      if (!clock.learn(head, code, signedAt)) {
        throw failure;
      }
      if (refusal != null) {
        failure.addSuppressed(refusal);
        throw failure;
      }
      refusal = failure;
      begin();
    }

    private void fail(Throwable thrown) {
      Throwable failure = thrown;
      if (failure instanceof CompletionException && failure.getCause() != null) {
        failure = failure.getCause();
      }
      if (failure instanceof IOException) {
        failure =
            closed
                ? new StoreException(Kind.CANCELLED, object, "the store was closed", failure)
                : new StoreException(
                    Kind.UNAVAILABLE, object, "connection broken: " + failure, failure);
      } else if (failure instanceof SdkException) {
        failure = S3Failures.of(object, (SdkException) failure);
      }
      completeExceptionally(failure);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      boolean cancelled = super.cancel(mayInterruptIfRunning);
      CompletableFuture<?> request = underWay;
      if (request != null) {
        request.cancel(mayInterruptIfRunning);
      }
      return cancelled;
    }
  }
}
