package io.arraymorph.store;

import java.nio.ByteBuffer;

/**
 * One version of an object of a store on this machine, whose bytes are read on the caller's thread
 * into the caller's memory. Not thread-safe.
 */
public interface OpenObject extends AutoCloseable {

  /** The length of the object. */
  long size();

  /** The version that is open. */
  String etag();

  /**
   * Fills a buffer with the bytes from {@code start} on; blocks.
   *
   * @throws StoreException RANGE_NOT_SATISFIABLE if the object ends before; PRECONDITION_FAILED if
   *     it was changed where it lies
   */
  void read(long start, ByteBuffer target);

  /**
   * Makes sure that what was read is this version; after the last read.
   *
   * @throws StoreException PRECONDITION_FAILED if the object has another version by now
   */
  void check();

  /** Frees what it takes to read. Idempotent; throws nothing. */
  @Override
  void close();
}
