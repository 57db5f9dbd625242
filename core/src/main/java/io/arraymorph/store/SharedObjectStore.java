package io.arraymorph.store;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;

/** A store that many users share: closing it does nothing. */
final class SharedObjectStore implements ObjectStore {
  private final ObjectStore store;

  SharedObjectStore(ObjectStore store) {
    this.store = store;
  }

  @Override
  public String uri() {
    return store.uri();
  }

  @Override
  public CompletableFuture<ObjectBytes> get(String key, ByteRange range, ReadCondition condition) {
    return store.get(key, range, condition);
  }

  @Override
  public CompletableFuture<ObjectStat> head(String key) {
    return store.head(key);
  }

  @Override
  public CompletableFuture<ListPage> list(String prefix, String delimiter, String continuation) {
    return store.list(prefix, delimiter, continuation);
  }

  @Override
  public CompletableFuture<String> put(String key, ByteBuffer bytes, WriteCondition condition) {
    return store.put(key, bytes, condition);
  }

  @Override
  public CompletableFuture<String> copy(
      String sourceKey, String targetKey, WriteCondition condition) {
    return store.copy(sourceKey, targetKey, condition);
  }

  @Override
  public CompletableFuture<Void> delete(String key, WriteCondition condition) {
    return store.delete(key, condition);
  }

  @Override
  public CompletableFuture<Void> deleteAll(Collection<String> keys) {
    return store.deleteAll(keys);
  }

  @Override
  public ObjectStore reportingRetriesTo(RetryListener listener) {
    return new SharedObjectStore(store.reportingRetriesTo(listener));
  }

  @Override
  public void close() {
    // Others use the store; idle threads and connections end by themselves.
  }

  @Override
  public String toString() {
    return store.toString();
  }
}
