package io.arraymorph.optimizer.execute;

import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Sends requests in order of arrival, at most a fixed number at once. Thread-safe.
 *
 * <p>Answers complete on threads of the store; what hangs on them must be short.
 */
final class RequestQueue {
  private final int concurrency;
  private final ReadMetrics metrics;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private final IdentityHashMap<Waiting, CompletableFuture<ObjectBytes>> underWay =
      new IdentityHashMap<>();

  /** The stores as seen by this queue, so that their retries are counted here. */
  private final Map<ObjectStore, ObjectStore> views = new ConcurrentHashMap<>();

  private int slotsTaken;
  private boolean sending;
  private boolean cancelled;

  RequestQueue(int concurrency, ReadMetrics metrics) {
    this.concurrency = concurrency;
    this.metrics = metrics;
  }

  /** Asks for a range of an object; fails with {@link StoreException}. */
  CompletableFuture<ObjectBytes> get(
      StorePath object, ByteRange range, Supplier<ReadCondition> condition) {
    Waiting request = new Waiting(object, range, condition, new CompletableFuture<>());
    synchronized (this) {
      if (cancelled) {
        request.fail();
        return request.answer;
      }
      waiting.add(request);
    }
    sendWaiting();
    return request.answer;
  }

  /**
   * Sends while there are free slots. One thread at a time: a store may answer before its call
   * returns, and would otherwise nest one call in another for each request.
   */
  private void sendWaiting() {
    synchronized (this) {
      if (sending) {
        return;
      }
      sending = true;
    }
    while (true) {
      Waiting request;
      synchronized (this) {
        if (cancelled || slotsTaken == concurrency || waiting.isEmpty()) {
          sending = false;
          return;
        }
        request = waiting.poll();
        slotsTaken++;
      }
      send(request);
    }
  }

  private void send(Waiting request) {
    metrics.addRequest(!(request.range instanceof ByteRange.Whole));
    CompletableFuture<ObjectBytes> answer;
    try {
      ObjectStore store = views.computeIfAbsent(request.object.store(), this::reporting);
      answer = store.get(request.object.key(), request.range, request.condition.get());
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    CompletableFuture<ObjectBytes> sent = answer;
    boolean late;
    synchronized (this) {
      late = cancelled;
      underWay.put(request, sent);
    }
    CompletableFuture<?> unused =
        sent.whenComplete(
            (bytes, failure) -> {
              synchronized (this) {
                slotsTaken--;
                underWay.remove(request);
              }
              sendWaiting();
              if (failure == null) {
                metrics.addBytesRead(bytes.bytes().remaining());
                request.answer.complete(bytes);
              } else {
                request.answer.completeExceptionally(failure);
              }
            });
    if (late) {
      sent.cancel(true);
    }
  }

  private ObjectStore reporting(ObjectStore store) {
    return store.reportingRetriesTo((key, failure) -> metrics.addRetry());
  }

  /** Drops what waits and aborts what is under way; everything fails as cancelled. Idempotent. */
  void cancel() {
    List<Waiting> dropped;
    List<CompletableFuture<ObjectBytes>> aborted;
    synchronized (this) {
      cancelled = true;
      dropped = new ArrayList<>(waiting);
      waiting.clear();
      aborted = new ArrayList<>(underWay.values());
    }
    dropped.forEach(Waiting::fail);
    aborted.forEach(answer -> answer.cancel(true));
  }

  private record Waiting(
      StorePath object,
      ByteRange range,
      Supplier<ReadCondition> condition,
      CompletableFuture<ObjectBytes> answer) {
    void fail() {
      answer.completeExceptionally(
          new StoreException(
              StoreException.Kind.CANCELLED, object.toString(), "the read was cancelled", null));
    }
  }
}
