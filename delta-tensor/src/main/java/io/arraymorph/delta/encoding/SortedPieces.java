package io.arraymorph.delta.encoding;

import io.arraymorph.array.Elements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.CellOrder;
import io.arraymorph.delta.tensor.ElementVectors;
import io.arraymorph.delta.tensor.SortedCells;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.delta.tensor.StoredCells;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The pieces of a tensor all cells of which are sorted at once: for chunks of FTSF, and for orders
 * that do not fit into a number.
 */
final class SortedPieces extends Pieces {
  private final PieceMaker maker;
  private final long[][] columns;
  private final Elements inOrder;

  private SortedPieces(PieceMaker maker, long[][] columns, Elements inOrder, int[] cuts) {
    super(cuts);
    this.maker = maker;
    this.columns = columns;
    this.inOrder = inOrder;
  }

  /** The pieces of {@code count} cells. */
  static SortedPieces of(PieceMaker maker, StoredCells cells, int count) {
    TensorLayout layout = maker.layout();
    Shape shape = maker.schema().shape();
    long[][] given = new long[cells.rank()][];
    Arrays.setAll(given, cells::column);
    SortedCells sorted = pieceOrder(layout, shape).sorted(given, count);
    Elements inOrder = sorted.isUnchanged() ? cells.values() : cells.gather(sorted.order(), count);
    return new SortedPieces(
        maker, sorted.columns(), inOrder, cuts(layout, shape, sorted.columns(), count));
  }

  @Override
  Piece piece(int from, int count, long number) {
    Elements own = ElementVectors.range(inOrder, from, from + count);
    return maker.piece(number, columns, from, from + count, new PieceValues(own));
  }

  /** Where pieces begin, and at last where the last one ends. */
  private static int[] cuts(TensorLayout layout, Shape shape, long[][] columns, int count) {
    IntStream.Builder cuts = IntStream.builder();
    for (int from = 0; from < count; ) {
      cuts.add(from);
      from =
          layout.encoding().usesBlocks()
              ? blockEnd(layout, shape, columns, from, count)
              : runEnd(layout, columns, from, count);
    }
    return cuts.add(count).build().toArray();
  }

  private static CellOrder pieceOrder(TensorLayout layout, Shape shape) {
    CellOrder order = new CellOrder();
    if (!layout.encoding().usesBlocks()) {
      return CellOrder.ofAxes(layout.axes(), shape.toArray());
    }
    for (int d = 0; d < shape.rank(); d++) {
      order.byBlock(d, shape.length(d), layout.block().length(d));
    }
    int[] inner =
        layout.encoding() == TensorEncoding.FTSF
            ? SparseTensor.naturalOrder(shape.rank())
            : layout.axes();
    for (int d : inner) {
      order.byPlace(d, layout.block().length(d));
    }
    return order;
  }

  private static int blockEnd(
      TensorLayout layout, Shape shape, long[][] columns, int from, int count) {
    int to = from + 1;
    while (to < count && inBlockOf(layout, shape, columns, from, to)) {
      to++;
    }
    return to;
  }

  private static boolean inBlockOf(
      TensorLayout layout, Shape shape, long[][] columns, int from, int cell) {
    for (int d = 0; d < columns.length; d++) {
      long block = layout.block().length(d);
      if (block < shape.length(d)) {
        long index = columns[d][cell];
        long start = columns[d][from] - columns[d][from] % block;
        if (index < start || index - start >= block) {
          return false;
        }
      }
    }
    return true;
  }

  /** A run ends at the limit, or before if the slowest axis changes in its second half. */
  private static int runEnd(TensorLayout layout, long[][] columns, int from, int count) {
    int limit = Math.min(count, from + layout.pieceCells());
    if (limit == count || columns.length == 0) {
      return limit;
    }
    int cut = Math.max(1, layout.compressedAxes());
    for (int to = limit; to > from + layout.pieceCells() / 2; to--) {
      for (int k = 0; k < cut; k++) {
        long[] column = columns[layout.axisOrder().get(k)];
        if (column[to] != column[to - 1]) {
          return to;
        }
      }
    }
    return limit;
  }
}
