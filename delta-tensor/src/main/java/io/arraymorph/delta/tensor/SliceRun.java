package io.arraymorph.delta.tensor;

import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;

/**
 * The cells of one piece that lie in a slice, on their way into its result. Made by {@link
 * SliceAssembly}, to which it is given back.
 */
public final class SliceRun {
  private final CellBuffer cells;

  /** The place of each cell, above the number that its value has among the values. */
  private final long[] packed;

  private final int indexBits;
  private final Elements values;
  private final int count;
  private final boolean isAscending;
  private final boolean isAsStored;

  /** Cells that have no places. */
  SliceRun(CellBuffer cells) {
    this(cells, new long[0], 0, null, cells.count(), false, false);
  }

  /** Cells by place, with their values in the same order; ascending ones are unique as well. */
  SliceRun(long[] places, int count, Elements values, boolean isAscending) {
    this(null, places, 0, values, count, isAscending, true);
  }

  /**
   * Cells by place.
   *
   * @param packed the places, each above {@code indexBits} bits with the number of its value
   * @param isAsStored true if the values are in the order of the cells
   */
  SliceRun(
      long[] packed,
      int indexBits,
      int count,
      Elements values,
      boolean isAscending,
      boolean isAsStored) {
    this(null, packed, indexBits, values, count, isAscending, isAsStored);
  }

  private SliceRun(
      CellBuffer cells,
      long[] packed,
      int indexBits,
      Elements values,
      int count,
      boolean isAscending,
      boolean isAsStored) {
    this.cells = cells;
    this.packed = packed;
    this.indexBits = indexBits;
    this.values = values;
    this.count = count;
    this.isAscending = isAscending;
    this.isAsStored = isAsStored;
  }

  CellBuffer cells() {
    return cells;
  }

  /** The places, each above {@link #indexBits()} other bits. */
  long[] packed() {
    return packed;
  }

  int indexBits() {
    return indexBits;
  }

  /** The values, of which {@link #element} says which is whose. */
  Elements values() {
    return values;
  }

  int count() {
    return count;
  }

  boolean isAscending() {
    return isAscending;
  }

  /** True if the values are in the order of the cells. */
  boolean isAsStored() {
    return isAsStored;
  }

  long place(int cell) {
    return packed[cell] >>> indexBits;
  }

  /** The number of a cell's value. */
  int element(int cell) {
    return isAsStored ? cell : (int) (packed[cell] & (1L << indexBits) - 1);
  }

  /** The least place of an ascending run that has cells. */
  long first() {
    return place(0);
  }

  long last() {
    return place(count - 1);
  }

  /** Copies the values, of one width, of the cells {@code [from, to)} to the element {@code at}. */
  void copyValues(int from, int to, byte[] into, int at) {
    FixedWidthElements fixed = (FixedWidthElements) values;
    int width = fixed.type().byteWidth();
    byte[] bytes = fixed.bytes();
    int offset = fixed.offset();
    if (isAsStored) {
      System.arraycopy(bytes, offset + from * width, into, at * width, (to - from) * width);
      return;
    }
    int mask = (int) ((1L << indexBits) - 1);
    int target = at * width;
    if (width == 8 || width == 4) {
      for (int i = from; i < to; i++, target += width) {
        IntegerElements.move(bytes, offset + ((int) packed[i] & mask) * width, into, target, width);
      }
      return;
    }
    for (int i = from; i < to; i++, target += width) {
      int start = offset + ((int) packed[i] & mask) * width;
      for (int b = 0; b < width; b++) {
        into[target + b] = bytes[start + b];
      }
    }
  }
}
