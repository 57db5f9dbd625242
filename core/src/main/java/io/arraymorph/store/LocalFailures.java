package io.arraymorph.store;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;

/** What an I/O error of the local file system means for an object. */
final class LocalFailures {
  private LocalFailures() {}

  static StoreException of(String object, IOException error) {
    return new StoreException(kind(error), object, detail(error), error);
  }

  private static StoreException.Kind kind(IOException error) {
    if (error instanceof NoSuchFileException) {
      return StoreException.Kind.NOT_FOUND;
    }
    if (error instanceof AccessDeniedException) {
      return StoreException.Kind.DENIED;
    }
    if (error instanceof ClosedByInterruptException) {
      return StoreException.Kind.CANCELLED;
    }
    // The JDK has no types for these; the texts are those of strerror.
    String reason = detail(error).toLowerCase(Locale.ROOT);
    if (reason.contains("no space left") || reason.contains("quota exceeded")) {
      return StoreException.Kind.FULL;
    }
    if (reason.contains("read-only file system") || reason.contains("not permitted")) {
      return StoreException.Kind.DENIED;
    }
    if (reason.contains("not a directory")) {
      return StoreException.Kind.NOT_FOUND;
    }
    if (reason.contains("is a directory") || reason.contains("name too long")) {
      return StoreException.Kind.INVALID;
    }
    return StoreException.Kind.UNAVAILABLE;
  }

  private static String detail(IOException error) {
    if (error instanceof NoSuchFileException) {
      return "not found";
    }
    if (error instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (error instanceof FileSystemException) {
      String reason = ((FileSystemException) error).getReason();
      return reason == null ? error.getClass().getSimpleName() : reason;
    }
    return error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage();
  }
}
