package io.arraymorph.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.testing.SparkSessions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is left of writes that are refused, fail, are cancelled or meet each other. */
@Timeout(300)
class WriteFaultsTest {
  private final SparkSession spark = SparkSessions.shared();

  @TempDir Path directory;

  @Test
  void modesMeanWhatSparkSays() {
    String path = path("a.zarr");
    save(cells(4, 1), path, SaveMode.Append);
    assertSame(path, cells(4, 1));
    save(cells(4, 2), path, SaveMode.Ignore);
    assertSame(path, cells(4, 1));
    WriteCellsTest.assertCode(
        () -> save(cells(4, 2), path, SaveMode.ErrorIfExists), "ARRAY_EXISTS", path);
    assertSame(path, cells(4, 1));
    save(cells(6, 3), path, SaveMode.Overwrite);
    assertSame(path, cells(6, 3));
    save(cells(3, 4), path, SaveMode.Overwrite);
    assertSame(path, cells(3, 4));
    save(cells(3, 5), path("b.zarr"), SaveMode.Overwrite);
    save(cells(3, 6), path("c.zarr"), SaveMode.Ignore);
    save(cells(3, 7), path("d.zarr"), SaveMode.ErrorIfExists);
    assertSame(path("b.zarr"), cells(3, 5));
    assertSame(path("c.zarr"), cells(3, 6));
    assertSame(path("d.zarr"), cells(3, 7));
  }

  @Test
  void anArrayCanBeOverwrittenFromItself() {
    String path = path("a.zarr");
    save(cells(9, 1), path, SaveMode.Append);
    save(read(path).selectExpr("y", "x", "v + 100 AS v"), path, SaveMode.Overwrite);
    assertSame(path, cells(9, 1).selectExpr("y", "x", "v + 100 AS v"));
  }

  @Test
  void aTaskThatFailsLeavesWhatWasThere() throws IOException {
    String path = path("a.zarr");
    Dataset<Row> failing =
        cells(8, 1).selectExpr("y", "x", "IF(y = 7, raise_error('on purpose'), v) AS v");
    for (SaveMode mode : List.of(SaveMode.ErrorIfExists, SaveMode.Overwrite, SaveMode.Append)) {
      assertThatThrownBy(() -> save(failing, path, mode)).hasStackTraceContaining("on purpose");
      assertThat(keys(path)).isEmpty();
    }
    save(cells(4, 2), path, SaveMode.Append);
    List<String> before = keys(path);
    assertThatThrownBy(() -> save(failing, path, SaveMode.Overwrite))
        .hasStackTraceContaining("on purpose");
    assertSame(path, cells(4, 2));
    assertThatThrownBy(() -> save(failing.where("y >= 4"), path, SaveMode.Append))
        .hasStackTraceContaining("on purpose");
    assertSame(path, cells(4, 2));
    assertThat(keys(path)).isEqualTo(before);
    save(cells(8, 2).where("y >= 4"), path, SaveMode.Append);
    assertSame(path, cells(8, 2));
  }

