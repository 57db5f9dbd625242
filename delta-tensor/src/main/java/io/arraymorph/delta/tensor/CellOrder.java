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
    return sorted(coordinates, count).order();
  }

  /** {@code count} cells in this order, equal ones as they came. */
  public SortedCells sorted(long[][] coordinates, int count) {
    long range = 1;
    int fitting = 0;
    while (fitting < digits.size() && fits(range, digits.get(fitting).extent())) {
      range *= digits.get(fitting++).extent();
    }
    int bits = 64 - Long.numberOfLeadingZeros(range - 1);
    if (fitting == digits.size() && bits + 32 - Integer.numberOfLeadingZeros(count) <= 63) {
      PlaceSort places = PlaceSort.of(keys(coordinates, count), count, bits, 0);
      int[] order = places.order();
      if (order == null) {
        order = identity(count);
      }
      return new SortedCells(
          order, columns(places.places(), coordinates.length), places.isUnique());
    }
    return sortedByParts(coordinates, count);
  }

  private static int[] identity(int count) {
    int[] identity = new int[count];
    for (int i = 0; i < count; i++) {
      identity[i] = i;
    }
    return identity;
  }

  /** The keys of all digits of cells as they came. */
  private long[] keys(long[][] coordinates, int count) {
    long[] keys = new long[count];
    for (Digit digit : digits) {
      long[] column = coordinates[digit.dimension()];
      long extent = digit.extent();
      if (digit.divisor() == 1 && digit.modulus() == Long.MAX_VALUE) {
        for (int i = 0; i < count; i++) {
          keys[i] = keys[i] * extent + column[i];
        }
      } else if (digit.divisor() > 1) {
        for (int i = 0; i < count; i++) {
          keys[i] = keys[i] * extent + quotient(column[i], digit.divisor());
        }
      } else if (digit.modulus() > 1) {
        for (int i = 0; i < count; i++) {
          long index = column[i];
          keys[i] = keys[i] * extent + index - quotient(index, digit.modulus()) * digit.modulus();
        }
      }
    }
    return keys;
  }

  /** As {@link #sorted}, by several keys, the last first, for orders that do not fit into one. */
  private SortedCells sortedByParts(long[][] coordinates, int count) {
    int[] permutation = new int[count];
    for (int i = 0; i < count; i++) {
      permutation[i] = i;
    }
    int last = digits.size();
    long[] keys = new long[count];
    while (last > 0) {
      int first = last;
      long range = 1;
      while (first > 0 && fits(range, digits.get(first - 1).extent())) {
        range *= digits.get(--first).extent();
      }
      keys = keys(coordinates, permutation, first, last);
      Pass pass = sortByKey(keys, permutation, range - 1);
      permutation = pass.order();
      keys = pass.keys();
      if (first == 0 && last == digits.size() && last > 0) {
        return new SortedCells(permutation, columns(keys, coordinates.length), isUnique(keys));
      }
      last = first;
    }
    long[][] columns = gathered(coordinates, permutation);
    return new SortedCells(permutation, columns, isUnique(columns, count));
  }

  private static boolean isUnique(long[] keys) {
    for (int i = 1; i < keys.length; i++) {
      if (keys[i - 1] == keys[i]) {
        return false;
      }
    }
    return true;
  }

  private static boolean isUnique(long[][] columns, int count) {
    for (int i = 1; i < count; i++) {
      boolean same = true;
      for (long[] column : columns) {
        same &= column[i - 1] == column[i];
      }
      if (same) {
        return false;
      }
    }
    return true;
  }

  private static long[][] gathered(long[][] coordinates, int[] permutation) {
    long[][] columns = new long[coordinates.length][permutation.length];
    for (int d = 0; d < columns.length; d++) {
      long[] from = coordinates[d];
      long[] to = columns[d];
      for (int i = 0; i < to.length; i++) {
        to[i] = from[permutation[i]];
      }
    }
    return columns;
  }

  /** The coordinates that keys of all digits stand for: cheaper than to gather them. */
  private long[][] columns(long[] keys, int rank) {
    long[][] columns = new long[rank][keys.length];
    long[] rest = keys;
    for (int k = digits.size() - 1; k >= 0; k--) {
      Digit digit = digits.get(k);
      long extent = digit.extent();
      long scale = digit.divisor();
      long[] column = columns[digit.dimension()];
      if (extent == 1) {
        continue;
      }
      if (k == 0) {
        for (int i = 0; i < rest.length; i++) {
          column[i] += rest[i] * scale;
        }
        break;
      }
      for (int i = 0; i < rest.length; i++) {
        long key = rest[i];
        long above = quotient(key, extent);
        column[i] += (key - above * extent) * scale;
        rest[i] = above;
      }
    }
    return columns;
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
  static long quotient(long index, long divisor) {
    return (index | divisor) >>> 31 == 0 ? (int) index / (int) divisor : index / divisor;
  }

  @SuppressWarnings("ArrayRecordComponent") // Lives for one call.
  private record Pass(long[] keys, int[] order) {}

  private static Pass sortByKey(long[] keys, int[] permutation, long maxKey) {
    if (isSorted(keys)) {
      return new Pass(keys, permutation);
    }
    int bits = 64 - Long.numberOfLeadingZeros(maxKey);
    int n = keys.length;
    int[] order = permutation;
    int[] nextOrder = new int[n];
    long[] current = keys;
    long[] next = new long[n];
    int passes = (bits + 10) / 11;
    int digit = (bits + passes - 1) / passes;
    int mask = (1 << digit) - 1;
    int[][] starts = new int[passes][mask + 2];
    for (long key : keys) {
      for (int p = 0; p < passes; p++) {
        starts[p][(int) ((key >>> (p * digit)) & mask) + 1]++;
      }
    }
    for (int p = 0; p < passes; p++) {
      int[] start = starts[p];
      int shift = p * digit;
      if (start[(int) (keys[0] >>> shift & mask) + 1] == n) {
        continue; // All keys agree in these bits.
      }
      for (int b = 0; b <= mask; b++) {
        start[b + 1] += start[b];
      }
      for (int i = 0; i < n; i++) {
        long key = current[i];
        int at = start[(int) (key >>> shift & mask)]++;
        next[at] = key;
        nextOrder[at] = order[i];
      }
      long[] keySwap = current;
      current = next;
      next = keySwap;
      int[] orderSwap = order;
      order = nextOrder;
      nextOrder = orderSwap;
    }
    return new Pass(current, order);
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
