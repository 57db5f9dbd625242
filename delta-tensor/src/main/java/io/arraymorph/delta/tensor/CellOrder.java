package io.arraymorph.delta.tensor;

import java.util.ArrayList;
import java.util.List;

/**
 * Orders cells by a list of digits, most significant first: a coordinate, a coordinate divided by a
 * block length, or the rest of that division.
 *
 * <p>Sorting is stable and takes linear time: digits are packed into as few 63-bit keys as they
 * fit, and each key is sorted by 11 bits at a time, least significant first.
 */
public final class CellOrder {

  private record Digit(int dimension, long divisor, long modulus, long extent) {}

  private final List<Digit> digits = new ArrayList<>();

  /** Continues the order with the coordinate itself. */
  public CellOrder by(int dimension, long length) {
    digits.add(new Digit(dimension, 1, Long.MAX_VALUE, Math.max(1, length)));
    return this;
  }

  /** Continues the order with the index of the block that holds the coordinate. */
  public CellOrder byBlock(int dimension, long length, long block) {
    digits.add(new Digit(dimension, block, Long.MAX_VALUE, Math.max(1, (length - 1) / block + 1)));
    return this;
  }

  /** Continues the order with the place of the coordinate in its block. */
  public CellOrder byPlace(int dimension, long block) {
    digits.add(new Digit(dimension, 1, block, block));
    return this;
  }

  /** Row-major order of a shape, with the axes taken in this order. */
  public static CellOrder ofAxes(int[] axisOrder, long[] shape) {
    CellOrder order = new CellOrder();
    for (int d : axisOrder) {
      order.by(d, shape[d]);
    }
    return order;
  }

  /** The order of {@code count} cells: {@code result[i]} is the index of the i-th cell. */
  public int[] sort(long[][] coordinates, int count) {
    int[] permutation = new int[count];
    for (int i = 0; i < count; i++) {
      permutation[i] = i;
    }
    int last = digits.size();
    while (last > 0) {
      int first = last;
      long range = 1;
      while (first > 0 && fits(range, digits.get(first - 1).extent())) {
        range *= digits.get(--first).extent();
      }
      permutation = sortByKey(keys(coordinates, permutation, first, last), permutation, range - 1);
      last = first;
    }
    return permutation;
  }

  private static boolean fits(long range, long extent) {
    return Math.multiplyHigh(range, extent) == 0 && range * extent > 0;
  }

  private long[] keys(long[][] coordinates, int[] permutation, int first, int last) {
    long[] keys = new long[permutation.length];
    for (Digit digit : digits.subList(first, last)) {
      long[] column = coordinates[digit.dimension()];
      long extent = digit.extent();
      if (digit.divisor() == 1 && digit.modulus() == Long.MAX_VALUE) {
        for (int i = 0; i < keys.length; i++) {
          keys[i] = keys[i] * extent + column[permutation[i]];
        }
      } else if (digit.divisor() > 1) {
        for (int i = 0; i < keys.length; i++) {
          keys[i] = keys[i] * extent + quotient(column[permutation[i]], digit.divisor());
        }
      } else {
        for (int i = 0; i < keys.length; i++) {
          long index = column[permutation[i]];
          keys[i] = keys[i] * extent + index - quotient(index, digit.modulus()) * digit.modulus();
        }
      }
    }
    return keys;
  }

  /** Division of non-negative numbers, in 32 bits where they fit: several times faster. */
  private static long quotient(long index, long divisor) {
    return (index | divisor) >>> 31 == 0 ? (int) index / (int) divisor : index / divisor;
  }

  private static int[] sortByKey(long[] keys, int[] permutation, long maxKey) {
    if (isSorted(keys)) {
      return permutation;
    }
    int bits = 64 - Long.numberOfLeadingZeros(maxKey);
    int n = keys.length;
    int[] order = permutation;
    int[] nextOrder = new int[n];
    long[] current = keys;
    long[] next = new long[n];
    for (int shift = 0; shift < bits; shift += 11) {
      int[] starts = new int[2049];
      for (long key : current) {
        starts[(int) (key >>> shift & 2047) + 1]++;
      }
      for (int b = 0; b < 2048; b++) {
        starts[b + 1] += starts[b];
      }
      for (int i = 0; i < n; i++) {
        int at = starts[(int) (current[i] >>> shift & 2047)]++;
        next[at] = current[i];
        nextOrder[at] = order[i];
      }
      long[] keySwap = current;
      current = next;
      next = keySwap;
      int[] orderSwap = order;
      order = nextOrder;
      nextOrder = orderSwap;
    }
    return order;
  }

  private static boolean isSorted(long[] keys) {
    for (int i = 1; i < keys.length; i++) {
      if (keys[i - 1] > keys[i]) {
        return false;
      }
    }
    return true;
  }
}
