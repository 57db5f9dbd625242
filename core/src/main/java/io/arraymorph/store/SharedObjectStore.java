package io.arraymorph.store;

import java.util.Optional;

/** A store that many users share: closing it does nothing. */
final class SharedObjectStore extends ForwardingObjectStore {

  SharedObjectStore(ObjectStore store) {
    super(store);
  }

  @Override
  public ObjectStore reportingRetriesTo(RetryListener listener) {
    return new SharedObjectStore(store().reportingRetriesTo(listener));
  }

  @Override
  public Optional<ObjectOpener> opener() {
    return store().opener();
  }

  @Override
  public void close() {
    // Others use the store; idle threads and connections end by themselves.
  }
}
