package io.arraymorph.spark.read;

import io.arraymorph.layout.column.DecodedColumn;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Rows of single cells: windows on the decoded buffers of a piece, beside positions computed in
 * runs.
 */
final class CellReader extends BatchReader {
  /** Rows of a batch: enough to forget the cost of a batch, few enough to stay in cache. */
  static final int BATCH_ROWS = 1 << 15;

  private final boolean[] wanted;
  private final long[][] positions;
  private final String[] chunkName = {""};
  private boolean needsChunkNames;

  private long[][] indices;
  private long[] innerCells;
  private long rowsOfBlock;
  private long row;
  private DecodedColumnVector[] windows;
  private ColumnVector[] vectors;
  private ColumnarBatch batch;

  CellReader(ReadPlan plan, ChunkPartition partition) {
    super(plan, partition);
    this.wanted = new boolean[plan.packed().size()];
    this.positions = new long[wanted.length][];
    for (OutputColumn column : plan.columns()) {
      for (OutputColumn.Along along : alongIn(column)) {
        wanted[along.dimension()] = true;
      }
      if (column instanceof OutputColumn.ChunkName) {
        needsChunkNames = true;
      }
    }
    for (int d = 0; d < wanted.length; d++) {
      positions[d] = wanted[d] ? new long[BATCH_ROWS] : null;
    }
  }

  private static List<OutputColumn.Along> alongIn(OutputColumn column) {
    if (column instanceof OutputColumn.Along) {
      return List.of((OutputColumn.Along) column);
    }
    return column instanceof OutputColumn.IndexStruct
        ? ((OutputColumn.IndexStruct) column).dimensions()
        : List.of();
  }

  @Override
  public boolean next() {
    while (row == rowsOfBlock) {
      if (!hasBlock()) {
        return false;
      }
      open(nextBlock());
    }
    // Without columns nothing limits a batch but the type of its length.
    int most = vectors.length == 0 ? Integer.MAX_VALUE : BATCH_ROWS;
    int rows = (int) Math.min(most, rowsOfBlock - row);
    for (int d = 0; d < wanted.length; d++) {
      if (wanted[d]) {
        fillPositions(d, rows);
      }
    }
    for (DecodedColumnVector window : windows) {
      window.moveTo((int) row);
    }
    batch.setNumRows(rows);
    row += rows;
    return true;
  }

  private void open(PieceBlocks.Block block) {
    int rank = wanted.length;
    indices = new long[rank][];
    innerCells = new long[rank];
    rowsOfBlock = 1;
    for (int d = rank - 1; d >= 0; d--) {
      innerCells[d] = rowsOfBlock;
      rowsOfBlock *= block.piece().cells().indices(d).count();
      indices[d] = wanted[d] ? indices(block.piece().cells(), d) : null;
    }
    row = 0;
    if (needsChunkNames) {
      // A block lies in one chunk of the grid that names chunks.
      long[] first = new long[rank];
      Arrays.setAll(first, d -> block.piece().cells().indices(d).first());
      chunkName[0] = chunkName(first);
    }
    windows = new DecodedColumnVector[block.elements().size()];
    DecodedColumn[] decoded = new DecodedColumn[windows.length];
    CellBlock values = decoding(block);
    Arrays.setAll(decoded, values::values);
    vectors = new ColumnVector[plan.columns().size()];
    for (int c = 0; c < vectors.length; c++) {
      vectors[c] = vector(plan.columns().get(c), decoded);
    }
    batch = new ColumnarBatch(vectors);
  }

  private ColumnVector vector(OutputColumn column, DecodedColumn[] decoded) {
    if (column instanceof OutputColumn.Value) {
      OutputColumn.Value value = (OutputColumn.Value) column;
      DecodedColumnVector window = new DecodedColumnVector(value.type(), decoded[value.variable()]);
      windows[value.variable()] = window;
      return window;
    }
    if (column instanceof OutputColumn.Along) {
      OutputColumn.Along along = (OutputColumn.Along) column;
      return new AlongVector(along, positions[along.dimension()]);
    }
    if (column instanceof OutputColumn.IndexStruct) {
      OutputColumn.IndexStruct index = (OutputColumn.IndexStruct) column;
      return new StructVector(
          index.type(),
          index.dimensions().stream()
              .map(along -> new AlongVector(along, positions[along.dimension()]))
              .toArray(ColumnVector[]::new));
    }
    if (column instanceof OutputColumn.ChunkName) {
      return new TextVector(chunkName);
    }
    throw new IllegalStateException("no such column in rows of cells: " + column);
  }

  /** The index along a dimension of the next rows, in runs. */
  private void fillPositions(int dimension, int rows) {
    long[] of = indices[dimension];
    long[] into = positions[dimension];
    long inner = innerCells[dimension];
    int at = (int) (row / inner % of.length);
    int filled = 0;
    if (inner == 1) {
      while (filled < rows) {
        int run = Math.min(rows - filled, of.length - at);
        System.arraycopy(of, at, into, filled, run);
        filled += run;
        at = 0;
      }
      return;
    }
    long run = inner - row % inner;
    while (filled < rows) {
      int end = (int) Math.min(rows, filled + run);
      Arrays.fill(into, filled, end, of[at]);
      filled = end;
      run = inner;
      at = at + 1 == of.length ? 0 : at + 1;
    }
  }

  @Override
  public ColumnarBatch get() {
    return batch;
  }
}
