package io.arraymorph.store;

class MemoryObjectStoreTest extends ObjectStoreContract {
  private final MemoryObjectStore memory = new MemoryObjectStore("test");

  @Override
  protected ObjectStore open() {
    return memory;
  }

  /** A view that outlives the closing of the second one. */
  @Override
  protected ObjectStore reopen() {
    return new SharedObjectStore(memory);
  }
}
