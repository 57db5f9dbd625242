package io.arraymorph.cloud.gcs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.auth.Retryable;
import io.arraymorph.cloud.HttpStatus;
import io.arraymorph.cloud.RetryAfter;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreException.Kind;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;

/** What an answer of the storage service, or the lack of one, means for an object. */
final class GcsFailures {
  private static final ObjectMapper JSON = new ObjectMapper();

  private GcsFailures() {}

  /** An answer that reports an error. */
  static StoreException answered(String object, HttpResponse<ByteBuffer> answer) {
    int status = answer.statusCode();
    String reason = reason(GcsClient.text(answer));
    Duration wait =
        answer.headers().firstValue("Retry-After").map(RetryAfter::parse).orElse(Duration.ZERO);
    return new StoreException(
        kind(status, reason),
        object,
        "HTTP " + status + (reason.isEmpty() ? "" : " " + reason),
        wait,
        null);
  }

  /** The reason in an error of the JSON API; reads of content answer in plain text. */
  private static String reason(String body) {
    try {
      JsonNode error = JSON.readTree(body).path("error");
      String reason = error.path("errors").path(0).path("reason").asText("");
      return reason.matches("[A-Za-z]{1,60}") ? reason : "";
    } catch (JsonProcessingException e) {
      return "";
    }
  }

  private static Kind kind(int status, String reason) {
    switch (status) {
      case 304:
        return Kind.PRECONDITION_FAILED;
      case 403:
        return reason.endsWith("ateLimitExceeded") || reason.equals("quotaExceeded")
            ? Kind.THROTTLED
            : Kind.DENIED;
      case 410:
        return Kind.NOT_FOUND;
      case 408:
        return Kind.UNAVAILABLE;
      case 413:
        return Kind.TOO_LARGE;
      case 409: // nothing is known of a conflict here: it is not a condition that failed
        return Kind.PROTOCOL;
      default:
        return HttpStatus.kind(status);
    }
  }

  /** A request without a whole answer. */
  static StoreException broken(String object, Throwable cause) {
    if (cause instanceof StoreException) {
      return (StoreException) cause;
    }
    String message = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    return new StoreException(
        Kind.UNAVAILABLE, object, cause.getClass().getSimpleName() + ": " + message, cause);
  }

  /** No credentials, or no token for them. What the library says may quote the answer it got. */
  static StoreException unauthorized(String object, Exception cause) {
    for (Throwable error = cause; error != null; error = error.getCause()) {
      if (error instanceof Retryable && ((Retryable) error).isRetryable()) {
        return new StoreException(Kind.UNAVAILABLE, object, "no token was given yet", cause);
      }
    }
    return new StoreException(
        Kind.DENIED,
        object,
        "no token: " + String.valueOf(cause.getMessage()).lines().findFirst().orElse(""),
        cause);
  }
}
