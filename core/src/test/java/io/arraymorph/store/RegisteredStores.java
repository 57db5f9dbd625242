package io.arraymorph.store;

import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Gives stores of a test a URI, so that what takes only URIs (as Spark does) reaches them: recorded
 * ones to count requests, faulty ones to see errors.
 *
 * <pre>
 * RecordingObjectStore recording = new RecordingObjectStore(new LocalObjectStore(directory));
 * String uri = RegisteredStores.register(recording) + "/array.zarr";
 * </pre>
 */
public final class RegisteredStores implements ObjectStoreProvider {
  private static final String SCHEME = "registered";
  private static final Map<String, ObjectStore> STORES = new ConcurrentHashMap<>();

  /** Called by the service loader. */
  public RegisteredStores() {}

  /** Registers a store and returns the URI of its root. */
  public static String register(ObjectStore store) {
    synchronized (STORES) {
      String name = "store" + STORES.size();
      STORES.put(name, store);
      return SCHEME + "://" + name;
    }
  }

  @Override
  public boolean supports(String scheme) {
    return scheme.equals(SCHEME);
  }

  @Override
  public StorePath open(URI uri, StoreConfig config) {
    ObjectStore store = STORES.get(uri.getAuthority());
    if (store == null) {
      throw new IllegalArgumentException(uri + " is not registered");
    }
    return new StorePath(store, uri.getPath().replaceFirst("^/", ""));
  }
}
