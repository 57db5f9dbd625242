package io.arraymorph.lambda;

import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.RequestPool;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Small reads of one store by all calls of a server: first come, first served, and no more at once
 * than hide the time that the store takes for one.
 *
 * <p>A processor sends and takes about a read in {@value #READ_MICROS} microseconds, so a store
 * whose fastest answer of the last seconds took a hundred times as long is kept busy by a hundred
 * reads for each processor. A store on the same machine answers in a few of those: more reads at
 * once would only wait for each other. But threads pass answers on, and with {@value #LEAST} reads
 * for each processor they find the next one without being woken. Thread-safe.
 */
final class PacedReads {
  /** Reads at once of a store that has not answered yet, and at most. */
  private static final int MOST = 256;

  private static final int READ_MICROS = 100;

  /** Reads at once for each processor, however near the store is. */
  private static final int LEAST = 16;

  private static final long EPOCH_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Stores that are remembered; an allow-list rarely has more. */
  private static final int MOST_STORES = 64;

  private final int processors;
  private final LongSupplier clock;
  private final Deque<Read> waiting = new ArrayDeque<>();
  private int underWay;
  private long epoch;
  private long fastest = Long.MAX_VALUE;
  private long fastestBefore = Long.MAX_VALUE;

  /**
   * @param processors that send reads
   * @param clock nanoseconds, as System::nanoTime
   */
  PacedReads(int processors, LongSupplier clock) {
    this.processors = processors;
    this.clock = clock;
    this.epoch = clock.getAsLong();
  }

  /** Those of each store that a server reads. Thread-safe. */
  static final class Stores {
    private final Map<String, PacedReads> stores = new ConcurrentHashMap<>();

    /**
     * The reads of a store.
     *
     * @param store as {@code s3://bucket}, or the origin of presigned URLs
     */
    PacedReads of(String store) {
      if (stores.size() > MOST_STORES) {
        stores.clear();
      }
      return stores.computeIfAbsent(
          store,
          name -> new PacedReads(Runtime.getRuntime().availableProcessors(), System::nanoTime));
    }
  }

  private record Read(
      Supplier<CompletableFuture<ObjectBytes>> send, CompletableFuture<ObjectBytes> answer) {}

  /** Sends a read when its turn comes; cancelling the result cancels it. */
  CompletableFuture<ObjectBytes> get(Supplier<CompletableFuture<ObjectBytes>> send) {
    CompletableFuture<ObjectBytes> answer = new CompletableFuture<>();
    synchronized (this) {
      waiting.add(new Read(send, answer));
    }
    sendWaiting();
    return answer;
  }

  private void sendWaiting() {
    while (true) {
      Read next;
      synchronized (this) {
        if (underWay >= slots() || waiting.isEmpty()) {
          return;
        }
        next = waiting.remove();
        underWay++;
      }
      send(next);
    }
  }

  private void send(Read read) {
    if (read.answer.isDone()) {
      left();
      return;
    }
    long start = clock.getAsLong();
    CompletableFuture<ObjectBytes> sent;
    try {
      sent = read.send.get();
    } catch (RuntimeException e) {
      left();
      read.answer.completeExceptionally(e);
      return;
    }
    if (sent.isDone()) {
      ended(read, sent, start); // The caller's loop goes on: no recursion.
      return;
    }
    CompletableFuture<?> unused =
        sent.whenComplete(
            (ignored, failure) -> {
              ended(read, sent, start);
              RequestPool.inTurn(this::sendWaiting);
            });
    unused =
        read.answer.whenComplete(
            (ignored, failure) -> {
              if (read.answer.isCancelled()) {
                sent.cancel(true);
              }
            });
  }

  private void ended(Read read, CompletableFuture<ObjectBytes> sent, long start) {
    boolean answered = !sent.isCompletedExceptionally();
    synchronized (this) {
      underWay--;
      if (answered) {
        took(clock.getAsLong() - start);
      }
    }
    CompletableFuture<?> unused =
        sent.whenComplete(
            (bytes, failure) -> {
              if (failure == null) {
                read.answer.complete(bytes);
              } else {
                read.answer.completeExceptionally(failure);
              }
            });
  }

  private synchronized void left() {
    underWay--;
  }

  /** Notes the time of an answer; what is older than some seconds counts no more. */
  private void took(long nanos) {
    long now = clock.getAsLong();
    if (now - epoch > EPOCH_NANOS) {
      fastestBefore = now - epoch > 2 * EPOCH_NANOS ? Long.MAX_VALUE : fastest;
      fastest = Long.MAX_VALUE;
      epoch = now;
    }
    fastest = Math.min(fastest, nanos);
  }

  /** Reads that may be under way now. */
  synchronized int slots() {
    long best = Math.min(fastest, fastestBefore);
    if (best == Long.MAX_VALUE) {
      return MOST;
    }
    double hiding = (double) processors * best / TimeUnit.MICROSECONDS.toNanos(READ_MICROS);
    return (int) Math.max((double) LEAST * processors, Math.min(MOST, Math.ceil(hiding)));
  }
}
