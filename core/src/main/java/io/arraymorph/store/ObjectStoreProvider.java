package io.arraymorph.store;

import java.net.URI;

/**
 * Opens object stores for some URI schemes; found by {@link java.util.ServiceLoader}.
 *
 * <p>Implementations load their SDK only in {@link #open}.
 */
public interface ObjectStoreProvider {

  /** True if this provider opens URIs with that scheme, as {@code s3a}. */
  boolean supports(String scheme);

  /**
   * Opens the store that holds a URI.
   *
   * @param uri of an object or prefix in the store
   * @param config settings of the session
   * @return the store with the path of {@code uri} in it; the caller closes the store
   */
  StorePath open(URI uri, StoreConfig config);
}
