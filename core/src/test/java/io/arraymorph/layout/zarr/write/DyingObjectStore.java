package io.arraymorph.layout.zarr.write;

import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ListPage;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStat;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * A store as a process sees it that is killed at its n-th request: from then on nothing arrives and
 * nothing is answered.
 */
final class DyingObjectStore implements ObjectStore {
  private final ObjectStore store;
  private final int requests;
  private final boolean lastArrives;
  private final AtomicInteger count = new AtomicInteger();

  /**
   * @param requests how many are answered before the death
   * @param lastArrives true if one more request still takes effect, though nobody hears of it
   */
  DyingObjectStore(ObjectStore store, int requests, boolean lastArrives) {
    this.store = store;
    this.requests = requests;
    this.lastArrives = lastArrives;
  }

  boolean isDead() {
    return count.get() > requests;
  }

  @Override
  public String uri() {
    return store.uri();
  }

  @Override
  public CompletableFuture<ObjectBytes> get(String key, ByteRange range, ReadCondition condition) {
    return live(() -> store.get(key, range, condition));
  }

  @Override
  public CompletableFuture<ObjectStat> head(String key) {
    return live(() -> store.head(key));
  }

  @Override
  public CompletableFuture<ListPage> list(String prefix, String delimiter, String continuation) {
    return live(() -> store.list(prefix, delimiter, continuation));
  }

  @Override
  public CompletableFuture<String> put(String key, ByteBuffer bytes, WriteCondition condition) {
    return live(() -> store.put(key, bytes, condition));
  }

  @Override
  public CompletableFuture<String> copy(
      String sourceKey, String targetKey, WriteCondition condition) {
    return live(() -> store.copy(sourceKey, targetKey, condition));
  }

  @Override
  public CompletableFuture<Void> delete(String key, WriteCondition condition) {
    return live(() -> store.delete(key, condition));
  }

  @Override
  public CompletableFuture<Void> deleteAll(Collection<String> keys) {
    return live(() -> store.deleteAll(keys));
  }

  @Override
  public void close() {
    // The store under it belongs to the test.
  }

  private <T> CompletableFuture<T> live(Supplier<CompletableFuture<T>> request) {
    int number = count.incrementAndGet();
    if (number <= requests) {
      return request.get();
    }
    StoreException dead =
        new StoreException(StoreException.Kind.UNAVAILABLE, store.uri(), "killed", null);
    if (lastArrives && number == requests + 1) {
      return request
          .get()
          .handle(
              (answer, failure) -> {
                throw dead;
              });
    }
    return CompletableFuture.failedFuture(dead);
  }
}
