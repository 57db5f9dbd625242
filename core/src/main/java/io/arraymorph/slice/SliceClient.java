package io.arraymorph.slice;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.zip.CRC32C;

/**
 * Calls a slice function, and takes an answer only if its length and CRC32C are right.
 *
 * <p>Thread-safe. Shows its token nowhere, and takes no more of an answer than was asked for.
 * Cancelling the future of a call aborts it.
 */
public final class SliceClient {
  private static final int REFUSAL_BYTES = 1000;

  private final URI endpoint;
  private final String token;
  private final Duration timeout;
  private final HttpClient http;

  /**
   * A client; nothing is sent yet.
   *
   * @param endpoint where the function answers, over https, or http on the loopback interface
   * @param timeout of one call
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
    return send(
        SliceBatch.of(request),
        bytes,
        response -> {
          checkBody(response, bytes);
          return version(response);
        });
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
    int all = Math.toIntExact(bytes.stream().mapToLong(Integer::longValue).sum());
    return send(
        new SliceBatch(requests, true), all, response -> checkAll(response, List.copyOf(bytes)));
  }

  private <T> CompletableFuture<T> send(
      SliceBatch batch, int most, Function<HttpResponse<byte[]>, T> read) {
    HttpRequest post =
        HttpRequest.newBuilder(endpoint)
            .timeout(timeout)
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(batch.toJson()))
            .build();
    return BoundedExchange.send(
        http,
        post,
        status -> status == 200 ? most : REFUSAL_BYTES,
        (response, failure) -> {
          checkStatus(response, failure);
          return read.apply(response);
        });
  }

  private static List<Optional<Answer>> checkAll(
      HttpResponse<byte[]> response, List<Integer> bytes) {
    List<Optional<SliceBatch.Version>> versions;
    try {
      String stated = response.headers().firstValue(SliceProtocol.VERSIONS_HEADER).orElse("");
      versions = SliceBatch.versions(stated, bytes.size());
    } catch (IllegalArgumentException e) {
      throw new SliceException(200, "NO_VERSION", String.valueOf(e.getMessage()), e);
    }
    int expected = 0;
    for (int i = 0; i < bytes.size(); i++) {
      expected += versions.get(i).isPresent() ? bytes.get(i) : 0;
    }
    checkBody(response, expected);
    List<Optional<Answer>> answers = new ArrayList<>();
    int at = 0;
    for (int i = 0; i < bytes.size(); i++) {
      Optional<SliceBatch.Version> version = versions.get(i);
      if (version.isEmpty()) {
        answers.add(Optional.empty());
        continue;
      }
      ByteBuffer part = ByteBuffer.wrap(response.body()).slice(at, bytes.get(i));
      answers.add(Optional.of(new Answer(part, version.get().etag(), version.get().objectBytes())));
      at += bytes.get(i);
    }
    return answers;
  }

  private void checkStatus(HttpResponse<byte[]> response, Throwable failure) {
    if (failure != null) {
      Throwable cause =
          failure instanceof CompletionException && failure.getCause() != null
              ? failure.getCause()
              : failure;
      throw new SliceException(
          0, "UNREACHABLE", shown(endpoint) + " did not answer: " + cause, cause);
    }
    byte[] body = response.body();
    if (response.statusCode() != 200) {
      String code = response.headers().firstValue(SliceProtocol.CODE_HEADER).orElse("UNKNOWN");
      String text =
          new String(body, 0, Math.min(body.length, REFUSAL_BYTES), StandardCharsets.UTF_8);
      throw new SliceException(
          response.statusCode(),
          code.matches("[A-Z_]{1,40}") ? code : "UNKNOWN",
          shown(endpoint) + " answered " + response.statusCode() + " " + text,
          null);
    }
  }

  private static void checkBody(HttpResponse<byte[]> response, int bytes) {
    byte[] body = response.body();
    if (body.length != bytes) {
      throw new SliceException(
          200,
          "WRONG_LENGTH",
          (body.length > bytes ? "more than " + bytes : "only " + body.length)
              + " bytes where "
              + bytes
              + " were asked for",
          null);
    }
    CRC32C crc = new CRC32C();
    crc.update(body);
    String stated = response.headers().firstValue(SliceProtocol.CRC_HEADER).orElse("none");
    if (!stated.equals(Long.toHexString(crc.getValue()))) {
      throw new SliceException(
          200,
          "WRONG_CRC",
          "bytes of CRC32C "
              + Long.toHexString(crc.getValue())
              + " where "
              + stated
              + " was stated",
          null);
    }
  }

  private static Answer version(HttpResponse<byte[]> response) {
    Optional<String> etag = response.headers().firstValue(SliceProtocol.ETAG_HEADER);
    long objectBytes = response.headers().firstValueAsLong(SliceProtocol.SIZE_HEADER).orElse(-1);
    if (etag.isEmpty() || objectBytes < 0) {
      throw new SliceException(200, "NO_VERSION", "the answer names no version", null);
    }
    return new Answer(ByteBuffer.wrap(response.body()), etag.get(), objectBytes);
  }

  /** The endpoint. */
  @Override
  public String toString() {
    return "slice function at " + shown(endpoint);
  }
}
