package io.arraymorph.store;

/** Told of every request that is made again; called on threads of the store, must not block. */
@FunctionalInterface
public interface RetryListener {

  /** Does nothing. */
  RetryListener NONE = (key, failure) -> {};

  /**
   * A request is about to be made again.
   *
   * @param key the key of the object, or the prefix of a listing
   * @param failure why the attempt before failed
   */
  void retrying(String key, StoreException failure);
}
