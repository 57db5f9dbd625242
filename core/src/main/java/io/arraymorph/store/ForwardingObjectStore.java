package io.arraymorph.store;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A store that does what another does: the base of stores that change one thing.
 *
 * <p>Closing it closes the other store.
 */
public abstract class ForwardingObjectStore implements ObjectStore {
  private final ObjectStore store;

  /** Forwards to {@code store}. */
  protected ForwardingObjectStore(ObjectStore store) {
    this.store = store;
  }

  /** The store that does the work. */
  protected final ObjectStore store() {
    return store;
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
  public CompletableFuture<Optional<SignedUrl>> presign(String key, Duration lifetime) {
    return store.presign(key, lifetime);
  }

  @Override
  public void close() {
    store.close();
  }

  @Override
  public String toString() {
    return store.toString();
  }
}
