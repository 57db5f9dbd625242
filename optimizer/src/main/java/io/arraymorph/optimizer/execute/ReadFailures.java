package io.arraymorph.optimizer.execute;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;

/** Turns what went wrong with a chunk into what users see: object, chunk and cause. */
final class ReadFailures {
  private ReadFailures() {}

  static ArrayMorphException of(Throwable failure, ChunkedArray array, StorePath object) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof ArrayMorphException) {
      return (ArrayMorphException) cause;
    }
    if (cause instanceof CancellationException) {
      return cancelled(cause);
    }
    if (cause instanceof StoreException) {
      StoreException store = (StoreException) cause;
      if (store.kind() == StoreException.Kind.RANGE_NOT_SATISFIABLE) {
        return corrupt(array, object, "the object is too short", store);
      }
      return store.toUser();
    }
    if (cause instanceof OutOfMemoryError) {
      return new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          "not enough memory to decode " + chunk(array, object),
          "Read less at a time, or give the process more heap",
          cause);
    }
    if (cause instanceof Error) {
      return new ArrayMorphException(
          ErrorCode.INTERNAL_ERROR,
          chunk(array, object) + " was not read because of " + cause,
          "Nothing is known to be wrong with the data; report this with its stack trace, unless"
              + " classes are missing or differ on the class path",
          cause);
    }
    String what = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    return corrupt(array, object, what, cause);
  }

  private static ArrayMorphException corrupt(
      ChunkedArray array, StorePath object, String what, Throwable cause) {
    return new ArrayMorphException(
        ErrorCode.CHUNK_CORRUPT,
        chunk(array, object) + ": " + what,
        "The object was damaged or is being rewritten; write it again",
        cause);
  }

  static ArrayMorphException missing(ChunkedArray array, StorePath object) {
    return new ArrayMorphException(
        ErrorCode.CHUNK_MISSING,
        chunk(array, object) + " does not exist",
        "Write it again, or read with missing=fill to have fill values for absent chunks");
  }

  static ArrayMorphException cancelled(Throwable cause) {
    return new ArrayMorphException(
        ErrorCode.CANCELLED,
        "reading was cancelled",
        "The task was killed or its reader closed",
        cause);
  }

  /** As {@code chunk c/0/3 of s3a://bucket/array}. */
  private static String chunk(ChunkedArray array, StorePath object) {
    String prefix = array.path().key().isEmpty() ? "" : array.path().key() + "/";
    String name =
        object.key().startsWith(prefix) ? object.key().substring(prefix.length()) : object.key();
    return "chunk " + name + " of " + array.path();
  }
}
