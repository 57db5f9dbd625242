package io.arraymorph.cloud.azure;

import com.azure.core.exception.ClientAuthenticationException;
import com.azure.core.exception.HttpResponseException;
import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.HttpResponse;
import com.microsoft.aad.msal4j.MsalServiceException;
import io.arraymorph.cloud.HttpStatus;
import io.arraymorph.cloud.RetryAfter;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreException.Kind;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;

/** What an exception of Azure's SDK means for an object. */
final class AzureFailures {
  private static final HttpHeaderName ERROR_CODE = HttpHeaderName.fromString("x-ms-error-code");

  private AzureFailures() {}

  static StoreException of(String object, RuntimeException error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof StoreException) {
        return (StoreException) cause;
      }
      if (cause instanceof InterruptedException || cause instanceof CancellationException) {
        return new StoreException(Kind.CANCELLED, object, "cancelled", error);
      }
      if (cause instanceof MsalServiceException) {
        return tokenRefused(object, (MsalServiceException) cause, error);
      }
      if (cause instanceof ClientAuthenticationException) {
        return new StoreException(Kind.DENIED, object, "no token: " + firstLine(cause), error);
      }
      if (cause instanceof HttpResponseException
          && ((HttpResponseException) cause).getResponse() != null) {
        return answered(object, ((HttpResponseException) cause).getResponse(), error);
      }
    }
    Throwable root = error;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return new StoreException(
        Kind.UNAVAILABLE, object, root.getClass().getSimpleName() + ": " + firstLine(root), error);
  }

  /** What Microsoft Entra said to who asked for a token. */
  private static StoreException tokenRefused(
      String object, MsalServiceException said, RuntimeException error) {
    Integer status = said.statusCode();
    boolean later = status == null || status == 429 || status >= 500;
    return new StoreException(
        later ? Kind.UNAVAILABLE : Kind.DENIED, object, "no token: " + firstLine(said), error);
  }

  private static String firstLine(Throwable error) {
    return String.valueOf(error.getMessage()).lines().findFirst().orElse("");
  }

  private static StoreException answered(
      String object, HttpResponse response, RuntimeException error) {
    int status = response.getStatusCode();
    String code = Optional.ofNullable(response.getHeaderValue(ERROR_CODE)).orElse("");
    Duration wait =
        Optional.ofNullable(response.getHeaderValue(HttpHeaderName.RETRY_AFTER))
            .map(RetryAfter::parse)
            .orElse(Duration.ZERO);
    return new StoreException(
        kind(status, code),
        object,
        "HTTP " + status + (code.isEmpty() ? "" : " " + code),
        wait,
        error);
  }

  private static Kind kind(int status, String code) {
    switch (code) {
      case "BlobAlreadyExists":
      case "ConditionNotMet":
      case "UnspecifiedConditionalRequest":
        return Kind.PRECONDITION_FAILED;
      case "ServerBusy":
        return Kind.THROTTLED;
      case "OperationTimedOut":
      case "LeaseLost":
        return Kind.UNAVAILABLE;
      case "InvalidRange":
        return Kind.RANGE_NOT_SATISFIABLE;
      case "RequestBodyTooLarge":
        return Kind.TOO_LARGE;
      case "InvalidResourceName":
      case "InvalidUri":
        return Kind.INVALID;
      default:
        break;
    }
    return HttpStatus.kind(status);
  }
}
