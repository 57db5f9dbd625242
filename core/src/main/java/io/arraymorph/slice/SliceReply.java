package io.arraymorph.slice;

import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.zip.CRC32C;

/**
 * What came back for one call, taken only if it is the answer to that call: status, length,
 * checksums and versions are right. What else was said is repeated without the secrets of the call,
 * for whoever answers may repeat what it was sent.
 */
final class SliceReply {
  /** The most that is taken of a refusal. */
  static final int REFUSAL_BYTES = 1000;

  /** Shorter values of a presigned URL are names and dates. */
  private static final int SECRET_CHARS = 16;

  /** A secret that is cut off may be known by so much of it. */
  private static final int CUT_CHARS = 6;

  private static final int LONGEST_ETAG = 1024;

  private final String endpoint;
  private final String token;
  private final SliceBatch call;
  private final byte[] sent;

  /**
   * @param endpoint as it may be shown
   * @param sent the body of the request
   */
  SliceReply(String endpoint, String token, SliceBatch call, byte[] sent) {
    this.endpoint = endpoint;
    this.token = token;
    this.call = call;
    this.sent = sent;
  }

  /**
   * The answers to the slices of the call, empty for an object that does not exist.
   *
   * @param response or null
   * @param failure why there is no response, or null
   * @param bytes that each answer must have
   * @throws SliceException if it is no answer to this call
   */
  List<Optional<SliceClient.Answer>> answers(
      HttpResponse<byte[]> response, Throwable failure, List<Integer> bytes) {
    checkStatus(response, failure);
    List<Optional<SliceBatch.Version>> versions = versions(response);
    int expected = 0;
    for (int i = 0; i < bytes.size(); i++) {
      versions.get(i).ifPresent(version -> checkVersion(version));
      expected += versions.get(i).isPresent() ? bytes.get(i) : 0;
    }
    checkBody(response, expected);
    List<Optional<SliceClient.Answer>> answers = new ArrayList<>();
    int at = 0;
    for (int i = 0; i < bytes.size(); i++) {
      if (versions.get(i).isEmpty()) {
        answers.add(Optional.empty());
        continue;
      }
      SliceBatch.Version version = versions.get(i).get();
      checkPinned(call.slices().get(i), version);
      ByteBuffer part = ByteBuffer.wrap(response.body()).slice(at, bytes.get(i));
      answers.add(Optional.of(new SliceClient.Answer(part, version.etag(), version.objectBytes())));
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
      boolean tells = false;
      for (Throwable one = cause; one != null; one = one.getCause()) {
        tells |= !shown(one.toString()).equals(one.toString());
      }
      String said = endpoint + " did not answer: " + shown(cause.toString());
      throw new SliceException(0, "UNREACHABLE", said, tells ? null : cause);
    }
    if (response.statusCode() != 200) {
      byte[] body = response.body();
      int length = Math.min(body.length, REFUSAL_BYTES);
      String text = new String(body, 0, length, StandardCharsets.UTF_8);
      String code = response.headers().firstValue(SliceProtocol.CODE_HEADER).orElse("UNKNOWN");
      throw SliceException.refusal(
          response.statusCode(),
          code.matches("[A-Z_]{1,40}") && !code.contains(token) ? code : "UNKNOWN",
          endpoint + " answered " + response.statusCode() + " ",
          shown(text));
    }
  }

  private List<Optional<SliceBatch.Version>> versions(HttpResponse<byte[]> response) {
    if (call.together()) {
      String stated = response.headers().firstValue(SliceProtocol.VERSIONS_HEADER).orElse("");
      try {
        return SliceBatch.versions(stated, call.slices().size());
      } catch (IllegalArgumentException e) {
        throw new SliceException(200, "NO_VERSION", String.valueOf(e.getMessage()), null);
      }
    }
    String etag = response.headers().firstValue(SliceProtocol.ETAG_HEADER).orElse("");
    String length = response.headers().firstValue(SliceProtocol.SIZE_HEADER).orElse("");
    if (!length.matches("\\d{1,18}")) {
      throw noVersion();
    }
    return List.of(Optional.of(new SliceBatch.Version(etag, Long.parseLong(length))));
  }

  private static SliceException noVersion() {
    return new SliceException(200, "NO_VERSION", "the answer names no version", null);
  }

  /** An ETag is asked for in later reads, as a header: it is one, and none is not a version. */
  private static void checkVersion(SliceBatch.Version version) {
    String etag = version.etag();
    boolean usable = !etag.isBlank() && etag.length() <= LONGEST_ETAG;
    if (!usable
        || !etag.chars().allMatch(c -> c >= ' ' && c != 0x7f)
        || version.objectBytes() < 0) {
      throw noVersion();
    }
  }

  private void checkPinned(SliceRequest slice, SliceBatch.Version version) {
    if (slice.etag().isPresent() && !slice.etag().get().equals(version.etag())) {
      throw new SliceException(
          200,
          "WRONG_VERSION",
          "bytes of version "
              + shown(version.etag())
              + " where "
              + slice.etag().get()
              + " was asked for",
          null);
    }
  }

  private void checkBody(HttpResponse<byte[]> response, int bytes) {
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
    checkCrc("WRONG_CRC", "bytes", body, header(response, SliceProtocol.CRC_HEADER).orElse("none"));
    // Functions of before do not say which request they answer.
    header(response, SliceProtocol.REQUEST_HEADER)
        .ifPresent(stated -> checkCrc("WRONG_REQUEST", "a request", sent, stated));
  }

  private static Optional<String> header(HttpResponse<byte[]> response, String name) {
    return response.headers().firstValue(name);
  }

  private void checkCrc(String code, String what, byte[] bytes, String stated) {
    String right = crc(bytes);
    if (!stated.equals(right)) {
      throw new SliceException(
          200,
          code,
          what + " of CRC32C " + right + " where " + shown(stated) + " was stated",
          null);
    }
  }

  private static String crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return Long.toHexString(crc.getValue());
  }

  /** What somebody else said, on one line, of some length, and without the secrets of the call. */
  private String shown(String said) {
    String text = said.substring(0, Math.min(said.length(), REFUSAL_BYTES));
    text = withoutSecret(text, token);
    for (SliceRequest slice : call.slices()) {
      String query = slice.readUrl().map(URI::getRawQuery).orElse("");
      for (String field : query.split("&", -1)) {
        String value = field.substring(field.indexOf('=') + 1);
        text = value.length() < SECRET_CHARS ? text : withoutSecret(text, value);
      }
    }
    return text.replaceAll("\\p{Cntrl}+", " ");
  }

  private static String withoutSecret(String text, String secret) {
    String left = secret.isEmpty() ? text : text.replace(secret, "..");
    for (int cut = Math.min(secret.length(), left.length()); cut >= CUT_CHARS; cut--) {
      if (left.endsWith(secret.substring(0, cut))) {
        return left.substring(0, left.length() - cut) + "..";
      }
    }
    return left;
  }
}
