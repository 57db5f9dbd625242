package io.arraymorph.optimizer.execute;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.StoreException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.PrimitiveIterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * Calls of the slice function, so many at once, each within a time, and none for a while after
 * several in a row failed. Thread-safe.
 */
final class FunctionCalls {
  private static final Duration SHORTEST_TIME = Duration.ofSeconds(2);
  private static final Duration LONGEST_TIME = Duration.ofSeconds(30);

  private final SliceFunction function;
  private final CircuitBreaker breaker;
  private final int concurrency;
  private final ReadMetrics metrics;
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private int underWay;

  FunctionCalls(
      SliceFunction function, CircuitBreaker breaker, int concurrency, ReadMetrics metrics) {
    this.function = function;
    this.breaker = breaker;
    this.concurrency = concurrency;
    this.metrics = metrics;
  }

  /** False while calls are paused because several in a row failed. */
  boolean isAvailable() {
    return function.isRequired() || breaker.isClosed();
  }

  SliceFunction function() {
    return function;
  }

  /** How long a call may take that was estimated to take so many seconds. */
  static Duration time(double estimatedSeconds) {
    Duration time = Duration.ofMillis((long) Math.min(1e9, 1000 + 4000 * estimatedSeconds));
    if (time.compareTo(SHORTEST_TIME) < 0) {
      return SHORTEST_TIME;
    }
    return time.compareTo(LONGEST_TIME) > 0 ? LONGEST_TIME : time;
  }

  /**
   * One call for one slice.
   *
   * @param call sends it; asked when its turn has come
   * @param bytes that the answer must have
   * @param time after which it counts as failed
   * @return cancelling it aborts the call
   */
  CompletableFuture<SliceFunction.Answer> call(
      Supplier<CompletableFuture<SliceFunction.Answer>> call, long bytes, Duration time) {
    return call(call, answer -> checked(answer, bytes), time);
  }

  /**
   * One call.
   *
   * @param call sends it; asked when its turn has come
   * @param check the bytes of an answer; fails if it is not what was asked for
   * @param time after which it counts as failed
   * @return cancelling it aborts the call
   */
  <T> CompletableFuture<T> call(
      Supplier<CompletableFuture<T>> call, ToLongFunction<T> check, Duration time) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    synchronized (this) {
      waiting.add(() -> send(call, check, time, answer));
    }
    sendWaiting();
    return answer;
  }

  /** The bytes of an answer if they are as many as were asked for. */
  private static long checked(SliceFunction.Answer answer, long bytes) {
    if (answer.bytes().remaining() != bytes) {
      throw new IllegalStateException(
          "the slice function answered " + answer.bytes().remaining() + " bytes for " + bytes);
    }
    return bytes;
  }

  /**
   * The bytes of an answer if it can be that to a slice.
   *
   * @param objectBytes the length that the object must have; the store tells whether it is damaged
   *     or the answer wrong
   */
  static long checked(
      SliceFunction.Answer answer, SliceFunction.Slice slice, OptionalLong objectBytes) {
    long end = slice.runs().stream().mapToLong(ByteRuns::end).max().orElse(0);
    long said = answer.objectBytes();
    if (said < end || (objectBytes.isPresent() && said != objectBytes.getAsLong())) {
      throw new IllegalStateException(
          "the slice function says that "
              + slice.object()
              + " has "
              + said
              + " bytes, it must have "
              + (objectBytes.isPresent() ? objectBytes.getAsLong() : end + " or more"));
    }
    if (answer.etag().isEmpty()) {
      // Absent objects are known by that.
      throw new IllegalStateException("the slice function names no version of " + slice.object());
    }
    return checked(answer, slice.bytes());
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

  private <T> void send(
      Supplier<CompletableFuture<T>> call,
      ToLongFunction<T> check,
      Duration time,
      CompletableFuture<T> answer) {
    if (answer.isDone()) {
      left();
      return;
    }
    if (!function.isRequired() && !breaker.admits()) {
      // Others failed while it waited for its turn.
      left();
      answer.completeExceptionally(new IllegalStateException(function + " is left alone"));
      return;
    }
    metrics.addFunctionCall();
    CompletableFuture<T> sent;
    try {
      sent = call.get();
    } catch (RuntimeException e) {
      sent = CompletableFuture.failedFuture(e);
    }
    CompletableFuture<T> underWayNow = sent;
    CompletableFuture<?> unused =
        sent.copy()
            .orTimeout(time.toMillis(), TimeUnit.MILLISECONDS)
            .whenComplete(
                (found, failure) -> {
                  underWayNow.cancel(true);
                  left();
                  ended(found, failure, check, answer);
                  sendWaiting();
                });
    unused =
        answer.whenComplete(
            (ignored, failure) -> {
              if (answer.isCancelled()) {
                underWayNow.cancel(true);
              }
            });
  }

  private synchronized void left() {
    underWay--;
  }

  private <T> void ended(
      T found, Throwable thrown, ToLongFunction<T> check, CompletableFuture<T> answer) {
    Throwable failure = thrown;
    if (failure == null) {
      try {
        long bytes = check.applyAsLong(found);
        breaker.worked();
        metrics.addBytesRead(bytes);
        answer.complete(found);
        return;
      } catch (RuntimeException e) { // Whatever it is: somebody waits for the answer.
        failure = e;
      }
    }
    while (failure instanceof CompletionException && failure.getCause() != null) {
      failure = failure.getCause();
    }
    if (answer.isCancelled()) {
      breaker.abandoned();
    } else if (saidByStore(failure)) {
      breaker.worked();
    } else {
      metrics.addFunctionFailure();
      breaker.failed(function.toString(), failure);
    }
    answer.completeExceptionally(failure);
  }

  /** True if the function works, and said what the store said to it. */
  private static boolean saidByStore(Throwable failure) {
    if (!(failure instanceof StoreException)) {
      return false;
    }
    StoreException.Kind kind = ((StoreException) failure).kind();
    return kind == StoreException.Kind.NOT_FOUND || kind == StoreException.Kind.PRECONDITION_FAILED;
  }

  /** The failure of a read that must not go on without the function; null if it shall. */
  ArrayMorphException fatal(Throwable thrown) {
    Throwable failure = thrown;
    while (failure instanceof CompletionException && failure.getCause() != null) {
      failure = failure.getCause();
    }
    return function.isRequired() && !saidByStore(failure)
        ? new ArrayMorphException(
            ErrorCode.SLICE_FUNCTION_FAILED,
            function
                + (failure instanceof TimeoutException
                    ? " did not answer in time"
                    : " failed: " + failure.getMessage()),
            "Check the function and its token, or read without slice-function-failure=error",
            failure)
        : null;
  }

  /** The segments of an object that hold these runs. */
  static List<ObjectBytes> segments(SliceFunction.Answer answer, List<ByteRuns> runs) {
    ByteBuffer bytes = answer.bytes();
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
