package io.arraymorph.store;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * Opens URIs and paths: local ones directly, others through the {@link ObjectStoreProvider} that
 * supports their scheme.
 *
 * <p>Stores are shared by everybody in this process who opens the same root with the same settings,
 * and stay open; closing them does nothing. An idle store holds no threads and no connections. The
 * {@value #MOST_STORES} used last are remembered; a forgotten one still works for those who have
 * it.
 */
public final class ObjectStores {
  private static final int MOST_STORES = 64;

  private static final Map<Root, ObjectStore> STORES =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Root, ObjectStore> eldest) {
          return size() > MOST_STORES;
        }
      };

  private record Root(String uri, StoreConfig config) {}

  private ObjectStores() {}

  /**
   * The path of a URI or plain path in its store; no request is made.
   *
   * @param uriOrPath as {@code s3a://bucket/dir/array.zarr}, {@code file:/dir/array.zarr} or {@code
   *     dir/array.zarr}; never percent-decoded
   * @throws ArrayMorphException INVALID_URI for a malformed URI, an unknown scheme, or a URI that
   *     carries credentials
   */
  public static StorePath open(String uriOrPath, StoreConfig config) {
    StoreUri uri = StoreUri.parse(uriOrPath);
    boolean local = uri.scheme().equals("file");
    Root root = new Root(uri.root(), local ? StoreConfig.empty() : config);
    synchronized (STORES) {
      ObjectStore store = STORES.get(root);
      if (store == null) {
        store =
            new SharedObjectStore(
                local ? new LocalObjectStore(Path.of("/")) : openRoot(uri, config));
        STORES.put(root, store);
      }
      return new StorePath(store, uri.key());
    }
  }

  private static ObjectStore openRoot(StoreUri uri, StoreConfig config) {
    try {
      URI root = new URI(uri.scheme(), uri.authority(), null, null, null);
      for (ObjectStoreProvider provider :
          ServiceLoader.load(ObjectStoreProvider.class, ObjectStores.class.getClassLoader())) {
        if (provider.supports(uri.scheme())) {
          return provider.open(root, config).store();
        }
      }
    } catch (URISyntaxException e) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_URI, "'" + uri.root() + "' is not a URI", "Correct the URI", e);
    } catch (ServiceConfigurationError e) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_URI,
          "The object stores on the class path cannot be loaded: " + e.getMessage(),
          "Use one complete arraymorph jar",
          e);
    }
    throw new ArrayMorphException(
        ErrorCode.INVALID_URI,
        "No object store for scheme '" + uri.scheme() + "' of '" + uri.root() + "'",
        "Use s3a://, s3://, abfss://, gs://, file: or a plain path, with the complete arraymorph"
            + " jar on the class path");
  }
}
