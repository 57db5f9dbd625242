package io.arraymorph.cloud;

import io.arraymorph.store.StoreException.Kind;

/** What the status of an answer means where the service says nothing more exact. */
public final class HttpStatus {
  private HttpStatus() {}

  /** The kind of failure that a status other than success is. */
  public static Kind kind(int status) {
    switch (status) {
      case 401:
      case 403:
        return Kind.DENIED;
      case 404:
        return Kind.NOT_FOUND;
      case 409:
      case 412:
        return Kind.PRECONDITION_FAILED;
      case 416:
        return Kind.RANGE_NOT_SATISFIABLE;
      case 429:
      case 503:
        return Kind.THROTTLED;
      case 507:
        return Kind.FULL;
      default:
        return status >= 500 ? Kind.UNAVAILABLE : Kind.PROTOCOL;
    }
  }
}
