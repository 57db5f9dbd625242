package io.arraymorph.spark.delta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.delta.table.DeltaTensors;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.testing.SparkSessions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streams that end in a tensor: every batch once, also when Spark repeats it. */
class TensorStreamTest {
  private static final StructType CELLS =
      new StructType().add("day", "int").add("place", "bigint").add("trips", "double");

  private final SparkSession spark = SparkSessions.shared();

  @TempDir Path directory;

  private Path input;
  private Path checkpoint;
  private String table;

  @BeforeEach
  void names() throws IOException {
    input = Files.createDirectories(directory.resolve("input"));
    checkpoint = directory.resolve("checkpoint");
    table = directory.resolve("table").toString();
  }

  /** A file with the cells of some days; a stream takes one a batch. */
  private void arrive(int from, int to) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int day = from; day < to; day++) {
      for (int place = day % 3; place < 40; place += 3) {
        lines.append(day).append(',').append(place).append(',').append(day + place / 100.0);
        lines.append('\n');
      }
    }
    Files.writeString(input.resolve("days-" + (100 + from) + ".csv"), lines);
  }

  private Dataset<Row> stream() {
    return spark.readStream().schema(CELLS).option("maxFilesPerTrigger", "1").csv(input.toString());
  }

  private DataStreamWriter<Row> writer(Dataset<Row> rows) {
    return rows.writeStream()
        .format("arraymorph")
        .option("storage", "bsgs")
        .option("tensor", "t")
        .option("shape", "0,40")
        .option("path", table)
        .option("checkpointLocation", checkpoint.toString())
        .trigger(Trigger.AvailableNow());
  }

  private void run(DataStreamWriter<Row> writer) throws Exception {
    StreamingQuery query = writer.start();
    try {
      query.awaitTermination();
    } finally {
      query.stop();
    }
  }

  private DeltaTensors tensors() {
    return DeltaTensors.open(ObjectStores.open(table, StoreConfig.of(Map.of())));
  }

  private void assertHasDays(int days) {
    Dataset<Row> read = spark.read().format("arraymorph").option("tensor", "t").load(table);
    List<Row> wanted =
        spark
            .read()
            .schema(CELLS)
            .csv(input.toString())
            .selectExpr("CAST(day AS BIGINT)", "place", "trips")
            .collectAsList();
    assertThat(read.collectAsList()).containsExactlyInAnyOrderElementsOf(wanted);
    assertThat(tensors().tensor("t").schema().shape().toArray()).containsExactly(days, 40);
  }

  @Test
  void each_batch_appends_in_one_commit_and_a_restart_goes_on() throws Exception {
    arrive(0, 3);
    arrive(3, 4);
    run(writer(stream()));
    assertHasDays(4);
    assertThat(tensors().version()).isEqualTo(1);
    run(writer(stream()));
    assertThat(tensors().version()).isEqualTo(1);
    arrive(4, 9);
    run(writer(stream()));
    assertHasDays(9);
    assertThat(tensors().version()).isEqualTo(2);
  }

  @Test
  void a_batch_that_was_committed_before_the_checkpoint_said_so_is_not_written_twice()
      throws Exception {
    arrive(0, 3);
    arrive(3, 5);
    run(writer(stream()));
    // As after a driver that died between our commit and Spark's: batch 1 is run again.
    try (var commits = Files.list(checkpoint.resolve("commits"))) {
      for (Path entry :
          commits.filter(c -> c.getFileName().toString().matches("\\.?1(\\.crc)?")).toList()) {
        Files.delete(entry);
      }
    }
    run(writer(stream()));
    assertHasDays(5);
    assertThat(tensors().version()).isEqualTo(1);
    // Somebody else's commit in between does not make Spark's repetition look new.
    spark
        .sql("SELECT 5 AS day, 1L AS place, 2.5D AS trips")
        .write()
        .format("arraymorph")
        .option("storage", "bsgs")
        .option("tensor", "t")
        .option("commit-id", "other:7")
        .mode("append")
        .save(table);
    Files.delete(checkpoint.resolve("commits").resolve("1"));
    Files.deleteIfExists(checkpoint.resolve("commits").resolve(".1.crc"));
    run(writer(stream()));
    assertThat(tensors().version()).isEqualTo(2);
    assertThat(tensors().tensor("t").schema().shape().toArray()).containsExactly(6, 40);
  }

  @Test
  void a_batch_that_fails_leaves_nothing_and_is_written_after_the_cause_is_gone() throws Exception {
    arrive(0, 2);
    run(writer(stream()));
    arrive(2, 4);
    Path file = input.resolve("days-102.csv");
    String good = Files.readString(file);
    Files.writeString(file, good + "3,400,1.0\n");
    assertThatThrownBy(() -> run(writer(stream())))
        .rootCause()
        .hasMessageContaining("[ARRAYMORPH_OUT_OF_BOUNDS]");
    assertThat(tensors().version()).isZero();
    Files.writeString(file, good);
    run(writer(stream()));
    assertHasDays(4);
  }

  @Test
  void batches_become_tensors_of_their_own_or_replace_one() throws Exception {
    arrive(0, 2);
    arrive(2, 5);
    run(writer(stream()).option("tensor", "day-{epoch}"));
    assertThat(tensors().tensors()).extracting(h -> h.tensorId()).containsExactly("day-0", "day-1");
    table = directory.resolve("counts").toString();
    checkpoint = directory.resolve("checkpoint-2");
    run(
        writer(stream().groupBy("day").count().select("day", "count"))
            .option("shape", "0")
            .outputMode("complete"));
    Dataset<Row> read = spark.read().format("arraymorph").option("tensor", "t").load(table);
    assertThat(read.count()).isEqualTo(5);
    assertThat(tensors().version()).isEqualTo(1);
  }

  @Test
  void what_a_stream_cannot_do_is_refused_at_its_start() {
    assertThatThrownBy(() -> writer(stream()).option("storage", "zarr").start())
        .hasMessageContaining("[ARRAYMORPH_UNSUPPORTED_FEATURE]");
    assertThatThrownBy(() -> writer(stream()).outputMode("update").start())
        .hasMessageContaining("[ARRAYMORPH_UNSUPPORTED_FEATURE]");
    assertThatThrownBy(() -> writer(stream()).partitionBy("day").start())
        .hasMessageContaining("[ARRAYMORPH_UNSUPPORTED_FEATURE]");
  }
}
