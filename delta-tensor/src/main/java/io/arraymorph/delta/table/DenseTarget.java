package io.arraymorph.delta.table;

/**
 * Takes the bytes of a dense array as they become known: any part at any time, by any number of
 * threads, none twice.
 */
@FunctionalInterface
public interface DenseTarget {
  /**
   * Puts some bytes.
   *
   * @param at where they stand in the array's C order
   * @param bytes holds them from {@code from} on; the caller may change it afterwards
   */
  void put(long at, byte[] bytes, int from, int length);
}
