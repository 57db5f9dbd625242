package io.arraymorph.optimizer.execute;

import io.arraymorph.array.Hyperslab;
import java.nio.ByteBuffer;

/**
 * Takes parts of a request that are still stored, and reads them into memory of its own: for parts
 * that lie on this machine as they are in memory. On the threads that decode, several at a time.
 */
@FunctionalInterface
public interface StoredSink {

  /** The bytes of one part, little-endian and in C order. Not thread-safe. */
  @FunctionalInterface
  interface StoredBytes {

    /** Fills a buffer with the bytes from {@code start} of the part on; blocks. */
    void read(long start, ByteBuffer target);
  }

  /**
   * Takes one part. Should it turn out later that the object was changed meanwhile, the request
   * fails.
   *
   * @param bytes to be read during this call only
   * @param at where its elements lie in the packed elements of the request
   */
  void accept(StoredBytes bytes, Hyperslab at);
}
