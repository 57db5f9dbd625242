package io.arraymorph.delta.tensor;

import io.arraymorph.array.Elements;
import java.util.Arrays;

/**
 * Sorts places, numbers whose bits are the coordinates of a cell, together with where each came
 * from: both in one 63-bit number, so that a pass moves one array.
 *
 * <p>Pieces hold their cells sorted by some order of the axes. Cells that agree in all axes but the
 * last are then ascending along it already, and sorting stably by the other axes is enough; where
 * it was not, for pieces in another order, all bits are sorted.
 */
final class PlaceSort {
  private final long[] places;
  private final int[] order;
  private final boolean unique;

  private PlaceSort(long[] places, int[] order, boolean unique) {
    this.places = places;
    this.order = order;
    this.unique = unique;
  }

  /**
   * The first {@code count} places in ascending order.
   *
   * @param bits how many bits a place has
   * @param lastBits how many of them are the last axis
   * @return null if places and their numbers need more than 63 bits together
   */
  static PlaceSort of(long[] places, int count, int bits, int lastBits) {
    if (PackedSort.isAscending(places, count, 0)) {
      return new PlaceSort(Arrays.copyOf(places, count), null, true);
    }
    int indexBits = 32 - Integer.numberOfLeadingZeros(count);
    if (bits + indexBits > 63) {
      return null;
    }
    long[] packed = new long[count];
    for (int i = 0; i < count; i++) {
      packed[i] = places[i] << indexBits | i;
    }
    long[] sorted = sort(packed, indexBits + lastBits, indexBits + bits);
    if (!PackedSort.isAscending(sorted, count, indexBits)) {
      sorted = sort(sorted, indexBits, indexBits + bits);
    }
    return unpacked(sorted, indexBits, PackedSort.isAscending(sorted, count, indexBits));
  }

  /**
   * The cells of a piece in the order of their places, from packed places.
   *
   * @param packed places above {@code indexBits} bits with the number of the cell, negative for
   *     cells that are not wanted; used up
   * @param clipped false if all are wanted
   * @param from sorted by the bits from this one on, stably, and by all if that is not enough; left
   *     in their order if it is negative
   * @param varying the bits in which places may differ
   */
  static SliceRun run(
      long[] packed,
      int count,
      boolean clipped,
      int indexBits,
      int from,
      long varying,
      Elements values) {
    int n = clipped ? compact(packed, count) : count;
    if (PackedSort.isAscending(packed, n, indexBits)) {
      return new SliceRun(Arrays.copyOf(packed, n), indexBits, n, values, true, n == count);
    }
    if (from < 0) {
      return new SliceRun(Arrays.copyOf(packed, n), indexBits, n, values, false, false);
    }
    long wanted = varying >>> from << from;
    int low = indexBits + Long.numberOfTrailingZeros(wanted);
    int high = indexBits + 64 - Long.numberOfLeadingZeros(wanted);
    long[] own = wanted == 0 ? Arrays.copyOf(packed, n) : PackedSort.sorted(packed, n, low, high);
    boolean ascending = PackedSort.isAscending(own, n, indexBits);
    if (!ascending) {
      own = sort(own, indexBits, indexBits + 64 - Long.numberOfLeadingZeros(varying));
      ascending = PackedSort.isAscending(own, n, indexBits);
    }
    return new SliceRun(own, indexBits, n, values, ascending, false);
  }

  /** Moves what is not negative to the front; how many these are. */
  private static int compact(long[] packed, int count) {
    int n = 0;
    for (int i = 0; i < count; i++) {
      long one = packed[i];
      packed[n] = one;
      n += one < 0 ? 0 : 1;
    }
    return n;
  }

  private static PlaceSort unpacked(long[] sorted, int indexBits, boolean unique) {
    int[] order = new int[sorted.length];
    int mask = (int) ((1L << indexBits) - 1);
    for (int i = 0; i < order.length; i++) {
      order[i] = (int) sorted[i] & mask;
      sorted[i] >>>= indexBits;
    }
    return new PlaceSort(sorted, order, unique);
  }

  /** Sorts stably by the bits {@code [from, to)}. */
  private static long[] sort(long[] numbers, int from, int to) {
    long[] current = numbers;
    long[] next = new long[numbers.length];
    int passes = (to - from + PackedSort.DIGIT - 1) / PackedSort.DIGIT;
    for (int p = 0; p < passes; p++) {
      int low = from + (int) ((long) (to - from) * p / passes);
      int high = from + (int) ((long) (to - from) * (p + 1) / passes);
      PackedSort.pass(current, next, numbers.length, low, high);
      long[] swap = current;
      current = next;
      next = swap;
    }
    return current;
  }

  /** The places, ascending. */
  long[] places() {
    return places;
  }

  /** Where each place came from; null if they were in order. */
  int[] order() {
    return order;
  }

  /** True if no place is there twice. */
  boolean isUnique() {
    return unique;
  }
}
