package io.arraymorph.delta.tensor;

import java.util.Optional;

/**
 * The places of a slice's cells: one number each, the bits of its coordinates in the result side by
 * side, the first dimension's uppermost. Immutable.
 *
 * <p>Only for slices that take each index once and by a constant step, and whose coordinates fit
 * into 63 bits.
 */
final class ResultPlaces {
  private final TensorSlice slice;

  /** By how many bits each coordinate is shifted. */
  private final int[] shifts;

  /** How many bits each coordinate has; none if it can only be 0. */
  private final int[] widths;

  private ResultPlaces(TensorSlice slice, int[] shifts, int[] widths) {
    this.slice = slice;
    this.shifts = shifts;
    this.widths = widths;
  }

  /** The places of a slice, empty if they do not do for it. */
  static Optional<ResultPlaces> of(TensorSlice slice) {
    int[] widths = new int[slice.rank()];
    int[] shifts = new int[slice.rank()];
    int bits = 0;
    for (int d = widths.length - 1; d >= 0; d--) {
      if (!(slice.axes().get(d) instanceof AxisSlice.Steps)) {
        return Optional.empty();
      }
      long count = slice.isSqueezed(d) ? 0 : slice.axes().get(d).count();
      widths[d] = count <= 1 ? 0 : 64 - Long.numberOfLeadingZeros(count - 1);
      shifts[d] = bits;
      bits += widths[d];
      if (bits > 63) {
        return Optional.empty();
      }
    }
    return Optional.of(new ResultPlaces(slice, shifts, widths));
  }

  /** The bits of a place. */
  int bits() {
    return widths.length == 0 ? 0 : shifts[0] + widths[0];
  }

  /** The bits of a place that are the coordinates of the dimensions from {@code d} on. */
  int bitsFrom(int d) {
    return d == widths.length ? 0 : shifts[d] + widths[d];
  }

  private AxisSlice.Steps axis(int d) {
    return (AxisSlice.Steps) slice.axes().get(d);
  }

  /** The places of cells, all in the slice, in indices of the whole tensor. */
  long[] of(CellBuffer cells) {
    int n = cells.count();
    long[] places = new long[n];
    for (int d = 0; d < shifts.length; d++) {
      if (widths[d] == 0) {
        continue;
      }
      int shift = shifts[d];
      long start = axis(d).start();
      long step = axis(d).step();
      long[] column = cells.column(d);
      if (step == 1) {
        for (int i = 0; i < n; i++) {
          places[i] |= (column[i] - start) << shift;
        }
      } else {
        for (int i = 0; i < n; i++) {
          places[i] |= ((column[i] - start) / step) << shift;
        }
      }
    }
    return places;
  }

  /** True if {@link #of(long[], Box, int[])} can tell which cells of a box are in the slice. */
  boolean takesNumbers(Box box) {
    for (int d = 0; d < box.rank(); d++) {
      if (axis(d).step() != 1 && axis(d).count() > 1) {
        return false;
      }
    }
    return true;
  }

  /**
   * The places of cells that are given by number over the axes of a box, negative for those outside
   * the slice.
   *
   * @param numbers non-negative and less than the box's volume; used up
   * @param axes the order in which axes count, slowest first
   */
  long[] of(long[] numbers, Box box, int[] axes) {
    long[] places = new long[numbers.length];
    int top = 0;
    while (top < axes.length && box.extent(axes[top]) == 1) {
      top++;
    }
    for (int k = axes.length - 1; k >= 0; k--) {
      int d = axes[k];
      long extent = box.extent(d);
      long offset = box.low(d) - axis(d).start();
      long last = axis(d).count() - 1;
      boolean inside = offset >= 0 && offset + extent - 1 <= last;
      if (extent > 1) {
        add(numbers, places, k == top ? 0 : extent, offset, inside ? Long.MAX_VALUE : last, d);
      } else if (!inside) {
        java.util.Arrays.fill(places, Long.MIN_VALUE);
      } else if (offset != 0 && widths[d] > 0) {
        long bits = offset << shifts[d];
        for (int i = 0; i < places.length; i++) {
          places[i] |= bits;
        }
      }
    }
    return places;
  }

  /** Adds one axis; takes it off the numbers unless it is the last, for which extent is 0. */
  private void add(long[] numbers, long[] places, long extent, long offset, long last, int d) {
    int shift = shifts[d];
    long kept = widths[d] == 0 ? 0 : -1;
    if (extent == 0) {
      for (int i = 0; i < places.length; i++) {
        long index = numbers[i] + offset;
        places[i] |= ((index & kept) << shift) | ((index | (last - index)) & Long.MIN_VALUE);
      }
      return;
    }
    Reciprocal by = new Reciprocal(extent, numbers.length == 0 ? 0 : numbers[numbers.length - 1]);
    if (by.isExact()) {
      long factor = by.factor();
      for (int i = 0; i < places.length; i++) {
        long number = numbers[i];
        long above = Math.multiplyHigh(number << 1, factor);
        long index = number - above * extent + offset;
        numbers[i] = above;
        places[i] |= ((index & kept) << shift) | ((index | (last - index)) & Long.MIN_VALUE);
      }
      return;
    }
    for (int i = 0; i < places.length; i++) {
      long number = numbers[i];
      long above = number / extent;
      long index = number - above * extent + offset;
      numbers[i] = above;
      places[i] |= ((index & kept) << shift) | ((index | (last - index)) & Long.MIN_VALUE);
    }
  }

  /** The coordinates of places along a dimension of the tensor that the result has. */
  void column(int d, long[] places, int from, int to, long[] into, int at) {
    int shift = shifts[d];
    long mask = (1L << widths[d]) - 1;
    for (int i = from; i < to; i++) {
      into[at + i - from] = places[i] >>> shift & mask;
    }
  }

  /** The dimensions of the tensor that the result has. */
  int[] dimensions() {
    return java.util.stream.IntStream.range(0, shifts.length)
        .filter(d -> !slice.isSqueezed(d))
        .toArray();
  }
}
