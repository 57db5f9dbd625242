package io.arraymorph.spark.read;

import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.column.DecodedColumn;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Rows of tensors: one per piece, or one per index of the dimensions that are not packed.
 *
 * <p>Tensors are copied once, from the decoded buffers to Arrow memory, in batches of bounded
 * bytes.
 */
final class TensorReader extends BatchReader {
  private static final int MAX_ROWS = 4096;
  private static final long MAX_BYTES = 32L << 20;

  private final BufferAllocator allocator;
  private final List<TensorVector> tensors = new ArrayList<>();
  private final TensorRows rows;
  private PieceBlocks.Block block;
  private DecodedColumn[] decoded;
  private long[][] indices;
  private long row;
  private long rowsOfBlock;
  private ColumnarBatch batch;

  TensorReader(ReadPlan plan, ChunkPartition partition) {
    super(plan, partition);
    this.allocator = ArrowMemory.child("arraymorph tensors " + partition);
    try {
      for (OutputColumn column : plan.columns()) {
        if (column instanceof OutputColumn.Tensor) {
          tensors.add(new TensorVector((OutputColumn.Tensor) column, allocator));
        }
      }
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
    this.rows = new TensorRows(plan, this::chunkName);
  }

  @Override
  public boolean next() {
    rows.clear();
    long bytes = 0;
    while (rows.count() < MAX_ROWS && bytes < MAX_BYTES) {
      if (row == rowsOfBlock) {
        if (!hasBlock()) {
          break;
        }
        open(nextBlock());
      }
      bytes += addRow();
    }
    if (rows.count() == 0) {
      return false;
    }
    int tensor = 0;
    ColumnVector[] vectors = new ColumnVector[plan.columns().size()];
    for (int c = 0; c < vectors.length; c++) {
      OutputColumn column = plan.columns().get(c);
      if (column instanceof OutputColumn.Tensor) {
        TensorVector vector = tensors.get(tensor++);
        vector.fill(rows.data(c), rows.shapes());
        vectors[c] = vector.column();
      } else {
        vectors[c] = rows.vector(c);
      }
    }
    batch = new ColumnarBatch(vectors, rows.count());
    return true;
  }

  private void open(PieceBlocks.Block opened) {
    block = opened;
    decoded = new DecodedColumn[opened.elements().size()];
    indices = new long[plan.packed().size()][];
    for (int d = 0; d < indices.length; d++) {
      indices[d] = indices(opened.piece().cells(), d);
    }
    row = 0;
    rowsOfBlock = plan.rowsOf(opened.piece().cells());
  }

  /** Adds the next row of the block; the bytes it holds. */
  private long addRow() {
    int rank = indices.length;
    IndexRange[] within = new IndexRange[rank];
    long[] shape = new long[rank];
    long rest = row++;
    int packedRank = 0;
    for (int d = rank - 1; d >= 0; d--) {
      int length = indices[d].length;
      if (plan.packed().get(d)) {
        within[d] = IndexRange.of(0, length);
        shape[rank - ++packedRank] = length;
      } else {
        within[d] = IndexRange.single(rest % length);
        rest /= length;
      }
    }
    long[] packedShape = java.util.Arrays.copyOfRange(shape, rank - packedRank, rank);
    rows.add(indices, within, Shape.of(packedShape));
    Hyperslab part = Hyperslab.of(within);
    long bytes = 0;
    for (int c = 0; c < plan.columns().size(); c++) {
      OutputColumn column = plan.columns().get(c);
      if (column instanceof OutputColumn.Tensor && ((OutputColumn.Tensor) column).variable() >= 0) {
        ArrowValues.Run run = values(((OutputColumn.Tensor) column).variable(), part);
        rows.addData(c, run);
        bytes +=
            Math.max(
                run.count(),
                run.column().byteSize() * run.count() / Math.max(1, run.column().count()));
      }
    }
    return bytes;
  }

  /** The values of one row: a run of the decoded block where they lie together, else a copy. */
  private ArrowValues.Run values(int variable, Hyperslab part) {
    Elements elements = block.elements().get(variable);
    int count = Math.toIntExact(part.elementCount());
    if (namedDimensionsLead()) {
      if (decoded[variable] == null) {
        decoded[variable] = decode(variable, elements);
      }
      return new ArrowValues.Run(decoded[variable], Math.toIntExact((row - 1) * count), count);
    }
    return ArrowValues.Run.all(decode(variable, HyperslabCopy.pack(elements, part)));
  }

  private boolean namedDimensionsLead() {
    boolean packedSeen = false;
    for (boolean packed : plan.packed()) {
      if (packedSeen && !packed) {
        return false;
      }
      packedSeen |= packed;
    }
    return true;
  }

  @Override
  public ColumnarBatch get() {
    return batch;
  }

  @Override
  public void close() {
    try {
      super.close();
    } finally {
      tensors.forEach(TensorVector::close);
      tensors.clear();
      allocator.close();
    }
  }
}
