package io.arraymorph.spark.delta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.delta.table.DeltaTensors;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.testing.LocalS3;
import io.arraymorph.testing.SparkSessions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tensors in tables on S3: what they do on a disk they do there. */
class TensorS3Test {
  private static final StructType CELLS =
      new StructType().add("day", "int").add("place", "bigint").add("trips", "double");

  @TempDir static Path directory;

  private static LocalS3 server;

  private final SparkSession spark = SparkSessions.shared();

  @BeforeAll
  static void start() throws IOException {
    server = LocalS3.start(directory, "bucket");
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  private Dataset<Row> cells(int seed, int from, int to) {
    Random random = new Random(seed);
    List<Row> rows = new ArrayList<>();
    for (int day = from; day < to; day++) {
      for (long place = 0; place < 60; place++) {
        if (random.nextInt(3) == 0) {
          rows.add(RowFactory.create(day, place, random.nextGaussian()));
        }
      }
    }
    return spark.createDataFrame(rows, CELLS).repartition(2);
  }

  private static DataFrameWriter<Row> writer(Dataset<Row> cells, String mode) {
    return cells
        .write()
        .format("arraymorph")
        .options(server.hadoopSettings())
        .option("tensor", "t")
        .option("shape", "0,60")
        .mode(mode);
  }

  private Dataset<Row> read(String table) {
    return spark
        .read()
        .format("arraymorph")
        .options(server.hadoopSettings())
        .option("tensor", "t")
        .load(server.uri(table));
  }

  private static List<Row> rows(Dataset<Row> cells) {
    return cells.selectExpr("CAST(day AS BIGINT)", "place", "trips").collectAsList();
  }

  private static DeltaTensors tensors(String table) {
    return DeltaTensors.open(
        ObjectStores.open(server.uri(table), StoreConfig.of(server.hadoopSettings())));
  }

  @ParameterizedTest
  @CsvSource({"compact,bsgs", "compact,csf", "flat,coo", "paper,coo"})
  void a_tensor_is_written_sliced_replaced_grown_and_deleted(String layout, String storage) {
    String table = layout + "-" + storage;
    Dataset<Row> first = cells(1, 0, 20);
    writer(first, "errorifexists")
        .option("layout", layout)
        .option("storage", storage)
        .save(server.uri(table));
    assertThat(rows(read(table))).containsExactlyInAnyOrderElementsOf(rows(first));
    String predicate = "day BETWEEN 4 AND 9 AND place IN (3, 50) OR day = 19";
    assertThat(rows(read(table).where(predicate)))
        .containsExactlyInAnyOrderElementsOf(rows(first.where(predicate)));
    Dataset<Row> second = cells(2, 0, 12);
    writer(second, "overwrite")
        .option("layout", layout)
        .option("storage", storage)
        .save(server.uri(table));
    assertThat(rows(read(table))).containsExactlyInAnyOrderElementsOf(rows(second));
    assertThat(rows(read(table).where("day = 3")))
        .containsExactlyInAnyOrderElementsOf(rows(second.where("day = 3")));
    if (!layout.equals("paper")) {
      Dataset<Row> more = cells(3, 12, 15);
      writer(more, "append").option("storage", storage).save(server.uri(table));
      assertThat(rows(read(table))).containsExactlyInAnyOrderElementsOf(rows(second.union(more)));
      assertThat(tensors(table).tensor("t").slice("13").count())
          .isEqualTo((int) more.where("day = 13").count());
    }
    tensors(table).delete("t");
    assertThatThrownBy(() -> read(table)).hasMessageContaining("[ARRAYMORPH_UNKNOWN_TENSOR]");
  }

  @Test
  void eight_appenders_at_once_all_arrive() throws Exception {
    writer(cells(1, 0, 2), "append").option("storage", "coo").save(server.uri("race"));
    long before = tensors("race").tensor("t").header().storedCells();
    var more = tensors("race").tensor("t").read();
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<?>> appends = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        appends.add(threads.submit(() -> tensors("race").append("t", 0, more)));
      }
      for (Future<?> append : appends) {
        append.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(tensors("race").tensor("t").schema().shape().toArray()).containsExactly(18, 60);
    assertThat(read("race").count()).isEqualTo(9 * before);
    List<Integer> perDay =
        IntStream.range(0, 18)
            .mapToObj(day -> tensors("race").tensor("t").slice(String.valueOf(day)).count())
            .toList();
    assertThat(perDay.subList(0, 2)).isEqualTo(perDay.subList(16, 18));
  }

  @Test
  void a_save_that_fails_leaves_no_table_behind() throws IOException {
    Dataset<Row> twice = cells(1, 0, 3).union(cells(1, 0, 1));
    assertThatThrownBy(
            () -> writer(twice, "append").option("storage", "coo").save(server.uri("failed")))
        .hasMessageContaining("[ARRAYMORPH_DUPLICATE_CELL]");
    assertThat(Files.exists(server.file("failed/_delta_log"))).isFalse();
  }
}
