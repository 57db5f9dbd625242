package io.arraymorph.spark.read;

import io.arraymorph.spark.RowMode;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Makes the columnar reader of each task. Travels to executors with the plan of the scan. */
final class PieceReaderFactory implements PartitionReaderFactory {
  private static final long serialVersionUID = 1L;

  private final ReadPlan plan;

  PieceReaderFactory(ReadPlan plan) {
    this.plan = plan;
  }

  @Override
  public boolean supportColumnarReads(InputPartition partition) {
    return true;
  }

  @Override
  public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
    return plan.rows() instanceof RowMode.Cells
        ? new CellReader(plan, (ChunkPartition) partition)
        : new TensorReader(plan, (ChunkPartition) partition);
  }

  @Override
  public PartitionReader<InternalRow> createReader(InputPartition partition) {
    throw new UnsupportedOperationException("this scan is columnar");
  }
}
