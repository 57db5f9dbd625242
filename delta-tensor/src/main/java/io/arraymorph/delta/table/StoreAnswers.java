package io.arraymorph.delta.table;

import io.arraymorph.store.StoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Waits for answers of an object store. */
final class StoreAnswers {
  private StoreAnswers() {}

  /**
   * The result of a request; the request is cancelled if this thread is interrupted.
   *
   * @throws StoreException as the request failed
   */
  static <T> T await(CompletableFuture<T> request) {
    try {
      return request.get();
    } catch (InterruptedException e) {
      request.cancel(true);
      Thread.currentThread().interrupt();
      throw new StoreException(StoreException.Kind.CANCELLED, "request", "interrupted", e);
    } catch (ExecutionException | CompletionException e) {
      if (e.getCause() instanceof StoreException) {
        StoreException cause = (StoreException) e.getCause();
        throw new StoreException(cause.kind(), cause.object(), detail(cause), cause);
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  private static String detail(StoreException cause) {
    String prefix = cause.object() + ": ";
    String message = String.valueOf(cause.getMessage());
    return message.startsWith(prefix) ? message.substring(prefix.length()) : message;
  }
}
