package io.arraymorph.cloud.s3;

import io.arraymorph.store.RequestPool;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;

/** GETs with a client of the SDK, which knows proxies, on threads of the store. Thread-safe. */
final class SdkGets implements HttpGets {
  private final SdkHttpClient http;
  private final URI server;
  private final RequestPool threads;

  /**
   * @param http stays open, whoever closes this
   * @param server scheme, host and port
   */
  SdkGets(SdkHttpClient http, URI server, RequestPool threads) {
    this.http = http;
    this.server = server;
    this.threads = threads;
  }

  @Override
  public CompletableFuture<Answer> get(String path, Map<String, String> headers, Wanted wanted) {
    SdkHttpRequest.Builder request =
        SdkHttpRequest.builder()
            .method(SdkHttpMethod.GET)
            .protocol(server.getScheme())
            .host(server.getHost())
            .encodedPath(path);
    headers.forEach(request::putHeader);
    if (server.getPort() > 0) {
      request.port(server.getPort());
    }
    HttpExecuteRequest execute = HttpExecuteRequest.builder().request(request.build()).build();
    return threads.submit(server + path, () -> answer(http.prepareRequest(execute).call(), wanted));
  }

  private static Answer answer(HttpExecuteResponse response, Wanted wanted) throws IOException {
    Head head = new Taken(response);
    try (AbortableInputStream body =
        response
            .responseBody()
            .orElseGet(() -> AbortableInputStream.create(InputStream.nullInputStream()))) {
      boolean complete = false;
      try {
        Body part = wanted.of(head);
        ByteBuffer bytes = read(body, part);
        complete = body.read() < 0;
        return new Answer(head, bytes);
      } finally {
        if (!complete) {
          body.abort(); // Reading the rest would take its time.
        }
      }
    }
  }

  private static ByteBuffer read(InputStream body, Body part) throws IOException {
    long deadline = System.nanoTime() + part.within().toNanos();
    byte[] bytes = new byte[part.most()];
    int filled = 0;
    while (filled < bytes.length) {
      int count = body.read(bytes, filled, bytes.length - filled);
      if (count < 0) {
        return ByteBuffer.wrap(bytes, 0, filled);
      }
      filled += count;
      if (filled < bytes.length && System.nanoTime() - deadline > 0) {
        throw new IOException("too slow: " + filled + " of at most " + bytes.length + " bytes");
      }
    }
    return ByteBuffer.wrap(bytes);
  }

  @Override
  public void close() {
    // The client is the store's, and so are the threads.
  }

  private record Taken(HttpExecuteResponse response) implements Head {
    @Override
    public int status() {
      return response.httpResponse().statusCode();
    }

    @Override
    public Optional<String> header(String name) {
      return response.httpResponse().firstMatchingHeader(name);
    }
  }
}
