package io.arraymorph.optimizer.execute;

import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.StorePath;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls of the slice function, so many at once, and none for a while after several in a row failed.
 * Thread-safe.
 */
final class FunctionCalls {
  private static final Logger LOG = LoggerFactory.getLogger(FunctionCalls.class);
  private static final int FAILURES_IN_A_ROW = 5;
  private static final long PAUSE_NANOS = Duration.ofSeconds(30).toNanos();

  private final SliceFunction function;
  private final int concurrency;
  private final ReadMetrics metrics;
  private final LongSupplier clock;
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private int underWay;
  private int failures;
  private long pausedUntil;
  private boolean paused;

  /**
   * @param clock nanoseconds, as System::nanoTime
   */
  FunctionCalls(SliceFunction function, int concurrency, ReadMetrics metrics, LongSupplier clock) {
    this.function = function;
    this.concurrency = concurrency;
    this.metrics = metrics;
    this.clock = clock;
  }

  /** False while calls are paused because several in a row failed. */
  synchronized boolean isAvailable() {
    if (paused && clock.getAsLong() - pausedUntil >= 0) {
      // One more failure pauses again.
      paused = false;
      failures = FAILURES_IN_A_ROW - 1;
    }
    return !paused;
  }

  private synchronized void ended(Throwable failure) {
    if (failure == null) {
      failures = 0;
    } else if (++failures >= FAILURES_IN_A_ROW && !paused) {
      paused = true;
      pausedUntil = clock.getAsLong() + PAUSE_NANOS;
      LOG.warn(
          "The slice function failed {} times in a row; reading without it for a while",
          failures,
          failure);
    }
  }

  /**
   * The segments of an object that hold these runs.
   *
   * @param runs ascending and disjoint
   * @param etag the version that must be read, asked for when the call is sent
   */
  CompletableFuture<List<ObjectBytes>> slice(
      StorePath object, Supplier<Optional<String>> etag, List<ByteRuns> runs) {
    CompletableFuture<SliceFunction.Answer> answer = new CompletableFuture<>();
    synchronized (this) {
      waiting.add(() -> send(object, etag, runs, answer));
    }
    sendWaiting();
    return answer.thenApply(found -> segments(found, runs));
  }

  private void sendWaiting() {
    while (true) {
      Runnable next;
      synchronized (this) {
        if (underWay == concurrency || waiting.isEmpty()) {
          return;
        }
        underWay++;
        next = waiting.remove();
      }
      next.run();
    }
  }

  private void send(
      StorePath object,
      Supplier<Optional<String>> etag,
      List<ByteRuns> runs,
      CompletableFuture<SliceFunction.Answer> answer) {
    metrics.addFunctionCall();
    CompletableFuture<SliceFunction.Answer> sent;
    try {
      sent = function.slice(object, etag.get(), runs);
    } catch (RuntimeException e) {
      sent = CompletableFuture.failedFuture(e);
    }
    CompletableFuture<?> unused =
        sent.whenComplete(
            (found, failure) -> {
              synchronized (this) {
                underWay--;
              }
              ended(failure);
              if (failure == null) {
                metrics.addBytesRead(found.bytes().remaining());
                answer.complete(found);
              } else {
                answer.completeExceptionally(failure);
              }
              sendWaiting();
            });
  }

  private static List<ObjectBytes> segments(SliceFunction.Answer answer, List<ByteRuns> runs) {
    long wanted = runs.stream().mapToLong(ByteRuns::byteCount).sum();
    ByteBuffer bytes = answer.bytes();
    if (bytes.remaining() != wanted) {
      throw new IllegalStateException(
          "the slice function answered " + bytes.remaining() + " bytes for " + wanted);
    }
    List<ObjectBytes> segments = new ArrayList<>();
    int at = bytes.position();
    for (ByteRuns part : runs) {
      int length = Math.toIntExact(part.runLength());
      for (PrimitiveIterator.OfLong starts = part.starts(); starts.hasNext(); ) {
        segments.add(
            new ObjectBytes(
                bytes.slice(at, length), starts.nextLong(), answer.objectBytes(), answer.etag()));
        at += length;
      }
    }
    return segments;
  }
}
