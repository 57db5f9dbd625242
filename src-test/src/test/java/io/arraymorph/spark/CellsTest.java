package io.arraymorph.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.arraymorph.testing.SparkSessions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
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
  void coordinatesAlongSeveralDimensionsOrNoneAreColumns() {
    double[] t = new double[3 * 5 * 4];
    Arrays.setAll(t, i -> i);
    double[] lat = new double[20];
    Arrays.setAll(lat, i -> 10 * (i / 4) + i % 4 / 10.0);
    int[] box = {5, 4};
    TestArray.writeGroup(
        directory,
        new TestArray(
            "t",
            new int[] {3, 5, 4},
            new int[] {2, 3, 3},
            List.of("time", "y", "x"),
            "float64",
            t,
            true,
            "\"coordinates\":\"lat height step\""),
        new TestArray("lat", box, new int[] {2, 4}, List.of("y", "x"), "float64", lat, true, ""),
        new TestArray(
            "height", new int[0], new int[0], List.of(), "float64", new double[] {2}, false, ""),
        new TestArray(
            "step",
            new int[] {3, 4},
            new int[] {1, 2},
            List.of("time", "x"),
            "int32",
            new double[] {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23},
            false,
            ""),
        TestArray.coordinate("y", "float64", new double[] {5, 4, 3, 2, 1}, ""));
    Dataset<Row> cells =
        spark.read().format("arraymorph").option("rows", "cells").load(directory.toString());
    assertThat(cells.schema().simpleString())
        .isEqualTo(
            "struct<time:bigint,y:double,x:bigint,height:double,lat:double,step:int,t:double>");
    List<Row> rows = cells.orderBy("t").collectAsList();
    assertThat(rows).hasSize(60);
    for (int i = 0; i < 60; i++) {
      assertThat(rows.get(i).getDouble(3)).isEqualTo(2);
      assertThat(rows.get(i).getDouble(4)).isEqualTo(lat[i % 20]);
      assertThat(rows.get(i).getInt(5)).isEqualTo(10 * (i / 20) + i % 4);
    }
    Dataset<Row> some = cells.where("lat BETWEEN 10.2 AND 30.05 AND time <> 1 AND height > 1");
    assertThat(some.queryExecution().executedPlan().toString())
        .contains("filtered by [lat >= 10.2, lat <= 30.05")
        .contains("not pushed []");
    assertThat(some.selectExpr("count(*)", "sum(t)", "max(lat)", "min(step)").first().toString())
        .isEqualTo(expected(t, lat));
    assertThat(cells.selectExpr("sum(lat)").first().getDouble(0))
        .isCloseTo(3 * Arrays.stream(lat).sum(), within(1e-9));
    assertThat(spark.read().format("arraymorph").load(directory.toString()).schema().fieldNames())
        .containsExactly("time", "y", "x", "t");
  }

  private static String expected(double[] t, double[] lat) {
    long count = 0;
    double sum = 0;
    double max = 0;
    for (int i = 0; i < 60; i++) {
      double here = lat[i % 20];
      if (here >= 10.2 && here <= 30.05 && i / 20 != 1) {
        count++;
        sum += t[i];
        max = Math.max(max, here);
      }
    }
    return "[" + count + "," + sum + "," + max + ",0]";
  }

  @Test
  void theFillValueOfVersion2IsMissingWhereTheOptionSaysSo() throws IOException {
    Files.writeString(
        directory.resolve(".zarray"),
        "{\"zarr_format\":2,\"shape\":[4],\"chunks\":[2],\"dtype\":\"|i1\",\"fill_value\":7,"
            + "\"compressor\":null,\"filters\":null,\"order\":\"C\"}");
    Files.write(directory.resolve("0"), new byte[] {7, 3});
    Dataset<Row> values =
        spark
            .read()
            .format("arraymorph")
            .option("rows", "cells")
            .load(directory.toString())
            .toDF("i", "v");
    assertThat(values.orderBy("i").selectExpr("v").collectAsList().toString())
        .isEqualTo("[[7], [3], [7], [7]]");
    Dataset<Row> missing =
        spark
            .read()
            .format("arraymorph")
            .option("rows", "cells")
            .option("v2-fill", "missing")
            .load(directory.toString())
            .toDF("i", "v");
    assertThat(missing.orderBy("i").selectExpr("v").collectAsList().toString())
        .isEqualTo("[[null], [3], [null], [null]]");
    assertThat(missing.where("v IS NULL").selectExpr("count(*)", "max(i)").first().toString())
        .isEqualTo("[3,3]");
  }

  @Test
  void countNeedsNoData() {
    assertThat(cells().count()).isEqualTo(24);
    assertThat(cells().selectExpr("_index.lat", "_chunk").distinct().count()).isEqualTo(12);
  }
}
