package io.arraymorph.lambda;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Until when a request may be worked on. Immutable. */
final class Deadline {
  private final long end;

  private Deadline(long end) {
    this.end = end;
  }

  static Deadline in(Duration time) {
    return new Deadline(System.nanoTime() + time.toNanos());
  }

  /** Throws {@link SliceTimeoutException} once the time is over. */
  void check() {
    if (end - System.nanoTime() <= 0) {
      throw new SliceTimeoutException();
    }
  }

  /** What is left, at least a millisecond. */
  Duration left() {
    return Duration.ofNanos(Math.max(1_000_000, end - System.nanoTime()));
  }

  /**
   * The result of a future; it is cancelled if the time is over before, or the server is closed.
   *
   * @throws ExecutionException if the future failed
   */
  <T> T await(CompletableFuture<T> future) throws ExecutionException {
    try {
      return future.get(left().toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      future.cancel(true);
      throw new SliceTimeoutException();
    } catch (InterruptedException e) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw new SliceTimeoutException();
    }
  }

  /** The time for a request is over. */
  static final class SliceTimeoutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SliceTimeoutException() {
      super("the time for a request is over");
    }
  }
}
