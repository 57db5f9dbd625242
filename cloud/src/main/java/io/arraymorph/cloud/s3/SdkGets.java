package io.arraymorph.cloud.s3;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;

/** GETs with a client of the SDK, which knows proxies. Thread-safe. */
final class SdkGets implements HttpGets {
  private final SdkHttpClient http;
  private final URI server;

  /**
   * @param http stays open, whoever closes this
   * @param server scheme, host and port
   */
  SdkGets(SdkHttpClient http, URI server) {
    this.http = http;
    this.server = server;
  }

  @Override
  public Answer get(String path, Map<String, String> headers) throws IOException {
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
    return new Taken(http.prepareRequest(execute).call());
  }

  @Override
  public void close() {
    // The client is the store's.
  }

  /** An answer of the SDK's client. */
  private static final class Taken implements Answer {
    private final HttpExecuteResponse answer;
    private final AbortableInputStream body;

    Taken(HttpExecuteResponse answer) {
      this.answer = answer;
      this.body =
          answer
              .responseBody()
              .orElseGet(() -> AbortableInputStream.create(InputStream.nullInputStream()));
    }

    @Override
    public int status() {
      return answer.httpResponse().statusCode();
    }

    @Override
    public Optional<String> header(String name) {
      return answer.httpResponse().firstMatchingHeader(name);
    }

    @Override
    public InputStream body() {
      return body;
    }

    @Override
    public void end(boolean complete) throws IOException {
      if (complete) {
        body.close();
      } else {
        body.abort();
      }
    }
  }
}
