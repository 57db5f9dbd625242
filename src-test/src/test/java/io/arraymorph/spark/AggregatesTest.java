package io.arraymorph.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.testing.SparkSessions;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Aggregates that tasks compute: the results of Spark, with less I/O. */
class AggregatesTest {
  private static final double LARGE = 0x1p62;

  private final SparkSession spark = SparkSessions.shared();

  @TempDir Path directory;

  /** Cells of 6 x 4 with some variables; latitude falls, longitude is in no order. */
  private Dataset<Row> cells(String store) {
    double[] large = new double[24];
    Arrays.setAll(large, i -> i % 3 == 0 ? LARGE : i);
    double[] unsigned = new double[24];
    Arrays.setAll(unsigned, i -> i % 2 == 0 ? 0x1p63 : i);
    double[] values = new double[24];
    Arrays.setAll(values, i -> i % 5 == 0 ? -999 : i / 4.0);
    TestArray.writeGroup(
        directory.resolve("g"),
        variable("big", "int64", large, ""),
        variable("u", "uint64", unsigned, ""),
        variable("v", "float64", values, "\"_FillValue\":-999.0"),
        TestArray.coordinate("lat", "float64", new double[] {50, 40, 30, 20, 10, 0}, ""),
        TestArray.coordinate(
            "lon", "float64", new double[] {3, -999, 7, 1}, "\"_FillValue\":-999.0"));
    RecordingObjectStore counted = CountedStoreProvider.register(store, directory);
    Dataset<Row> cells =
        spark.read().format("arraymorph").option("rows", "cells").load("counted://" + store + "/g");
    assertThat(counted.requests()).isNotEmpty();
    return cells;
  }

  private static TestArray variable(String name, String type, double[] values, String attributes) {
    return new TestArray(
        name,
        new int[] {6, 4},
        new int[] {4, 3},
        List.of("lat", "lon"),
        type,
        values,
        true,
        attributes);
  }

  private static List<String> texts(Dataset<Row> rows) {
    return rows.collectAsList().stream().map(Row::toString).sorted().collect(Collectors.toList());
  }

  /** The same cells as rows in memory, which no source can aggregate. */
  private Dataset<Row> inMemory(Dataset<Row> cells) {
    return spark.createDataFrame(cells.collectAsList(), cells.schema());
  }

  private static String plan(Dataset<Row> rows) {
    return rows.queryExecution().executedPlan().toString();
  }

  private void withAnsi(boolean ansi, Runnable test) {
    String before = spark.conf().get("spark.sql.ansi.enabled");
    spark.conf().set("spark.sql.ansi.enabled", Boolean.toString(ansi));
    try {
      test.run();
    } finally {
      spark.conf().set("spark.sql.ansi.enabled", before);
    }
  }

  @Test
  void countsAndCoordinatesNeedNoChunkOfData() {
    Dataset<Row> cells = cells("metadata");
    RecordingObjectStore store = CountedStoreProvider.registered("metadata");
    store.clear();
    Dataset<Row> some = cells.where("lat BETWEEN 10 AND 30");
    assertThat(texts(some.selectExpr("count(*)", "min(lat)", "max(lat)", "min(lon)", "max(lon)")))
        .containsExactly("[12,10.0,30.0,1.0,7.0]");
    assertThat(plan(some.selectExpr("min(lon)"))).contains("LocalTableScan");
    assertThat(texts(cells.where("lon > 5 AND lon < 6").selectExpr("count(*)", "max(lat)")))
        .containsExactly("[0,null]");
    assertThat(texts(cells.groupBy("lat").count()))
        .containsExactly("[0.0,4]", "[10.0,4]", "[20.0,4]", "[30.0,4]", "[40.0,4]", "[50.0,4]");
    assertThat(texts(cells.groupBy("lat").agg(org.apache.spark.sql.functions.max("lon"))))
        .contains("[0.0,7.0]");
    assertThat(store.requests())
        .isNotEmpty()
        .allMatch(r -> r.key().startsWith("g/lat/") || r.key().startsWith("g/lon/"));
  }

