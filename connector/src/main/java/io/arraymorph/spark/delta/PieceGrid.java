package io.arraymorph.spark.delta;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.IndexRegion;
import java.util.ArrayList;
import java.util.List;

/** Cuts an array into boxes of equal lengths, the first of them at 0. Immutable. */
final class PieceGrid {
  private static final int MOST_BOXES = 100_000;

  private final Shape lengths;

  /** Boxes of these lengths, all positive. */
  PieceGrid(Shape lengths) {
    this.lengths = lengths;
  }

  /** Boxes of a bounded number of cells, cut along the slowest dimensions. */
  static PieceGrid ofCells(Shape shape, long cells) {
    long[] lengths = new long[shape.rank()];
    long left = cells;
    for (int d = lengths.length - 1; d >= 0; d--) {
      lengths[d] = Math.max(1, Math.min(shape.length(d), left));
      left = Math.max(1, left / lengths[d]);
    }
    return new PieceGrid(Shape.of(lengths));
  }

  /** The parts of a region in the boxes that it meets, in row-major order of the boxes. */
  List<IndexRegion> cut(IndexRegion region, String what) {
    List<IndexRegion> parts = new ArrayList<>();
    if (!region.isEmpty()) {
      cut(region, new long[region.rank()], new long[region.rank()], 0, parts, what);
    }
    return parts;
  }

  private void cut(
      IndexRegion region, long[] low, long[] high, int d, List<IndexRegion> parts, String what) {
    if (d == low.length) {
      if (parts.size() == MOST_BOXES) {
        throw new ArrayMorphException(
            ErrorCode.TOO_LARGE,
            what + " in pieces of " + lengths + " are more than " + MOST_BOXES,
            "Use rows=cells with cells=stored, a larger piece, or a narrower predicate");
      }
      parts.add(region.clip(Box.of(low, high)));
      return;
    }
    long length = lengths.length(d);
    long next = region.first(d);
    while (next >= 0) {
      low[d] = next / length * length;
      high[d] = Math.min(region.last(d), low[d] + length - 1);
      cut(region, low, high, d + 1, parts, what);
      next = region.indices(d).ceiling(high[d] + 1);
    }
  }
}
