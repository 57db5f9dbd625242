package io.arraymorph.spark.read;

import io.arraymorph.spark.ReadOptions;
import io.arraymorph.store.StoreConfig;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Runs scans as Spark does, without its jobs: serialization included. */
final class ScanRows {
  private ScanRows() {}

  /** Scans need a session for their settings. */
  static void startSession() {
    SparkSession.builder()
        .master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate();
  }

  static ArrayTable open(Map<String, String> options) {
    return ArrayTable.open(ReadOptions.parse(options, Map.of()), StoreConfig.empty());
  }

  /**
   * Gives every row to a consumer, which must not keep it.
   *
   * @param schema the columns, as Spark would prune them
   */
  static void forEach(
      ArrayTable table, StructType schema, Predicate[] predicates, Consumer<InternalRow> consumer) {
    HyperslabScanBuilder builder = new HyperslabScanBuilder(table);
    if (builder.pushPredicates(predicates).length > 0) {
      throw new IllegalArgumentException("predicates are left to Spark");
    }
    builder.pruneColumns(schema);
    HyperslabScan scan = (HyperslabScan) builder.build();
    PartitionReaderFactory factory = copy(scan.createReaderFactory());
    for (InputPartition partition : scan.planInputPartitions()) {
      try (PartitionReader<ColumnarBatch> reader = factory.createColumnarReader(copy(partition))) {
        while (reader.next()) {
          Iterator<InternalRow> rows = reader.get().rowIterator();
          while (rows.hasNext()) {
            consumer.accept(rows.next());
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static <T> T copy(T object) {
    try {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
        out.writeObject(object);
      }
      try (ObjectInputStream in =
          new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
        return (T) in.readObject();
      }
    } catch (IOException | ClassNotFoundException e) {
      throw new IllegalStateException("does not travel to executors: " + object, e);
    }
  }
}
