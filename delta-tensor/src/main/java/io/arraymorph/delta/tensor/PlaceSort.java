package io.arraymorph.delta.tensor;

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
  private static final int DIGIT = 11;

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
    if (isAscending(places, count, 0)) {
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
    if (!isAscending(sorted, count, indexBits)) {
      sorted = sort(sorted, indexBits, indexBits + bits);
    }
    return unpacked(sorted, indexBits, isAscending(sorted, count, indexBits));
  }

  /**
   * The places that are not negative, and where they came from.
   *
   * @param from sorted by the bits from this one on, stably, and by all if that is not enough; left
   *     in their order if it is negative
   * @return null if places and their numbers need more than 63 bits together
   */
  static PlaceSort inside(long[] places, int bits, int from) {
    int indexBits = 32 - Integer.numberOfLeadingZeros(places.length);
    if (bits + indexBits > 63) {
      return null;
    }
    long[] packed = new long[places.length];
    int count = 0;
    long all = -1;
    long any = 0;
    for (int i = 0; i < places.length; i++) {
      long place = places[i];
      packed[count] = place << indexBits | i;
      count += place < 0 ? 0 : 1;
      all &= place | place >> 63;
      any |= place & ~(place >> 63);
    }
    long[] sorted = Arrays.copyOf(packed, count);
    if (from >= 0) {
      // Bits that all places share need no sorting.
      int top = 64 - Long.numberOfLeadingZeros(count == 0 ? 0 : all ^ any);
      sorted = sort(sorted, indexBits + from, indexBits + Math.max(from, top));
      if (!isAscending(sorted, count, indexBits)) {
        sorted = sort(sorted, indexBits, indexBits + bits);
      }
    }
    return unpacked(sorted, indexBits, true);
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

  static boolean isAscending(long[] numbers, int count, int shift) {
    for (int i = 1; i < count; i++) {
      if (numbers[i - 1] >>> shift >= numbers[i] >>> shift) {
        return false;
      }
    }
    return true;
  }

  /** Sorts stably by the bits {@code [from, to)}. */
  private static long[] sort(long[] numbers, int from, int to) {
    long[] current = numbers;
    long[] next = new long[numbers.length];
    int passes = (to - from + DIGIT - 1) / DIGIT;
    for (int p = 0; p < passes; p++) {
      int low = from + (int) ((long) (to - from) * p / passes);
      int high = from + (int) ((long) (to - from) * (p + 1) / passes);
      int mask = (1 << (high - low)) - 1;
      int[] starts = new int[mask + 2];
      for (long number : current) {
        starts[((int) (number >>> low) & mask) + 1]++;
      }
      for (int b = 0; b <= mask; b++) {
        starts[b + 1] += starts[b];
      }
      for (long number : current) {
        next[starts[(int) (number >>> low) & mask]++] = number;
      }
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
