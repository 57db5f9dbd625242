package io.arraymorph.layout.zarr.write;

import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ListPage;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStat;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;

/** Does what another store does; for tests that change one request. */
class ForwardingStore implements ObjectStore {
  private final ObjectStore store;

  ForwardingStore(ObjectStore store) {
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
  public void close() {
    // The store under it belongs to the test.
  }
}
