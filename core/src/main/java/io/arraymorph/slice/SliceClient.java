package io.arraymorph.slice;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Calls a slice function, and takes an answer only if it is that to the call: its length, checksums
 * and version are right.
 *
 * <p>Thread-safe. Shows its token nowhere, and takes no more of an answer than was asked for.
 * Cancelling the future of a call aborts it.
 */
public final class SliceClient {
  private final URI endpoint;
  private final String token;
  private final Duration timeout;
  private final HttpClient http;

  /**
   * A client; nothing is sent yet.
   *
   * @param endpoint where the function answers, over https, or http on the loopback interface
   * @param timeout of one call, to the last byte of its answer
   * @throws ArrayMorphException with INVALID_OPTION for an endpoint that would show the token
   */
  public SliceClient(URI endpoint, String token, Duration timeout) {
    checkEndpoint(endpoint);
    this.endpoint = endpoint;
    this.token = token;
    this.timeout = timeout;
    this.http =
        HttpClient.newBuilder()
            .connectTimeout(
                timeout.compareTo(Duration.ofSeconds(5)) > 0 ? Duration.ofSeconds(5) : timeout)
            .followRedirects(HttpClient.Redirect.NEVER)
            .version(HttpClient.Version.HTTP_1_1)
            .build();
  }

  /**
   * Refuses an endpoint to which a token could be seen on its way.
   *
   * @throws ArrayMorphException with INVALID_OPTION
   */
  public static void checkEndpoint(URI endpoint) {
    boolean near = "http".equalsIgnoreCase(endpoint.getScheme()) && isLoopback(endpoint.getHost());
    if (endpoint.getHost() == null || !(near || "https".equalsIgnoreCase(endpoint.getScheme()))) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          "slice function '" + shown(endpoint) + "' is neither https nor http on this machine",
          "Give the https URL of the function");
    }
  }

  /** Without what may be a secret: user and query. */
  private static String shown(URI endpoint) {
    return endpoint.getHost() == null
        ? endpoint.getScheme() + ":.."
        : endpoint.getScheme()
            + "://"
            + endpoint.getHost()
            + (endpoint.getPort() < 0 ? "" : ":" + endpoint.getPort())
            + endpoint.getPath();
  }

  private static boolean isLoopback(String host) {
    try {
      return host != null
          && (host.equals("localhost") || host.matches("[0-9.]+|\\[?[0-9a-fA-F:]+\\]?"))
          && InetAddress.getByName(host).isLoopbackAddress();
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * An answer.
   *
   * @param bytes packed, as asked for
   * @param etag the version of the object they are of
   * @param objectBytes the length of the object
   */
  public record Answer(ByteBuffer bytes, String etag, long objectBytes) {}

  /**
   * The answer to a request: packed bytes, of exactly the length asked for.
   *
   * @param bytes that the answer must have
   * @return fails with {@link SliceException}
   */
  public CompletableFuture<Answer> slice(SliceRequest request, int bytes) {
    return send(SliceBatch.of(request), List.of(bytes), answers -> answers.get(0).orElseThrow());
  }

  /**
   * The answers to several requests in one call, each of exactly the length asked for; empty for an
   * object that does not exist.
   *
   * @param requests 1 to {@link SliceBatch#MAX_SLICES}
   * @param bytes that each answer must have
   * @return fails with {@link SliceException}, which says if the function is too old for this
   */
  public CompletableFuture<List<Optional<Answer>>> sliceAll(
      List<SliceRequest> requests, List<Integer> bytes) {
    return send(new SliceBatch(requests, true), List.copyOf(bytes), Function.identity());
  }

  private <T> CompletableFuture<T> send(
      SliceBatch batch, List<Integer> bytes, Function<List<Optional<Answer>>, T> read) {
    int all = Math.toIntExact(bytes.stream().mapToLong(Integer::longValue).sum());
    byte[] body = batch.toJson();
    SliceReply reply = new SliceReply(shown(endpoint), token, batch, body);
    HttpRequest post =
        HttpRequest.newBuilder(endpoint)
            .timeout(timeout)
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    return BoundedExchange.send(
        http,
        post,
        timeout,
        status -> status == 200 ? all : SliceReply.REFUSAL_BYTES,
        (response, failure) -> read.apply(reply.answers(response, failure, bytes)));
  }

  /** The endpoint. */
  @Override
  public String toString() {
    return "slice function at " + shown(endpoint);
  }
}
