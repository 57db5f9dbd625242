package io.arraymorph.layout.zarr.write;

import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The puts of one task: a bounded number of requests and bytes in flight while the task goes on.
 *
 * <p>Not thread-safe. A failed put fails the next call.
 */
final class ObjectPuts {
  private static final int MOST_REQUESTS = 8;
  private static final long MOST_BYTES = 64L << 20;

  private final TargetObjects objects;
  private final Deque<Pending> pending = new ArrayDeque<>();
  private final List<ChunkEntry> done = new ArrayList<>();
  private long pendingBytes;

  private record Pending(CompletableFuture<ChunkEntry> entry, long bytes) {}

  ObjectPuts(TargetObjects objects) {
    this.objects = objects;
  }

  /** Notes an entry that needs no put. */
  void add(ChunkEntry entry) {
    start(CompletableFuture.completedFuture(entry), 0);
  }

  /**
   * Puts an object if nobody has, else under another key.
   *
   * @param entry makes the entry from whether the other key was used and the ETag
   */
  void putIfAbsent(String key, String otherwise, byte[] bytes, PlacedEntry entry) {
    ObjectStore store = objects.target().store();
    CompletableFuture<ChunkEntry> put =
        store
            .put(objects.path(key).key(), ByteBuffer.wrap(bytes), WriteCondition.IF_ABSENT)
            .thenApply(etag -> entry.of(true, etag))
            .exceptionallyCompose(
                failure -> {
                  StoreException cause = StoreException.of(failure, objects.path(key).toString());
                  return cause.kind() == StoreException.Kind.PRECONDITION_FAILED
                      ? store
                          .put(
                              objects.path(otherwise).key(),
                              ByteBuffer.wrap(bytes),
                              WriteCondition.NONE)
                          .thenApply(etag -> entry.of(false, etag))
                      : CompletableFuture.failedFuture(cause);
                });
    start(put, bytes.length);
  }

  /** Makes an entry from whether the wanted key was free. */
  interface PlacedEntry {
    ChunkEntry of(boolean placed, String etag);
  }

  /** Puts an object under a key that is the attempt's own. */
  void put(String key, byte[] bytes, Function<String, ChunkEntry> entry) {
    start(
        objects
            .target()
            .store()
            .put(objects.path(key).key(), ByteBuffer.wrap(bytes), WriteCondition.NONE)
            .thenApply(entry),
        bytes.length);
  }

  /** Waits for all puts; the entries in the order in which they were started. */
  List<ChunkEntry> finish() {
    while (!pending.isEmpty()) {
      settleFirst();
    }
    return done;
  }

  /** Waits until nothing is on its way, whatever becomes of it; the entries that succeeded. */
  List<ChunkEntry> stop() {
    for (Pending put : pending) {
      put.entry().handle((entry, failure) -> entry == null ? null : done.add(entry)).join();
    }
    pending.clear();
    return done;
  }

  private void start(CompletableFuture<ChunkEntry> entry, long bytes) {
    pending.add(new Pending(entry, bytes));
    pendingBytes += bytes;
    while (pending.size() > MOST_REQUESTS || (pendingBytes > MOST_BYTES && pending.size() > 1)) {
      settleFirst();
    }
  }

  private void settleFirst() {
    Pending first = pending.element();
    ChunkEntry entry = TargetObjects.await(objects.target(), first.entry());
    pending.remove();
    pendingBytes -= first.bytes();
    if (entry != null) {
      done.add(entry);
    }
  }
}
