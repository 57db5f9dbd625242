package io.arraymorph.cloud.s3;

import io.arraymorph.cloud.HttpStatus;
import io.arraymorph.cloud.RetryAfter;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreException.Kind;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkException;

/** What an exception of the AWS SDK means for an object. */
final class S3Failures {
  private static final Set<String> DENIED =
      Set.of(
          "AuthorizationHeaderMalformed",
          "ExpiredToken",
          "InvalidAccessKeyId",
          "InvalidToken",
          "SignatureDoesNotMatch",
          "TokenRefreshRequired");
  private static final Set<String> THROTTLED =
      Set.of("RequestLimitExceeded", "SlowDown", "Throttling", "ThrottlingException");
  private static final Set<String> PASSING =
      Set.of(
          "ConditionalRequestConflict",
          "InternalError",
          "OperationAborted",
          "RequestTimeout",
          "RequestTimeTooSkewed",
          "ServiceUnavailable");
  private static final Set<String> MALFORMED =
      Set.of("InvalidBucketName", "InvalidURI", "KeyTooLongError", "PermanentRedirect");

  private S3Failures() {}

  static StoreException of(String object, SdkException error) {
    if (error instanceof AwsServiceException) {
      AwsServiceException answer = (AwsServiceException) error;
      return new StoreException(
          kind(answer.statusCode(), code(answer)), object, text(answer), retryAfter(answer), error);
    }
    if (isCancelled(error)) {
      return new StoreException(Kind.CANCELLED, object, "cancelled", error);
    }
    String message = String.valueOf(error.getMessage());
    boolean credentials = message.toLowerCase(Locale.ROOT).contains("credentials");
    return new StoreException(
        credentials ? Kind.DENIED : Kind.UNAVAILABLE, object, message + rootCause(error), error);
  }

  /** The failure that an answer with another status than success means. */
  static StoreException of(String object, HttpGets.Head answer, String code, String message) {
    return new StoreException(
        kind(answer.status(), code),
        object,
        text(answer.status(), code, message, answer.header("x-amz-request-id").orElse(null)),
        answer.header("Retry-After").map(RetryAfter::parse).orElse(Duration.ZERO),
        null);
  }

  /** The failure that a code in the answer to a batch means. */
  static Kind kind(String code) {
    return kind(code.equals("AccessDenied") ? 403 : 500, code);
  }

  private static Kind kind(int status, String code) {
    if (PASSING.contains(code)) {
      return Kind.UNAVAILABLE;
    }
    if (THROTTLED.contains(code)) {
      return Kind.THROTTLED;
    }
    if (DENIED.contains(code)) {
      return Kind.DENIED;
    }
    if (MALFORMED.contains(code)) {
      return Kind.INVALID;
    }
    if (code.equals("EntityTooLarge")) {
      return Kind.TOO_LARGE;
    }
    return HttpStatus.kind(status);
  }

  private static String code(AwsServiceException answer) {
    return Optional.ofNullable(answer.awsErrorDetails()).map(AwsErrorDetails::errorCode).orElse("");
  }

  private static String text(AwsServiceException answer) {
    String message =
        Optional.ofNullable(answer.awsErrorDetails())
            .map(AwsErrorDetails::errorMessage)
            .orElse(null);
    return text(answer.statusCode(), code(answer), message, answer.requestId());
  }

  private static String text(int status, String code, String message, String requestId) {
    return "HTTP "
        + status
        + (code.isEmpty() ? "" : " " + code)
        + (message == null || message.isEmpty() ? "" : ": " + message)
        + (requestId == null ? "" : " (request " + requestId + ")");
  }

  private static Duration retryAfter(AwsServiceException answer) {
    return Optional.ofNullable(answer.awsErrorDetails())
        .map(AwsErrorDetails::sdkHttpResponse)
        .flatMap(response -> response.firstMatchingHeader("Retry-After"))
        .map(RetryAfter::parse)
        .orElse(Duration.ZERO);
  }

  private static boolean isCancelled(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof AbortedException || cause instanceof InterruptedException) {
        return true;
      }
    }
    return false;
  }

  private static String rootCause(Throwable error) {
    Throwable root = error;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root == error ? "" : " (" + root + ")";
  }
}
