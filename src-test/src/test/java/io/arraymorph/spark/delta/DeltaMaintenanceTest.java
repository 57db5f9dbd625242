package io.arraymorph.spark.delta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.testing.SparkSessions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Delta Lake's own commands do to a table leaves its tensors readable, and writable. */
class DeltaMaintenanceTest {
  private static final List<TensorEncoding> ENCODINGS = List.of(TensorEncoding.values());

  private static final StructType CELLS =
      new StructType()
          .add("day", "bigint")
          .add("place", "bigint")
          .add("kind", "bigint")
          .add("v", "double");

  private final SparkSession spark = SparkSessions.shared();

  @TempDir static Path shared;
  private static Path written;

  @TempDir Path directory;

  private String table;

  @BeforeEach
  void copyATableWithOneTensorInEachEncoding() throws IOException {
    if (written == null) {
      Path whole = shared.resolve("tensors");
      table = whole.toString();
      for (TensorEncoding encoding : ENCODINGS) {
        save(encoding.label(), encoding.label(), 0, 30, SaveMode.Append);
      }
      written = whole;
    }
    table = directory.resolve("tensors").toString();
    try (Stream<Path> files = Files.walk(written)) {
      for (Path file : files.toList()) {
        Files.copy(file, Path.of(table).resolve(written.relativize(file)));
      }
    }
  }

  /** Cells of days {@code from} to {@code to}, about 40 of 11 x 13 a day, as rows. */
  private static List<Row> cells(String seed, int from, int to) {
    List<Row> cells = new ArrayList<>();
    for (int day = from; day < to; day++) {
      Random random = new Random(seed.hashCode() * 1000L + day);
      for (long place = 0; place < 11; place++) {
        for (long kind = 0; kind < 13; kind++) {
          if (random.nextInt(7) < 2) {
            cells.add(RowFactory.create((long) day, place, kind, random.nextGaussian()));
          }
        }
      }
    }
    return cells;
  }

  private void save(String id, String storage, int from, int to, SaveMode mode) {
    save(cells(id, from, to), id, storage, to, mode);
  }

  private void save(List<Row> cells, String id, String storage, int days, SaveMode mode) {
    spark
        .createDataFrame(cells, CELLS)
        .write()
        .format("arraymorph")
        .option("tensor", id)
        .option("storage", storage)
        .option("shape", days + ",11,13")
        .option("block", "4,5,13")
        .mode(mode)
        .save(table);
  }

  private Dataset<Row> read(String id) {
    return spark
        .read()
        .format("arraymorph")
        .option("tensor", id)
        .option("rows", "cells")
        .load(table);
  }

  private void assertHolds(String id, List<Row> cells) {
    // A dense tensor has the fill value where nothing was written.
    assertThat(read(id).where("v <> 0").collectAsList())
        .as(id)
        .containsExactlyInAnyOrderElementsOf(cells);
    assertThat(read(id).where("v <> 0 AND day IN (1, 17) AND place > 3").collectAsList())
        .as(id + ", a part")
        .containsExactlyInAnyOrderElementsOf(
            cells.stream()
                .filter(c -> (c.getLong(0) == 1 || c.getLong(0) == 17) && c.getLong(1) > 3)
                .toList());
  }

  private void assertAll(String... but) {
    for (TensorEncoding encoding : ENCODINGS) {
      if (!List.of(but).contains(encoding.label())) {
        assertHolds(encoding.label(), cells(encoding.label(), 0, 30));
      }
    }
  }

  private void delta(String statement) {
    spark.sql(statement.replace("TABLE_", "delta.`" + table + "`")).collectAsList();
  }

