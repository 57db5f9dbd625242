package io.arraymorph.store;

/**
 * A key or prefix in an object store.
 *
 * @param store the store
 * @param key relative to the store's root, without leading or trailing slash; empty for the root
 */
public record StorePath(ObjectStore store, String key) {

  /** The path of a child: {@code key/name}, where name may itself have several segments. */
  public StorePath resolve(String name) {
    return new StorePath(store, key.isEmpty() ? name : key + "/" + name);
  }

  /** The last segment of the key; empty for the root. */
  public String name() {
    return key.substring(key.lastIndexOf('/') + 1);
  }

  /** The URI of the store that this is a path of. */
  public String storeUri() {
    return store.uri();
  }

  /** The URI as users write it, without credentials. */
  @Override
  public String toString() {
    return key.isEmpty() ? store.uri() : store.uri() + "/" + key;
  }
}
