package io.arraymorph.spark.read;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.OrthogonalSelection;
import java.util.ArrayList;
import java.util.List;

/**
 * The units of a grid that one product of the selection touches, numbered in C order, with the
 * number of selected cells below each.
 *
 * <p>Nothing is enumerated: both directions work on ranges. Immutable.
 */
final class TouchedUnits {
  private final ChunkGrid grid;
  private final IndexRanks[] units;
  private final IndexRanks[] cells;
  private final long count;

  TouchedUnits(ChunkGrid grid, OrthogonalSelection selection) {
    this.grid = grid;
    OrthogonalSelection touched = ChunkSelections.touched(grid, selection);
    this.units = new IndexRanks[selection.rank()];
    this.cells = new IndexRanks[selection.rank()];
    for (int d = 0; d < units.length; d++) {
      units[d] = new IndexRanks(touched.indices(d));
      cells[d] = new IndexRanks(selection.indices(d));
    }
    try {
      this.count = touched.elementCount();
    } catch (ArithmeticException e) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          "the query touches more than 2^63 chunks of an array of shape " + grid.arrayShape(),
          "Read a part of it with option slice or a predicate on a dimension",
          e);
    }
  }

  /** The number of units touched. */
  long count() {
    return count;
  }

  /**
   * The boxes of array indices that hold a run of units and no other touched unit: few, whatever
   * the length of the run.
   */
  List<Hyperslab> boxes(long from, long to) {
    List<Hyperslab> boxes = new ArrayList<>();
    if (from < to) {
      addBoxes(0, new long[units.length], from, to, boxes);
    }
    return boxes;
  }

  /**
   * @param prefix ranks along the dimensions before
   * @param from a number among the units with that prefix
   */
  private void addBoxes(int dimension, long[] prefix, long from, long to, List<Hyperslab> boxes) {
    if (dimension == units.length) {
      boxes.add(box(dimension, prefix, 0));
      return;
    }
    long inner = 1;
    for (int d = dimension + 1; d < units.length; d++) {
      inner *= units[d].count();
    }
    long first = from / inner;
    long last = to / inner;
    if (from % inner > 0 || first == last) {
      prefix[dimension] = first;
      addBoxes(dimension + 1, prefix, from % inner, first == last ? to % inner : inner, boxes);
      first++;
    }
    if (first < last) {
      prefix[dimension] = first;
      boxes.add(box(dimension, prefix, last - first));
    }
    if (to % inner > 0 && first <= last) {
      prefix[dimension] = last;
      addBoxes(dimension + 1, prefix, 0, to % inner, boxes);
    }
  }

  /** Units with a prefix, {@code count} ranks from that along a dimension, all along later ones. */
  private Hyperslab box(int dimension, long[] prefix, long count) {
    IndexRange[] box = new IndexRange[units.length];
    for (int d = 0; d < box.length; d++) {
      long low = d <= dimension ? prefix[d] : 0;
      long ranks = d < dimension ? 1 : d == dimension ? count : units[d].count();
      long first = units[d].at(low);
      long last = units[d].at(low + ranks - 1);
      box[d] =
          IndexRange.of(
              grid.chunkStart(d, first), grid.chunkStart(d, last) + grid.chunkLength(d, last));
    }
    return Hyperslab.of(box);
  }

  /** Where the unit with this number lies in the grid. */
  ChunkCoordinates unit(long number) {
    long[] at = new long[units.length];
    long rest = number;
    for (int d = at.length - 1; d >= 0; d--) {
      at[d] = units[d].at(rest % units[d].count());
      rest /= units[d].count();
    }
    return ChunkCoordinates.of(at);
  }

  /** The number of selected cells, as a double for it may exceed a long. */
  double cells() {
    return cellsFrom(0);
  }

  /** The product of the numbers of selected indices along dimension {@code from} and later ones. */
  private double cellsFrom(int from) {
    double product = 1;
    for (int d = from; d < cells.length; d++) {
      product *= cells[d].count();
    }
    return product;
  }

  /** The product of the numbers of touched units along dimension {@code from} and later ones. */
  private double unitsFrom(int from) {
    double product = 1;
    for (int d = from; d < units.length; d++) {
      product *= units[d].count();
    }
    return product;
  }

  /** The greatest number of leading units that together hold no more selected cells than this. */
  long unitsHolding(double wanted) {
    return unitsHolding(wanted, 0, 1);
  }

  /**
   * The greatest number of leading units that together weigh no more than this, but for rounding.
   *
   * @param perUnit weight of each unit, 0 or more
   * @param perCell weight of each selected cell, 0 or more
   */
  long unitsHolding(double wanted, double perUnit, double perCell) {
    if (wanted >= perUnit * count + perCell * cells()) {
      return count;
    }
    double cellWeight = perCell;
    long number = 0;
    double rest = wanted;
    for (int d = 0; d < units.length; d++) {
      double perIndex = cellWeight * cellsFrom(d + 1);
      double perLayer = perUnit * unitsFrom(d + 1);
      long low = 0;
      long high = units[d].count() - 1;
      while (low < high) {
        long middle = (low + high + 1) >>> 1;
        if (cellsBelow(d, middle) * perIndex + middle * perLayer <= rest) {
          low = middle;
        } else {
          high = middle - 1;
        }
      }
      number = number * units[d].count() + low;
      rest -= cellsBelow(d, low) * perIndex + low * perLayer;
      // Within this unit the later dimensions repeat once for each index of it.
      cellWeight *= cellsBelow(d, low + 1) - cellsBelow(d, low);
    }
    return number;
  }

  /** The number of selected indices along a dimension in its first {@code units} touched units. */
  private double cellsBelow(int dimension, long unitCount) {
    if (unitCount == 0) {
      return 0;
    }
    long unit = units[dimension].at(unitCount - 1);
    return cells[dimension].below(
        grid.chunkStart(dimension, unit) + grid.chunkLength(dimension, unit));
  }
}
