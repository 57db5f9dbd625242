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
final class SortedPieces implements Pieces {
  private final PieceMaker maker;
  private final TensorLayout layout;
  private final Shape shape;
  private final long[][] columns;
  private final Elements inOrder;
  private final int[] cuts;

  SortedPieces(PieceMaker maker, StoredCells cells, int count) {
    this.maker = maker;
    this.layout = maker.layout();
    this.shape = maker.schema().shape();
    long[][] given = new long[cells.rank()][];
    Arrays.setAll(given, cells::column);
    SortedCells sorted = pieceOrder().sorted(given, count);
    this.columns = sorted.columns();
    this.inOrder = sorted.isUnchanged() ? cells.values() : cells.gather(sorted.order(), count);
    this.cuts = cuts(columns, count);
  }

  @Override
  public int count() {
    return cuts.length - 1;
  }

  @Override
  public int cells(int k) {
    return cuts[k + 1] - cuts[k];
  }

  @Override
  public Piece piece(int k, long number) {
    Elements own = ElementVectors.range(inOrder, cuts[k], cuts[k + 1]);
    return maker.piece(number, columns, cuts[k], cuts[k + 1], new PieceValues(own));
  }

  /** Where pieces begin, and at last where the last one ends. */
  private int[] cuts(long[][] columns, int count) {
    IntStream.Builder cuts = IntStream.builder();
    for (int from = 0; from < count; ) {
      cuts.add(from);
      from =
          layout.encoding().usesBlocks()
              ? blockEnd(columns, from, count)
              : runEnd(columns, from, count);
    }
    return cuts.add(count).build().toArray();
  }

  private CellOrder pieceOrder() {
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

  private int blockEnd(long[][] columns, int from, int count) {
    int to = from + 1;
    while (to < count && inBlockOf(columns, from, to)) {
      to++;
    }
    return to;
  }

  private boolean inBlockOf(long[][] columns, int from, int cell) {
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
  private int runEnd(long[][] columns, int from, int count) {
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
