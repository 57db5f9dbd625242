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

  /** True if places of numbers can tell which cells of a box are in the slice. */
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
   * the slice. Each is put above its number among the cells, and in the place of the cell's number.
   *
   * @param numbers non-negative and less than the box's volume; ascending
   * @param count of the numbers
   * @param axes the order in which axes count, slowest first
   * @param indexBits how many bits the number among the cells takes; the place takes at most the
   *     others but one
   */
  void pack(long[] numbers, int count, Box box, int[] axes, int indexBits) {
    new BoxPlaces(this, box, axes).pack(numbers, count, indexBits);
  }

  int shift(int d) {
    return shifts[d];
  }

  /** True if a dimension has bits in a place. */
  boolean isKept(int d) {
    return widths[d] > 0;
  }

  /** By how much an index of a dimension is above its position in the result, times -1. */
  long start(int d) {
    return axis(d).start();
  }

  /** How many positions a dimension has. */
  long count(int d) {
    return axis(d).count();
  }

  /** The bits that differ between the places of a box's cells, one for each that may. */
  long varyingBits(Box box) {
    long bits = 0;
    for (int d = 0; d < box.rank(); d++) {
      if (box.extent(d) > 1 && widths[d] > 0) {
        bits |= ((1L << widths[d]) - 1) << shifts[d];
      }
    }
    return bits;
  }

  /** The coordinates of some cells of a run along a dimension of the tensor that the result has. */
  void column(int d, SliceRun run, int from, int to, long[] into, int at) {
    int shift = shifts[d] + run.indexBits();
    long mask = (1L << widths[d]) - 1;
    long[] packed = run.packed();
    for (int i = from; i < to; i++) {
      into[at + i - from] = packed[i] >>> shift & mask;
    }
  }

  /** As above, of a dimension of at most 31 bits. */
  void column(int d, SliceRun run, int from, int to, int[] into, int at) {
    int shift = shifts[d] + run.indexBits();
    int mask = (int) ((1L << widths[d]) - 1);
    long[] packed = run.packed();
    for (int i = from; i < to; i++) {
      into[at + i - from] = (int) (packed[i] >>> shift) & mask;
    }
  }

  /** The dimensions of the tensor that the result has. */
  int[] dimensions() {
    return java.util.stream.IntStream.range(0, shifts.length)
        .filter(d -> !slice.isSqueezed(d))
        .toArray();
  }
}
