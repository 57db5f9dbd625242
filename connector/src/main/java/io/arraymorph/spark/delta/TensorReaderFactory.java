package io.arraymorph.spark.delta;

import io.arraymorph.delta.encoding.HeaderJson;
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
record TensorReaderFactory(String path, StoreConfig config, StructType schema, boolean cells)
    implements PartitionReaderFactory {

  @Override
  public boolean supportColumnarReads(InputPartition partition) {
    return cells;
  }

  @Override
  public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
    TableReader reader = reader();
    return new PartsReader<>(
        ((TensorPartition) partition).parts(),
        part -> new CellBatchReader(reader, HeaderJson.read(part.header()), part, schema));
  }

  @Override
  public PartitionReader<InternalRow> createReader(InputPartition partition) {
    TableReader reader = reader();
    return new PartsReader<>(
        ((TensorPartition) partition).parts(),
        part ->
            part instanceof TensorPart.Chunks
                ? new ChunkRowReader(
                    reader,
                    (TensorPart.Chunks) part,
                    new TensorRows(HeaderJson.read(part.header()), schema))
                : new PieceRowReader(
                    reader,
                    (TensorPart.Piece) part,
                    new TensorRows(HeaderJson.read(part.header()), schema)));
  }

  private TableReader reader() {
    return new TableReader(ObjectStores.open(path, config).store());
  }

  /** Names the path only, for the settings may hold credentials. */
  @Override
  public String toString() {
    return "TensorReaderFactory[" + path + "]";
  }
}
