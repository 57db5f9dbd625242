package io.arraymorph.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.testing.SparkSessions;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CellsTest {
  private final SparkSession spark = SparkSessions.shared();

  @TempDir Path directory;

  private Dataset<Row> cells() {
    double[] values = new double[4 * 6];
    for (int i = 0; i < values.length; i++) {
      values[i] = i;
    }
    TestArray.writeGroup(
        directory,
        new TestArray(
            "v",
            new int[] {4, 6},
            new int[] {3, 4},
            List.of("time", "lat"),
            "float64",
            values,
            true,
            ""),
        TestArray.coordinate(
            "time", "int32", new double[] {0, 1, 2, 3}, "\"units\":\"days since 2020-01-01\""),
        TestArray.coordinate("lat", "float64", new double[] {50, 40, 30, 20, 10, 0}, ""));
    return spark.read().format("arraymorph").option("rows", "cells").load(directory.toString());
  }

  @Test
  void eachCellIsARowWithItsCoordinates() {
    Dataset<Row> cells = cells();
    assertThat(cells.schema().simpleString())
        .isEqualTo("struct<time:timestamp,lat:double,v:double>");
    List<Row> rows = cells.orderBy("v").collectAsList();
    assertThat(rows).hasSize(24);
    for (int i = 0; i < 24; i++) {
      assertThat(rows.get(i).getTimestamp(0).toInstant().toString())
          .isEqualTo("2020-01-0" + (1 + i / 6) + "T00:00:00Z");
      assertThat(rows.get(i).getDouble(1)).isEqualTo(50.0 - 10 * (i % 6));
      assertThat(rows.get(i).getDouble(2)).isEqualTo(i);
    }
  }

  @Test
  void predicatesOnCoordinatesLeaveNoFilterBehind() {
    Dataset<Row> some =
        cells().where("time >= TIMESTAMP '2020-01-02 00:00:00Z' AND lat BETWEEN 20 AND 30");
    String plan = some.queryExecution().toString();
    assertThat(plan).doesNotContain("\n+- Filter").contains("hyperslab [time=1:4, lat=2:4]");
    assertThat(some.agg(org.apache.spark.sql.functions.sum("v")).first().getDouble(0))
        .isEqualTo(8 + 9 + 14 + 15 + 20 + 21);
  }

  @Test
  void countNeedsNoData() {
    assertThat(cells().count()).isEqualTo(24);
    assertThat(cells().selectExpr("_index.lat", "_chunk").distinct().count()).isEqualTo(12);
  }
}
