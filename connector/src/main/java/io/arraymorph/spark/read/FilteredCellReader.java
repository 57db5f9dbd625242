package io.arraymorph.spark.read;

import io.arraymorph.layout.column.DecodedColumn;
import java.util.Arrays;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Rows of the single cells that fulfil a condition: it is evaluated on the decoded buffers of a
 * piece, and only the cells that are left are copied. Variables that the condition does not need
 * are decoded only where a cell is left.
 */
final class FilteredCellReader extends BatchReader {
  private final String[] chunkName = {""};
  private final boolean needsChunkNames;
  private CellBlock block;
  private long[][] indices;
  private int[] innerCells;
  private int[] selected = {};
  private int row;
  private long rowsSoFar;
  private ColumnarBatch batch;

  FilteredCellReader(ReadPlan plan, ChunkPartition partition) {
    super(plan, partition);
    this.needsChunkNames =
        plan.columns().stream().anyMatch(column -> column instanceof OutputColumn.ChunkName);
  }

  @Override
  public boolean next() {
    while (row == selected.length) {
      if (plan.limit().isReached(rowsSoFar) || !hasBlock()) {
        return false;
      }
      open(decoding(nextBlock()));
    }
    int rows = Math.min(CellReader.BATCH_ROWS, selected.length - row);
    long[][] positions = new long[indices.length][];
    ColumnVector[] vectors = new ColumnVector[plan.columns().size()];
    for (int c = 0; c < vectors.length; c++) {
      vectors[c] = vector(plan.columns().get(c), rows, positions);
    }
    batch = new ColumnarBatch(vectors, rows);
    row += rows;
    rowsSoFar += rows;
    return true;
  }

  private void open(CellBlock opened) {
    block = opened;
    selected = plan.filter().mask(opened).positions();
    row = 0;
    int rank = opened.cells().rank();
    indices = new long[rank][];
    innerCells = new int[rank];
    int inner = 1;
    for (int d = rank - 1; d >= 0; d--) {
      innerCells[d] = inner;
      inner *= (int) opened.cells().indices(d).count();
    }
    if (needsChunkNames && selected.length > 0) {
      long[] first = new long[rank];
      Arrays.setAll(first, d -> opened.cells().indices(d).first());
      chunkName[0] = chunkName(first);
    }
  }

  private ColumnVector vector(OutputColumn column, int rows, long[][] positions) {
    if (column instanceof OutputColumn.Value) {
      OutputColumn.Value value = (OutputColumn.Value) column;
      DecodedColumn all = block.values(value.variable());
      return new DecodedColumnVector(value.type(), all.gather(selected, row, rows));
    }
    if (column instanceof OutputColumn.Along) {
      OutputColumn.Along along = (OutputColumn.Along) column;
      return new AlongVector(along, positions(along.dimension(), rows, positions));
    }
    if (column instanceof OutputColumn.IndexStruct) {
      OutputColumn.IndexStruct index = (OutputColumn.IndexStruct) column;
      return new StructVector(
          index.type(),
          index.dimensions().stream()
              .map(along -> new AlongVector(along, positions(along.dimension(), rows, positions)))
              .toArray(ColumnVector[]::new));
    }
    if (column instanceof OutputColumn.ChunkName) {
      return new TextVector(chunkName.clone());
    }
    throw new IllegalStateException("no such column in rows of cells: " + column);
  }

  /** The index along a dimension of the next rows, computed once a batch. */
  private long[] positions(int dimension, int rows, long[][] known) {
    if (known[dimension] == null) {
      if (indices[dimension] == null) {
        indices[dimension] = indices(block.cells(), dimension);
      }
      long[] of = indices[dimension];
      int inner = innerCells[dimension];
      long[] into = new long[rows];
      for (int i = 0; i < rows; i++) {
        into[i] = of[selected[row + i] / inner % of.length];
      }
      known[dimension] = into;
    }
    return known[dimension];
  }

  @Override
  public ColumnarBatch get() {
    return batch;
  }
}
