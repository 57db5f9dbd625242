package io.arraymorph.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers that Spark closes before their end, as it does below a limit. */
class HalfReadTest {
  private static final DataType INT32 = new DataType.Int(32, true);
  private static final int CHUNKS = 20;
  private static final int ROWS = 1000;

  @TempDir Path directory;

  @BeforeAll
  static void startSession() {
    ScanRows.startSession();
  }

  private Path stored() throws Exception {
    Path array = directory.resolve("v.zarr");
    ZarrArraySpec spec =
        new ZarrArraySpec(
            INT32,
            Shape.of(CHUNKS * ROWS, 8),
            Shape.of(ROWS, 8),
            Optional.empty(),
            Compression.NONE,
            ZarrArraySpec.defaultFill(INT32),
            List.of("y", "x"),
            JsonNodeFactory.instance.objectNode());
    for (int i = 0; i < CHUNKS; i++) {
      Path chunk = array.resolve("c").resolve(Integer.toString(i)).resolve("0");
      Files.createDirectories(chunk.getParent());
      Files.write(chunk, new byte[ROWS * 8 * 4]);
    }
    Files.write(array.resolve("zarr.json"), spec.toJson());
    return array;
  }

  @Test
  void aReaderThatIsClosedHalfWayLeavesNoArrowMemory() throws Exception {
    ArrayTable table = ScanRows.open(Map.of("path", stored().toString(), "rows", "y"));
    String name = table.variables().get(0).name();
    StructType schema = DataTypes.createStructType(List.of(table.columns().schema().apply(name)));
    HyperslabScanBuilder builder = new HyperslabScanBuilder(table);
    builder.pruneColumns(schema);
    HyperslabScan scan = (HyperslabScan) builder.build();
    PartitionReaderFactory factory = scan.createReaderFactory();
    InputPartition[] partitions = scan.planInputPartitions();
    assertThat(partitions).hasSize(1);
    for (int batches = 0; batches < 3; batches++) {
      assertThat(ArrowMemory.allocatedBytes()).isZero();
      try (PartitionReader<ColumnarBatch> reader = factory.createColumnarReader(partitions[0])) {
        for (int i = 0; i < batches; i++) {
          assertThat(reader.next()).isTrue();
          assertThat(reader.get().numRows()).isLessThan(CHUNKS * ROWS / 3);
          assertThat(ArrowMemory.allocatedBytes()).isPositive();
        }
      }
      assertThat(ArrowMemory.allocatedBytes()).isZero();
    }
  }
}
