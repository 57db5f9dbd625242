package io.arraymorph.spark;

import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.testing.SparkSessions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What plans say, and how scans behave at the edges. */
class ScanTest {
  private final SparkSession spark = SparkSessions.shared();

  @TempDir Path directory;

  private Dataset<Row> load(String path, String rows) {
    return spark.read().format("arraymorph").option("rows", rows).load(path);
  }

  private void writeGrid(Path path) {
    double[] values = new double[12 * 10];
    Arrays.setAll(values, i -> i);
    TestArray.writeGroup(
        path,
        new TestArray(
            "v",
            new int[] {12, 10},
            new int[] {3, 5},
            List.of("t", "x"),
            "float64",
            values,
            false,
            ""),
        TestArray.coordinate(
            "t",
            "int32",
            new double[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
            "\"units\":\"hours since 2020-02-28 18:00\""));
  }

  @Test
  void explainNamesHyperslabChunksRequestsBytesAndPredicates() {
    writeGrid(directory);
    String plan =
        load(directory.toString(), "cells")
            .where("x IN (1, 7) AND v > 3 AND sqrt(v) > 1 AND hour(t) = 19")
            .select("v")
            .queryExecution()
            .toString();
    assertThat(plan)
        .contains("t=1:2, x=1:2 7:8")
        .contains("chunks ")
        .contains("requests [")
        .contains("bytes to move ")
        .contains("partitions 1")
        .contains("filtered by [v > 3.0")
        .containsPattern("not pushed \\[SQRT\\(");
  }

  @Test
  void datePartsSelectIndices() {
    writeGrid(directory);
    spark.conf().set("spark.sql.session.timeZone", "UTC");
    try {
      Dataset<Row> cells = load(directory.toString(), "cells");
      for (String predicate :
          List.of(
              "hour(t) IN (18, 2)",
              "day(t) = 29",
              "date(t) = DATE '2020-02-29'",
              "year(t) = 2020 AND NOT month(t) = 3",
              "dayofyear(t) > 59",
              "t > TIMESTAMP '2020-02-28 20:00:00' AND t <= '2020-02-29 01:00:00'")) {
        Dataset<Row> pushed = cells.where(predicate);
        Dataset<Row> kept = cells.where("rand() >= 0").selectExpr("*").where(predicate);
        List<Double> values =
            kept.select("v").collectAsList().stream().map(r -> r.getDouble(0)).toList();
        assertThat(pushed.queryExecution().toString()).as(predicate).contains("not pushed []");
        assertThat(
                pushed.orderBy("v").select("v").collectAsList().stream()
                    .map(r -> r.getDouble(0))
                    .toList())
            .as(predicate)
            .isEqualTo(values.stream().sorted().toList())
            .isEqualTo(oracle(predicate));
      }
    } finally {
      spark.conf().unset("spark.sql.session.timeZone");
    }
  }

  /** The same predicate on rows that Spark made itself. */
  private List<Double> oracle(String predicate) {
    return spark
        .range(120)
        .selectExpr(
            "double(id) AS v",
            "TIMESTAMP '2020-02-28 18:00:00' + make_interval(0,0,0,0,int(id div 10)) AS t")
        .where(predicate)
        .orderBy("v")
        .collectAsList()
        .stream()
        .map(r -> r.getDouble(0))
        .toList();
  }

  @Test
  void joinsReadOnlyTheRowsThatTheOtherSideHas() {
    writeGrid(directory.resolve("g"));
    RecordingObjectStore store = CountedStoreProvider.register("joins", directory);
    load("counted://joins/g", "cells").createOrReplaceTempView("cells_of_join");
    spark.range(20).selectExpr("id AS k", "id % 7 AS g").createOrReplaceTempView("keys");
    store.clear();
    List<Row> rows =
        spark
            .sql(
                "SELECT sum(v), count(*) FROM cells_of_join JOIN keys ON x = k"
                    + " WHERE g = 2 AND k < 5")
            .collectAsList();
    assertThat(rows.get(0).getLong(1)).isEqualTo(12);
    Set<String> read =
        store.requests().stream()
            .map(RecordingObjectStore.Request::key)
            .filter(key -> key.contains("/v/"))
            .collect(Collectors.toSet());
    assertThat(read).containsExactlyInAnyOrder("g/v/c/0/0", "g/v/c/1/0", "g/v/c/2/0", "g/v/c/3/0");
  }

  @Test
  void aggregatesAreComputedOnChunks() {
    writeGrid(directory);
    Dataset<Row> cells = load(directory.toString(), "cells");
    Dataset<Row> byTime = cells.where("x < 3").groupBy("t").agg(expr("avg(v)"), expr("count(*)"));
    assertThat(byTime.queryExecution().toString())
        .contains("aggregates [SUM, COUNT_ALL, COUNT_ALL] by [t]");
    assertThat(byTime.orderBy("t").collectAsList().get(11).getDouble(1)).isEqualTo(111);
    List<Row> none = cells.where("x > 100").selectExpr("count(*)", "max(v)").collectAsList();
    assertThat(none.get(0).getLong(0)).isZero();
    assertThat(none.get(0).isNullAt(1)).isTrue();
    // What filters rows after the scan keeps aggregates with Spark.
    assertThat(cells.where("sqrt(v) > 1").selectExpr("sum(v)").queryExecution().toString())
        .doesNotContain("aggregates [");
  }

  @Test
  void metricsOfTheScanCountWhatWasDone() {
    writeGrid(directory);
    spark.conf().set("spark.sql.adaptive.enabled", "false");
    try {
      Dataset<Row> some = load(directory.toString(), "tensors").where("t < '2020-02-28 20:30:00Z'");
      some.collect();
      Map<String, Long> metrics =
          ScanMetrics.of(
              some,
              "chunks read",
              "requests",
              "bytes read",
              "bytes needed",
              "retries",
              "chunks planned cached",
              "cache hits");
      assertThat(metrics)
          .containsEntry("chunks read", 2L)
          .containsEntry("requests", 2L)
          .containsEntry("bytes read", 240L)
          .containsEntry("bytes needed", 240L)
          .containsEntry("retries", 0L)
          .containsEntry("chunks planned cached", 0L)
          .containsEntry("cache hits", 0L);
    } finally {
      spark.conf().unset("spark.sql.adaptive.enabled");
    }
  }

  @Test
  void aBillionChunksArePlannedQuickly() throws IOException {
    int[] none = {0};
    new TestArray("huge", none, new int[] {1}, List.of(), "int32", new double[0], true, "")
        .write(directory);
    Files.writeString(
        directory.resolve("zarr.json"),
        Files.readString(directory.resolve("zarr.json"))
            .replace("\"shape\":[0]", "\"shape\":[1000000, 1000000, 1000]")
            .replace("\"chunk_shape\":[1]", "\"chunk_shape\":[100, 100, 100]"));
    Dataset<Row> warm = load(directory.toString(), "tensors").where("dim_0 < 3");
    assertThat(warm.queryExecution().executedPlan().toString()).contains("of 1000000000");
    Instant start = Instant.now();
    Dataset<Row> all = load(directory.toString(), "tensors");
    String plan = all.queryExecution().executedPlan().toString();
    Duration took = Duration.between(start, Instant.now());
    assertThat(plan).contains("chunks 1000000000 of 1000000000").contains("partitions 20000");
    // Everything, Spark's own work and a busy machine included.
    assertThat(took).isLessThan(Duration.ofSeconds(2));
    List<Row> some = all.where("dim_0 = 999999 AND dim_1 = 5 AND dim_2 >= 998").collectAsList();
    assertThat(some).hasSize(1);
    assertThat(some.get(0).getStruct(3).getList(0)).isEqualTo(List.of(0, 0));
  }

  @Test
  void badInputIsACodedError() {
    assertThatThrownBy(() -> load(directory.resolve("nothing").toString(), "tensors"))
        .hasMessageContaining("[ARRAYMORPH_NOT_AN_ARRAY]");
    writeGrid(directory);
    assertThatThrownBy(() -> load(directory.toString(), "t,depth").schema())
        .hasMessageContaining("[ARRAYMORPH_UNKNOWN_DIMENSION]")
        .hasMessageContaining("depth");
    assertThatThrownBy(
            () -> spark.read().format("arraymorph").option("array", "w").load(directory.toString()))
        .hasMessageContaining("[ARRAYMORPH_UNKNOWN_ARRAY]");
    assertThatThrownBy(
            () ->
                spark
                    .read()
                    .format("arraymorph")
                    .option("slice", "t=@0:1,,")
                    .load(directory.toString())
                    .count())
        .hasMessageContaining("[ARRAYMORPH_INVALID_SLICE]");
    assertThatThrownBy(
            () ->
                spark
                    .read()
                    .format("arraymorph")
                    .option("piece", "1,2,3")
                    .load(directory.toString())
                    .count())
        .hasMessageContaining("[ARRAYMORPH_INVALID_OPTION]");
    assertThatThrownBy(
            () ->
                spark
                    .read()
                    .format("arraymorph")
                    .schema("t TIMESTAMP, nope INT")
                    .load(directory.toString())
                    .count())
        .hasMessageContaining("[ARRAYMORPH_TYPE_MISMATCH]");
  }

  @Test
  void anAbsentChunkIsFillOrAnErrorThatNamesIt() throws IOException {
    writeGrid(directory);
    Files.delete(directory.resolve("v/c/1/1"));
    Dataset<Row> filled = load(directory.toString(), "cells").where("x >= 5");
    assertThat(filled.where("isnan(v)").count()).isEqualTo(15);
    assertThatThrownBy(
            () ->
                spark
                    .read()
                    .format("arraymorph")
                    .option("missing", "error")
                    .load(directory.toString())
                    .collect())
        .hasStackTraceContaining("[ARRAYMORPH_CHUNK_MISSING]")
        .hasStackTraceContaining("chunk c/1/1 of");
  }

  @Test
  void slicesAndPredicatesNarrowTogether() {
    writeGrid(directory);
    Dataset<Row> sliced =
        spark
            .read()
            .format("arraymorph")
            .option("rows", "t")
            .option("slice", "x=@0:10:3; t=2020-02-28T20:00:00:2020-02-28T21:00:00")
            .load(directory.toString());
    assertThat(sliced.where("x <= 3").selectExpr("sum(size(v.data))").first().getLong(0))
        .isEqualTo(12 * 2 + 2 * 2);
  }
}
