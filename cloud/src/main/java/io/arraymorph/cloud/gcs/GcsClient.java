package io.arraymorph.cloud.gcs;

import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreException.Kind;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends one request to the storage service and waits for its answer while bytes move; an answer
 * that reports an error becomes a {@link StoreException}.
 *
 * <p>An interrupt of the waiting thread ends the exchange. Thread-safe.
 */
final class GcsClient implements AutoCloseable {
  private static final long LEAST_BYTES_PER_SECOND = 64 << 10;

  /** The most that metadata and listings may have. */
  static final long JSON_BYTES = 64 << 20;

  private final GcsSettings settings;
  private final ExecutorService work;
  private final HttpClient http;

  GcsClient(GcsSettings settings) {
    this.settings = settings;
    this.work =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, "arraymorph-gcs-http");
              thread.setDaemon(true);
              return thread;
            });
    this.http =
        HttpClient.newBuilder()
            .executor(work)
            // One connection for each request under way: HTTP/2 would send them all through one.
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(Duration.ofSeconds(10))
            .build();
  }

  /** A request to a path of the service, the query included, as {@code /storage/v1/b/name}. */
  HttpRequest.Builder request(String path) {
    String charged =
        settings
            .userProject()
            .map(
                project ->
                    (path.contains("?") ? "&" : "?") + "userProject=" + GcsNames.encode(project))
            .orElse("");
    return HttpRequest.newBuilder(URI.create(settings.endpoint() + path + charged));
  }

  /**
   * The answer to a request.
   *
   * @param sent bytes of its body
   * @param limit most bytes of the answer's body
   */
  HttpResponse<ByteBuffer> send(HttpRequest.Builder builder, String object, long sent, long limit) {
    authorize(builder, object);
    HttpRequest request =
        builder
            // Until the answer begins; the body of the request may take its time.
            .timeout(
                Duration.ofSeconds(2L * settings.timeoutSeconds() + sent / LEAST_BYTES_PER_SECOND))
            .header("User-Agent", "arraymorph")
            .build();
    GcsBody.Handler body = new GcsBody.Handler(limit);
    CompletableFuture<HttpResponse<ByteBuffer>> answer = http.sendAsync(request, body);
    try {
      HttpResponse<ByteBuffer> response = await(answer, body, object);
      if (response.statusCode() >= 300) {
        throw GcsFailures.answered(object, response);
      }
      return response;
    } catch (InterruptedException e) {
      answer.cancel(true);
      throw new StoreException(Kind.CANCELLED, object, "cancelled", e);
    } catch (ExecutionException e) {
      throw GcsFailures.broken(object, e.getCause());
    }
  }

  /** Waits while bytes come; the HTTP client itself would wait for a silent server for ever. */
  private HttpResponse<ByteBuffer> await(
      CompletableFuture<HttpResponse<ByteBuffer>> answer, GcsBody.Handler body, String object)
      throws InterruptedException, ExecutionException {
    long received = -1;
    while (true) {
      try {
        return answer.get(settings.timeoutSeconds(), TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        long now = body.received();
        if (now >= 0 && now == received) {
          answer.cancel(true);
          String silence = "no more bytes within " + settings.timeoutSeconds() + " s";
          throw new StoreException(Kind.UNAVAILABLE, object, silence, e);
        }
        received = now;
      }
    }
  }

  private void authorize(HttpRequest.Builder builder, String object) {
    try {
      settings
          .credentials()
          .headers(URI.create("https://storage.googleapis.com/"))
          .forEach((name, values) -> values.forEach(value -> builder.header(name, value)));
    } catch (IOException e) {
      throw GcsFailures.unauthorized(object, e);
    }
  }

  /** The body of an answer as text. */
  static String text(HttpResponse<ByteBuffer> answer) {
    return StandardCharsets.UTF_8.decode(answer.body().duplicate()).toString();
  }

  /** A body made of buffers, read again from the start by each attempt, not copied whole. */
  static HttpRequest.BodyPublisher body(List<ByteBuffer> parts) {
    long length = parts.stream().mapToLong(ByteBuffer::remaining).sum();
    HttpRequest.BodyPublisher pieces =
        HttpRequest.BodyPublishers.ofByteArrays(() -> new BufferPieces(parts));
    return length == 0
        ? HttpRequest.BodyPublishers.noBody()
        : HttpRequest.BodyPublishers.fromPublisher(pieces, length);
  }

  @Override
  public void close() {
    work.shutdown();
  }
}
