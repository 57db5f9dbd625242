package io.arraymorph.spark;

import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ListPage;
import io.arraymorph.store.LocalObjectStore;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStat;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ObjectStoreProvider;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** URIs {@code counted://NAME/key}: a local directory whose requests are recorded. */
public final class CountedStoreProvider implements ObjectStoreProvider {
  private static final Map<String, RecordingObjectStore> STORES = new ConcurrentHashMap<>();

  /** The store of a name, over a directory. */
  static RecordingObjectStore register(String name, Path directory) {
    RecordingObjectStore store =
        new RecordingObjectStore(new Named("counted://" + name, new LocalObjectStore(directory)));
    STORES.put(name, store);
    return store;
  }

  @Override
  public boolean supports(String scheme) {
    return scheme.equals("counted");
  }

  @Override
  public StorePath open(URI uri, StoreConfig config) {
    return new StorePath(STORES.get(uri.getAuthority()), "");
  }

  /** A store under another URI. */
  private record Named(String uri, ObjectStore store) implements ObjectStore {
    @Override
    public CompletableFuture<ObjectBytes> get(
        String key, ByteRange range, ReadCondition condition) {
      return store.get(key, range, condition);
    }

    @Override
    public CompletableFuture<ObjectStat> head(String key) {
      return store.head(key);
    }

    @Override
    public CompletableFuture<ListPage> list(String prefix, String delimiter, String after) {
      return store.list(prefix, delimiter, after);
    }

    @Override
    public CompletableFuture<String> put(String key, ByteBuffer bytes, WriteCondition condition) {
      return store.put(key, bytes, condition);
    }

    @Override
    public CompletableFuture<String> copy(String source, String target, WriteCondition condition) {
      return store.copy(source, target, condition);
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
      store.close();
    }
  }
}
