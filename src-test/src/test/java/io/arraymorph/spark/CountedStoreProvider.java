package io.arraymorph.spark;

import io.arraymorph.store.ForwardingObjectStore;
import io.arraymorph.store.LocalObjectStore;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ObjectStoreProvider;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** URIs {@code counted://NAME/key}: a local directory whose requests are recorded. */
public final class CountedStoreProvider implements ObjectStoreProvider {
  private static final Map<String, RecordingObjectStore> STORES = new ConcurrentHashMap<>();

  /** The store of a name, over a directory. */
  public static RecordingObjectStore register(String name, Path directory) {
    RecordingObjectStore store =
        new RecordingObjectStore(new Named("counted://" + name, new LocalObjectStore(directory)));
    STORES.put(name, store);
    return store;
  }

  /** The store that was registered under a name. */
  public static RecordingObjectStore registered(String name) {
    return STORES.get(name);
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
  private static final class Named extends ForwardingObjectStore {
    private final String uri;

    Named(String uri, ObjectStore store) {
      super(store);
      this.uri = uri;
    }

    @Override
    public String uri() {
      return uri;
    }
  }
}