  @Test
  void sumsOf64BitsWrapOrFailAsThoseOfSpark() {
    Dataset<Row> cells = cells("wrap");
    Dataset<Row> oracle = inMemory(cells);
    for (String by : List.of("lat", "lon", "lat, lon", "")) {
      String[] groups = by.isEmpty() ? new String[0] : by.split(", ");
      for (String sum : List.of("sum(big)", "avg(big)", "sum(u)", "avg(u)", "min(u)", "max(u)")) {
        withAnsi(
            false,
            () ->
                assertThat(texts(grouped(cells, groups, sum)))
                    .as(sum + " by " + by)
                    .isEqualTo(texts(grouped(oracle, groups, sum))));
      }
    }
    Dataset<Row> total = cells.selectExpr("sum(big)");
    assertThat(plan(total)).contains("aggregates [SUM]");
    assertThat(plan(cells.selectExpr("avg(big)"))).doesNotContain("aggregates [");
    assertThat(plan(cells.selectExpr("avg(v)"))).contains("aggregates [SUM, COUNT]");
    withAnsi(
        true,
        () ->
            assertThatThrownBy(() -> cells.selectExpr("sum(big)").collectAsList())
                .hasStackTraceContaining("ARITHMETIC_OVERFLOW"));
    withAnsi(
        true,
        () ->
            assertThat(texts(grouped(cells, new String[] {"lat", "lon"}, "sum(big)")))
                .isEqualTo(texts(grouped(oracle, new String[] {"lat", "lon"}, "sum(big)"))));
    assertThat(texts(cells.selectExpr("try_sum(big)")))
        .isEqualTo(texts(oracle.selectExpr("try_sum(big)")));
  }

  private static Dataset<Row> grouped(Dataset<Row> rows, String[] groups, String aggregate) {
    return rows.groupBy(
            Arrays.stream(groups)
                .map(org.apache.spark.sql.functions::col)
                .toArray(org.apache.spark.sql.Column[]::new))
        .agg(org.apache.spark.sql.functions.expr(aggregate));
  }

  @Test
  void valuePredicatesAreEvaluatedWhileReading() {
    Dataset<Row> cells = cells("values");
    Dataset<Row> oracle = inMemory(cells);
    for (String predicate :
        List.of(
            "v > 2.5",
            "NOT (v > 2.5)",
            "v IS NULL",
            "v IS NOT NULL AND u <> 3",
            "v IN (0.25, 1, 2.25, 3, 5.75)",
            "v NOT IN (0.25, 1, 2.25, 3, 5.75)",
            "v <=> NULL OR lat > 40",
            "(lat > 20 AND v < 3) OR (lon IS NULL AND big > 5)",
            "u > 9223372036854775807",
            "u = 9223372036854775808 OR big = 4611686018427387904",
            "float(v) > 1 AND big < 10")) {
      Dataset<Row> some = cells.where(predicate);
      Dataset<Row> expected = oracle.where(predicate);
      assertThat(texts(some)).as(predicate).isEqualTo(texts(expected));
      String[] aggregates = {"count(*)", "sum(v)", "max(lat)", "min(big)", "count(v)", "avg(v)"};
      assertThat(texts(some.selectExpr(aggregates)))
          .as(predicate)
          .isEqualTo(texts(expected.selectExpr(aggregates)));
      assertThat(texts(grouped(some, new String[] {"lat"}, "sum(v)")))
          .as(predicate + " by lat")
          .isEqualTo(texts(grouped(expected, new String[] {"lat"}, "sum(v)")));
      if (!predicate.contains("float")) {
        assertThat(plan(some)).as(predicate).contains("not pushed []").doesNotContain("Filter ");
        assertThat(plan(some.selectExpr("max(v)"))).contains("aggregates [MAX]");
      }
    }
  }

  @Test
  void aLimitCountsTheCellsThatAreLeft() {
    Dataset<Row> cells = cells("limited");
    assertThat(cells.where("v > 1").limit(7).collectAsList())
        .hasSize(7)
        .allMatch(row -> row.<Double>getAs("v") > 1);
    assertThat(cells.where("v > 5.5").limit(7).collectAsList()).hasSize(1);
  }
}