  private List<String> dataFiles() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of(table))) {
      return files.map(Path::toString).filter(f -> f.endsWith(".parquet")).toList();
    }
  }

  private long liveFiles() {
    return spark.sql("DESCRIBE DETAIL delta.`" + table + "`").first().getAs("numFiles");
  }

  private static List<Row> both(List<Row> a, List<Row> b) {
    return Stream.concat(a.stream(), b.stream()).toList();
  }

  /** The tensors after our own changes on top of what Delta Lake left. */
  private void assertWritable() {
    save(cells("more", 30, 33), "bsgs", "bsgs", 33, SaveMode.Append);
    assertHolds("bsgs", both(cells("bsgs", 0, 30), cells("more", 30, 33)));
    save(cells("other", 0, 30), "coo", "csf", 30, SaveMode.Overwrite);
    assertHolds("coo", cells("other", 0, 30));
    io.arraymorph.spark.ArrayMorph.deleteTensor(spark, table, "csc");
    assertThatThrownBy(() -> read("csc").count())
        .hasMessageContaining("[ARRAYMORPH_UNKNOWN_TENSOR]");
    assertAll("bsgs", "coo", "csc");
  }

  @Test
  void optimize_puts_the_rows_of_all_tensors_into_one_file() {
    assertThat(liveFiles()).isGreaterThanOrEqualTo(2L * ENCODINGS.size());
    delta("OPTIMIZE TABLE_");
    assertThat(liveFiles()).isEqualTo(1);
    assertAll();
    assertWritable();
  }

  @Test
  void optimize_in_z_order_moves_rows() {
    delta("OPTIMIZE TABLE_ ZORDER BY (tensor_id, lo_0, lo_1)");
    assertAll();
    assertWritable();
  }

  @Test
  void vacuum_takes_what_no_version_needs_and_nothing_else() throws IOException {
    save(cells("x", 0, 5), "csr", "csr", 5, SaveMode.Overwrite);
    save("csr", "csr", 0, 30, SaveMode.Overwrite);
    Files.copy(Path.of(dataFiles().get(0)), Path.of(table, "orphan.parquet"));
    delta("OPTIMIZE TABLE_");
    delta("VACUUM TABLE_");
    assertThat(dataFiles()).as("within the retention").hasSizeGreaterThan(10);
    spark.conf().set("spark.databricks.delta.retentionDurationCheck.enabled", "false");
    try {
      delta("VACUUM TABLE_ RETAIN 0 HOURS");
    } finally {
      spark.conf().unset("spark.databricks.delta.retentionDurationCheck.enabled");
    }
    assertThat(dataFiles().stream().filter(f -> !f.contains("_delta_log"))).hasSize(1);
    assertAll();
    assertThatThrownBy(
            () ->
                spark
                    .read()
                    .format("arraymorph")
                    .option("tensor", "csr")
                    .option("versionAsOf", 2)
                    .load(table)
                    .count())
        .hasMessageContaining("[ARRAYMORPH_OBJECT_NOT_FOUND]")
        .hasMessageContaining("VACUUM");
    assertWritable();
  }

  @Test
  void restore_brings_back_a_deleted_tensor() {
    long before = version();
    io.arraymorph.spark.ArrayMorph.deleteTensor(spark, table, "csf");
    save(cells("x", 0, 5), "bsgs", "coo", 5, SaveMode.Overwrite);
    delta("RESTORE TABLE TABLE_ TO VERSION AS OF " + before);
    assertAll();
    assertWritable();
  }

  private long version() {
    return spark.sql("DESCRIBE HISTORY delta.`" + table + "` LIMIT 1").first().getAs("version");
  }

  @Test
  void delete_with_deletion_vectors_takes_one_tensor_of_a_shared_file() {
    delta("ALTER TABLE TABLE_ SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')");
    delta("OPTIMIZE TABLE_");
    delta("DELETE FROM TABLE_ WHERE tensor_id = 'csf'");
    assertThat(liveFiles()).isEqualTo(1);
    assertThatThrownBy(() -> read("csf").count())
        .hasMessageContaining("[ARRAYMORPH_UNKNOWN_TENSOR]");
    assertAll("csf");
    save("csf", "bsgs", 0, 30, SaveMode.Append);
    assertAll();
    assertWritable();
    delta("REORG TABLE TABLE_ APPLY (PURGE)");
    assertAll("bsgs", "coo", "csc");
  }

  @Test
  void clustering_and_checkpoints_of_delta_lake_are_followed() {
    delta("ALTER TABLE TABLE_ CLUSTER BY (tensor_id, lo_0)");
    delta("OPTIMIZE TABLE_ FULL");
    for (int i = 0; i < 12; i++) {
      delta("ALTER TABLE TABLE_ SET TBLPROPERTIES ('a.number' = '" + i + "')");
    }
    assertAll();
    assertWritable();
  }

  @Test
  void tables_that_are_not_ours_or_of_the_future_are_refused() {
    String other = directory.resolve("other").toString();
    spark.range(5).write().format("delta").save(other);
    for (String option : List.of("tensor", "storage")) {
      assertThatThrownBy(
              () -> spark.read().format("arraymorph").option(option, "coo").load(other).count())
          .hasMessageContaining("[ARRAYMORPH_NOT_A_TENSOR_TABLE]");
    }
    assertThatThrownBy(
            () ->
                spark
                    .createDataFrame(cells("x", 0, 3), CELLS)
                    .write()
                    .format("arraymorph")
                    .option("storage", "coo")
                    .option("tensor", "x")
                    .mode(SaveMode.Append)
                    .save(other))
        .hasMessageContaining("[ARRAYMORPH_NOT_A_TENSOR_TABLE]");
    assertThat(spark.read().format("delta").load(other).count()).isEqualTo(5);
    delta("ALTER TABLE TABLE_ SET TBLPROPERTIES ('arraymorph.tensors.format' = '9')");
    assertThatThrownBy(() -> read("coo").count())
        .hasMessageContaining("[ARRAYMORPH_UNSUPPORTED_FEATURE]")
        .hasMessageContaining("format 9");
  }

  @Test
  void reads_while_others_replace_optimize_and_vacuum_see_one_version() throws Exception {
    List<Throwable> failures = new ArrayList<>();
    Thread maintenance =
        new Thread(
            () -> {
              try {
                for (int i = 0; i < 3; i++) {
                  save(cells("v" + i, 0, 30), "coo", "coo", 30, SaveMode.Overwrite);
                  delta("OPTIMIZE TABLE_");
                  delta("VACUUM TABLE_");
                }
              } catch (RuntimeException e) {
                failures.add(e);
              }
            });
    maintenance.start();
    int reads = 0;
    do {
      assertHolds("csf", cells("csf", 0, 30));
      long sum = read("coo").where("v <> 0").count();
      assertThat(sum)
          .isIn(
              Stream.of("coo", "v0", "v1", "v2")
                  .map(seed -> (long) cells(seed, 0, 30).size())
                  .toList());
      reads++;
    } while (maintenance.isAlive());
    maintenance.join();
    assertThat(failures).isEmpty();
    assertThat(reads).isPositive();
    assertHolds("coo", cells("v2", 0, 30));
    assertAll("coo");
  }
}
