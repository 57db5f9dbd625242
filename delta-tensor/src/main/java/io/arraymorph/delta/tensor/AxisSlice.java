package io.arraymorph.delta.tensor;

import java.util.Arrays;

/**
 * The indices that a slice takes along one dimension, in the order in which it takes them: position
 * {@code p} of the result is index {@link #index}{@code (p)} of the tensor.
 *
 * <p>Immutable. Indices may descend, and a list may repeat them, as in numpy.
 */
public sealed interface AxisSlice {

  /** The number of positions. */
  long count();

  /** The index at a position. */
  long index(long position);

  /** The least index; the slice must not be empty. */
  long first();

  /** The greatest index; the slice must not be empty. */
  long last();

  /** True if some index of {@code [low, high]} is taken. */
  boolean containsAny(long low, long high);

  /** True if every index of {@code [low, high]} is taken. */
  boolean containsAll(long low, long high);

  /** The number of positions that take {@code index}: 0, 1, or more in a list with repeats. */
  int occurrences(long index);

  /** The {@code nth} position (from 0) that takes {@code index}. */
  long position(long index, int nth);

  /** True if positions ascend with indices and no index is taken twice. */
  boolean isAscending();

  /** Indices {@code start, start + step, ..}; the step may be negative. */
  record Steps(long start, long step, long count) implements AxisSlice {
    @Override
    public long index(long position) {
      return start + position * step;
    }

    @Override
    public long first() {
      return step > 0 ? start : index(count - 1);
    }

    @Override
    public long last() {
      return step > 0 ? index(count - 1) : start;
    }

    @Override
    public boolean containsAny(long low, long high) {
      if (count == 0 || high < first() || low > last()) {
        return false;
      }
      long from = Math.max(low, first());
      long stride = Math.abs(step);
      long up = first() + (from - first() + stride - 1) / stride * stride;
      return up <= Math.min(high, last());
    }

    @Override
    public boolean containsAll(long low, long high) {
      return count > 0
          && low >= first()
          && high <= last()
          && (low == high ? occurrences(low) == 1 : Math.abs(step) == 1);
    }

    @Override
    public int occurrences(long index) {
      return count > 0 && index >= first() && index <= last() && (index - start) % step == 0
          ? 1
          : 0;
    }

    @Override
    public long position(long index, int nth) {
      return (index - start) / step;
    }

    @Override
    public boolean isAscending() {
      return step > 0 || count <= 1;
    }
  }

  /** A list of indices, in any order and with repeats. */
  final class Listed implements AxisSlice {
    private final long[] indices;
    private final long[] sorted;
    private final int[] positions;

    /** The list, copied. */
    public Listed(long... indices) {
      this.indices = indices.clone();
      int[] order =
          new CellOrder().by(0, Long.MAX_VALUE).sort(new long[][] {indices}, indices.length);
      this.positions = order;
      this.sorted = Arrays.stream(order).mapToLong(i -> indices[i]).toArray();
    }

    @Override
    public long count() {
      return indices.length;
    }

    @Override
    public long index(long position) {
      return indices[(int) position];
    }

    @Override
    public long first() {
      return sorted[0];
    }

    @Override
    public long last() {
      return sorted[sorted.length - 1];
    }

    private int lowerBound(long index) {
      int low = 0;
      int high = sorted.length;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (sorted[middle] < index) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    @Override
    public boolean containsAny(long low, long high) {
      int at = lowerBound(low);
      return at < sorted.length && sorted[at] <= high;
    }

    @Override
    public boolean containsAll(long low, long high) {
      int at = lowerBound(low);
      for (long index = low; index <= high; index++) {
        while (at < sorted.length && sorted[at] < index) {
          at++;
        }
        if (at == sorted.length || sorted[at] != index) {
          return false;
        }
      }
      return true;
    }

    @Override
    public int occurrences(long index) {
      int from = lowerBound(index);
      int to = from;
      while (to < sorted.length && sorted[to] == index) {
        to++;
      }
      return to - from;
    }

    @Override
    public long position(long index, int nth) {
      return positions[lowerBound(index) + nth];
    }

    @Override
    public boolean isAscending() {
      for (int i = 1; i < indices.length; i++) {
        if (indices[i - 1] >= indices[i]) {
          return false;
        }
      }
      return true;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Listed && Arrays.equals(indices, ((Listed) other).indices);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(indices);
    }

    @Override
    public String toString() {
      return Arrays.toString(indices);
    }
  }
}
