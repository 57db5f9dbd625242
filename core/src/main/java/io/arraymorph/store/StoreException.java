package io.arraymorph.store;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.time.Duration;
import java.util.concurrent.CancellationException;

/** A failed request to an object store, sorted by what a caller can do about it. */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What kind of failure it was. */
  public enum Kind {
    /** The object (or bucket) does not exist: 404. */
    NOT_FOUND(ErrorCode.OBJECT_NOT_FOUND, false),
    /** The caller may not do this: 401, 403. */
    DENIED(ErrorCode.ACCESS_DENIED, false),
    /** A condition did not hold: 412, 409 of a conditional request. */
    PRECONDITION_FAILED(ErrorCode.PRECONDITION_FAILED, false),
    /** The range starts beyond the object: 416. */
    RANGE_NOT_SATISFIABLE(ErrorCode.CHUNK_CORRUPT, false),
    /** The store asks to slow down: 429, 503. */
    THROTTLED(ErrorCode.STORE_UNAVAILABLE, true),
    /** No answer, a broken connection or a 5xx. */
    UNAVAILABLE(ErrorCode.STORE_UNAVAILABLE, true),
    /** An answer that breaks the protocol: wrong length, wrong Content-Range. */
    PROTOCOL(ErrorCode.STORE_PROTOCOL, true),
    /** More bytes than one buffer can hold. */
    TOO_LARGE(ErrorCode.TOO_LARGE, false),
    /** No room left. */
    FULL(ErrorCode.STORE_FULL, false),
    /** A malformed key or URI. */
    INVALID(ErrorCode.INVALID_URI, false),
    /** The request was cancelled by its caller or the store was closed. */
    CANCELLED(ErrorCode.CANCELLED, false);

    private final ErrorCode code;
    private final boolean transientFailure;

    Kind(ErrorCode code, boolean transientFailure) {
      this.code = code;
      this.transientFailure = transientFailure;
    }

    /** The code that users see. */
    public ErrorCode code() {
      return code;
    }

    /** True if the same request may succeed later. */
    public boolean isTransient() {
      return transientFailure;
    }
  }

  private final Kind kind;
  private final String object;
  private final String detail;
  private final Duration retryAfter;

  /**
   * @param object the object's URI, without credentials
   * @param detail what happened, without trailing full stop
   * @param cause may be null
   */
  public StoreException(Kind kind, String object, String detail, Throwable cause) {
    this(kind, object, detail, Duration.ZERO, cause);
  }

  /**
   * @param retryAfter how long the store asks to wait before the next attempt, zero if it did not
   *     say
   */
  public StoreException(
      Kind kind, String object, String detail, Duration retryAfter, Throwable cause) {
    super(object + ": " + detail, cause);
    this.kind = kind;
    this.object = object;
    this.detail = detail;
    this.retryAfter = retryAfter;
  }

  /**
   * The store failure in what a request's future or {@code join} threw: itself, or its cause.
   *
   * @param object what the request was about, should the failure be of another type
   */
  public static StoreException of(Throwable thrown, String object) {
    Throwable failure = thrown;
    while (failure != null) {
      if (failure instanceof StoreException) {
        return (StoreException) failure;
      }
      if (failure instanceof CancellationException || failure instanceof InterruptedException) {
        return new StoreException(Kind.CANCELLED, object, "cancelled", thrown);
      }
      failure = failure.getCause();
    }
    return new StoreException(Kind.UNAVAILABLE, object, String.valueOf(thrown), thrown);
  }

  /** What kind of failure it was. */
  public Kind kind() {
    return kind;
  }

  /** The URI of the object or store concerned. */
  public String object() {
    return object;
  }

  /** What happened, without the object. */
  public String detail() {
    return detail;
  }

  /** How long the store asked to wait before the next attempt; zero if it did not say. */
  public Duration retryAfter() {
    return retryAfter;
  }

  /** This failure as users see it, with a remedy for its kind. */
  public ArrayMorphException toUser() {
    return new ArrayMorphException(kind.code(), getMessage(), remedy(), this);
  }

  private String remedy() {
    switch (kind) {
      case NOT_FOUND:
        return "Check the path";
      case DENIED:
        return "Check the credentials of the session and the permissions on this object";
      case PRECONDITION_FAILED:
        return "Somebody else changed the object; run the operation again";
      case RANGE_NOT_SATISFIABLE:
        return "The object is shorter than its metadata say; write it again";
      case TOO_LARGE:
        return "Read or write it in ranges below 2 GiB";
      case FULL:
        return "Free some space and run the write again";
      case INVALID:
        return "Correct the path";
      case CANCELLED:
        return "The task was killed or its reader closed";
      default:
        return "Check endpoint and network; the request was already retried";
    }
  }
}