  @Test
  void aCancelledJobLeavesNothing() throws Exception {
    String path = path("a.zarr");
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<?> write =
          thread.submit(
              () -> {
                spark.sparkContext().setJobGroup("slow", "slow write", true);
                Dataset<Row> slow =
                    cells(8, 1)
                        .selectExpr(
                            "y",
                            "x",
                            "v + length(java_method('java.lang.Thread', 'getAllStackTraces')) * 0"
                                + " + IF(java_method('java.util.concurrent.locks.LockSupport',"
                                + " 'parkNanos', 2000000000L) IS NULL, 0, 0) AS v");
                save(slow, path, SaveMode.Overwrite);
              });
      Thread.sleep(6000);
      spark.sparkContext().cancelJobGroup("slow");
      assertThatThrownBy(write::get).isNotNull();
    } finally {
      thread.shutdownNow();
      spark.sparkContext().clearJobGroup();
    }
    assertThat(keys(path)).isEmpty();
    save(cells(8, 3), path, SaveMode.ErrorIfExists);
    assertSame(path, cells(8, 3));
  }

  @Test
  void ofTwoWritersAtOnceEachSucceedsWhollyOrIsTold() throws Exception {
    for (int round = 0; round < 3; round++) {
      String path = path("race" + round);
      ExecutorService threads = Executors.newFixedThreadPool(2);
      List<Future<Boolean>> results = new ArrayList<>();
      for (int writer = 1; writer <= 2; writer++) {
        Dataset<Row> data = cells(10, writer);
        results.add(
            threads.submit(
                () -> {
                  try {
                    save(data, path, SaveMode.Overwrite);
                    return true;
                  } catch (RuntimeException told) {
                    assertThat(told)
                        .hasMessageMatching("(?s).*ARRAYMORPH_ARRAY_(BEING_WRITTEN|EXISTS).*");
                    return false;
                  }
                }));
      }
      List<Integer> winners = new ArrayList<>();
      for (int writer = 1; writer <= 2; writer++) {
        if (results.get(writer - 1).get()) {
          winners.add(writer);
        }
      }
      threads.shutdown();
      List<Row> now = read(path).orderBy("y", "x").collectAsList();
      assertThat(winners)
          .isNotEmpty()
          .anyMatch(writer -> now.equals(cells(10, writer).orderBy("y", "x").collectAsList()));
    }
  }

  @Test
  void aQueryThatWasPlannedBeforeAReplacementFails() {
    String path = path("a.zarr");
    save(cells(4, 1), path, SaveMode.Append);
    Dataset<Row> planned = read(path);
    Dataset<Row> limited = planned.limit(3);
    assertThat(planned.count()).isEqualTo(20);
    save(cells(4, 2), path, SaveMode.Overwrite);
    // The same grid and type: nothing else would tell new chunks from old ones.
    WriteCellsTest.assertCode(
        () -> planned.selectExpr("sum(v)", "max(x)").collectAsList(), "OBJECT_CHANGED", "replaced");
    WriteCellsTest.assertCode(() -> limited.collectAsList(), "OBJECT_CHANGED", "replaced");
    assertSame(path, cells(4, 2));
  }

  @Test
  void tablesOfTheSessionCatalogTakeInserts() {
    String path = path("t.zarr");
    save(cells(4, 1), path, SaveMode.Append);
    spark.sql("CREATE TABLE inserted USING arraymorph OPTIONS (path '" + path + "', rows 'cells')");
    try {
      assertThat(spark.table("inserted").count()).isEqualTo(20);
      spark.sql("INSERT INTO inserted SELECT y + 4, x, v FROM VALUES (0L, 2L, 7.5D) AS r(y, x, v)");
      assertThat(read(path).where("y = 4 AND x = 2").select("v").collectAsList())
          .singleElement()
          .satisfies(row -> assertThat(row.getDouble(0)).isEqualTo(7.5));
      assertThat(read(path).where("y < 4").count()).isEqualTo(20);
      assertThat(spark.table("inserted").count()).isEqualTo(25);
      assertThat(spark.sql("SELECT t FROM inserted WHERE y = 4 AND x = 2").collectAsList())
          .singleElement()
          .satisfies(row -> assertThat(row.getDouble(0)).isEqualTo(7.5));
    } finally {
      spark.sql("DROP TABLE inserted");
    }
    assertThat(read(path).count()).isEqualTo(25);
  }

  private Dataset<Row> cells(int rows, int factor) {
    return spark
        .range(rows * 5L)
        .selectExpr("id div 5 AS y", "id % 5 AS x", "id * 1D * " + factor + " AS v");
  }

  private static void save(Dataset<Row> data, String path, SaveMode mode) {
    data.write()
        .format("arraymorph")
        .option("dims", "y,x")
        .option("chunks", "2,2")
        .mode(mode)
        .save(path);
  }

  private Dataset<Row> read(String path) {
    return spark.read().format("arraymorph").option("rows", "cells").load(path).toDF("y", "x", "v");
  }

  private void assertSame(String path, Dataset<Row> expected) {
    assertThat(read(path).orderBy("y", "x").collectAsList())
        .isEqualTo(expected.orderBy("y", "x").collectAsList());
  }

  private static List<String> keys(String path) throws IOException {
    if (!Files.exists(Path.of(path))) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(Path.of(path))) {
      return files.filter(Files::isRegularFile).map(Path::toString).sorted().toList();
    }
  }

  private String path(String name) {
    return directory.resolve(name).toString();
  }
}
