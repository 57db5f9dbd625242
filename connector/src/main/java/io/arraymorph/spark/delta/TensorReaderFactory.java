package io.arraymorph.spark.delta;

import io.arraymorph.delta.encoding.HeaderJson;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.table.TableReader;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Makes the readers of a scan's tasks. */
// Sent to tasks, never compared.
@SuppressWarnings("ArrayRecordComponent")
record TensorReaderFactory(
    String path,
    StoreConfig config,
    byte[] header,
    StructType schema,
    boolean cellRows,
    boolean allCells)
    implements PartitionReaderFactory {

  @Override
  public boolean supportColumnarReads(InputPartition partition) {
    return cellRows;
  }

  @Override
  public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
    return new CellBatchReader(reader(), headerOf(), (TensorPartition) partition, schema, allCells);
  }

  @Override
  public PartitionReader<InternalRow> createReader(InputPartition partition) {
    return new ChunkRowReader(reader(), headerOf(), (TensorPartition) partition, schema);
  }

  private TableReader reader() {
    return new TableReader(ObjectStores.open(path, config).store());
  }

  private TensorHeader headerOf() {
    return HeaderJson.read(header);
  }

  /** Names the path only, for the settings may hold credentials. */
  @Override
  public String toString() {
    return "TensorReaderFactory[" + path + "]";
  }
}
