package io.arraymorph.spark.read;

import io.arraymorph.spark.RowMode;
import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Makes the columnar reader of each task. Travels to executors with the plan of the scan. */
final class PieceReaderFactory implements PartitionReaderFactory {
  private static final long serialVersionUID = 1L;

  private final ReadPlan plan;
  private final AggregatePlan aggregates;

  /**
   * @param aggregates what tasks compute instead of giving columns
   */
  PieceReaderFactory(ReadPlan plan, Optional<AggregatePlan> aggregates) {
    this.plan = plan;
    this.aggregates = aggregates.orElse(null);
  }

  @Override
  public boolean supportColumnarReads(InputPartition partition) {
    return true;
  }

  @Override
  public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
    if (aggregates != null) {
      return new AggregateReader(plan, aggregates, (ChunkPartition) partition);
    }
    if (!(plan.rows() instanceof RowMode.Cells)) {
      return new TensorReader(plan, (ChunkPartition) partition);
    }
    return plan.filter().isEveryCell()
        ? new CellReader(plan, (ChunkPartition) partition)
        : new FilteredCellReader(plan, (ChunkPartition) partition);
  }

  @Override
  public PartitionReader<InternalRow> createReader(InputPartition partition) {
    throw new UnsupportedOperationException("this scan is columnar");
  }
}
