package io.arraymorph.store;

/** What a store has that lies on this machine: objects can be read without memory between. */
@FunctionalInterface
public interface ObjectOpener {

  /**
   * Opens an object; blocks. The caller closes it.
   *
   * @throws StoreException NOT_FOUND, DENIED, or PRECONDITION_FAILED if its ETag differs
   */
  OpenObject open(String key, ReadCondition condition);
}
