package io.arraymorph.delta.tensor;

import io.arraymorph.array.Elements;

/**
 * The cells of one piece that lie in a slice, on their way into its result. Made by {@link
 * SliceAssembly}, to which it is given back.
 */
public final class SliceRun {
  private final CellBuffer cells;
  private final long[] places;
  private final Elements values;
  private final int count;
  private final boolean isAscending;

  /** Cells that have no places. */
  SliceRun(CellBuffer cells) {
    this(cells, new long[0], null, cells.count(), false);
  }

  /** Cells by place; ascending ones are unique as well. */
  SliceRun(long[] places, int count, Elements values, boolean isAscending) {
    this(null, places, values, count, isAscending);
  }

  private SliceRun(
      CellBuffer cells, long[] places, Elements values, int count, boolean isAscending) {
    this.cells = cells;
    this.places = places;
    this.values = values;
    this.count = count;
    this.isAscending = isAscending;
  }

  CellBuffer cells() {
    return cells;
  }

  long[] places() {
    return places;
  }

  Elements values() {
    return values;
  }

  int count() {
    return count;
  }

  boolean isAscending() {
    return isAscending;
  }

  /** The least place of an ascending run that has cells. */
  long first() {
    return places[0];
  }

  long last() {
    return places[count - 1];
  }
}
