package io.arraymorph.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.testing.SparkSessions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** DataFrames of cells become arrays, and are read back as they were. */
class WriteCellsTest {
  private final SparkSession spark = SparkSessions.shared();

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"none", "zstd", "zstd:5", "gzip", "blosc:lz4:shuffle"})
  void everyCompressionWithAndWithoutShardsReadsBack(String compression) {
    Dataset<Row> cells = cells(11, 13);
    for (String shards : List.of("", "4,12")) {
      String path = path("a.zarr");
      cells
          .write()
          .format("arraymorph")
          .option("dims", "y,x")
          .option("shape", "11,13")
          .option("chunks", "2,6")
          .option("shards", shards)
          .option("compression", compression)
          .mode("overwrite")
          .save(path);
      assertSame(read(path).toDF("y", "x", "v"), cells);
    }
  }

  @Test
  void randomShapesChunksAndOrdersReadBackWithFillWhereNoRowWas() {
    for (int seed = 0; seed < 6; seed++) {
      Random random = new Random(seed);
      int rows = 1 + random.nextInt(20);
      int columns = 1 + random.nextInt(20);
      String path = path("random" + seed);
      Dataset<Row> all = cells(rows, columns).cache();
      Dataset<Row> some = all.where("pmod(hash(y, x, " + seed + "), 3) > 0").repartition(3);
      var writer =
          some.write()
              .format("arraymorph")
              .option("dims", "y,x")
              .option("chunks", 1 + random.nextInt(7) + "," + (1 + random.nextInt(7)));
      if (random.nextBoolean()) {
        writer = writer.option("shape", rows + "," + columns);
      }
      writer.save(path);
      Dataset<Row> now = read(path).toDF("y", "x", "v");
      assertSame(now.where("NOT isnan(v)"), some);
      Row size = some.selectExpr("max(y) + 1", "max(x) + 1").first();
      long cells = now.count();
      assertThat(cells)
          .describedAs("seed %d", seed)
          .isIn((long) rows * columns, size.getLong(0) * size.getLong(1));
    }
  }

  @Test
  void everyTypeReadsBack() {
    Dataset<Row> typed =
        spark
            .range(1, 41)
            .selectExpr(
                "id - 1 AS i",
                "id % 2 = 0 AS b",
                "CAST(id - 20 AS BYTE) AS i8",
                "CAST(id * -700 AS SHORT) AS i16",
                "CAST(id * -70000 AS INT) AS i32",
                "id * -70000000000 AS i64",
                "CAST(id / 3 AS FLOAT) AS f32",
                "id / 7 AS f64",
                "concat('ä', repeat('x', CAST(id % 5 AS INT))) AS s",
                "CAST(concat('b', id) AS BINARY) AS bin",
                "timestamp_micros(id * 1000003 - 40000000) AS t",
                "CAST(timestamp_micros(id * 1000003) AS TIMESTAMP_NTZ) AS n",
                "date_add(DATE'1969-12-20', CAST(id AS INT)) AS d",
                "CAST(18446744073709551615 - id AS DECIMAL(20,0)) AS u64");
    String path = path("types.zarr");
    typed.write().format("arraymorph").option("dims", "i").option("chunks", "16").save(path);
    Dataset<Row> now = read(path).select("i", columns(typed));
    assertSame(
        now.withColumn("d", now.col("d").cast(DataTypes.DateType)).toDF(typed.columns()), typed);
  }

  @Test
  void coordinatesBecomeArraysOfTheGroup() throws IOException {
    String path = path("group.zarr");
    Dataset<Row> cells = coordinates(0, 6);
    cells.write().format("arraymorph").option("dims", "time,lat,station").save(path);
    assertSame(read(path).select("time", "lat", "station", "u", "v"), cells);
    assertThat(keys(path))
        .contains("zarr.json", "time/zarr.json", "lat/c/0", "station/zarr.json", "u/c/0/0/0")
        .noneMatch(key -> key.contains("_arraymorph"));
    assertThat(Files.readString(Path.of(path, "zarr.json")))
        .contains("consolidated_metadata", "microseconds since 1970-01-01");
  }

  @Test
  void appendingGrowsTheAxisAndItsCoordinates() {
    String path = path("group.zarr");
    coordinates(0, 6).write().format("arraymorph").option("dims", "time,lat,station").save(path);
    coordinates(6, 9).write().format("arraymorph").mode("append").save(path);
    coordinates(9, 10).write().format("arraymorph").mode("append").save(path);
    assertSame(read(path).select("time", "lat", "station", "u", "v"), coordinates(0, 10));
    assertCode(
        () -> coordinates(9, 11).write().format("arraymorph").mode("append").save(path),
        "OUT_OF_BOUNDS",
        "exists already");
    assertCode(
        () ->
            coordinates(10, 11)
                .withColumn("lat", org.apache.spark.sql.functions.lit(12.25))
                .write()
                .format("arraymorph")
                .mode("append")
                .save(path),
        "OUT_OF_BOUNDS",
        "12.25");
    assertCode(
        () -> coordinates(10, 11).drop("v").write().format("arraymorph").mode("append").save(path),
        "INVALID_OPTION",
        "[v]");
    assertSame(read(path).select("time", "lat", "station", "u", "v"), coordinates(0, 10));
  }

  @Test
  void appendingAlongAnyAxisKeepsPartialChunks() {
    String path = path("a.zarr");
    cells(5, 7)
        .write()
        .format("arraymorph")
        .option("dims", "y,x")
        .option("chunks", "3,4")
        .save(path);
    Dataset<Row> right = cells(5, 12).where("x >= 7");
    right.write().format("arraymorph").option("append-dim", "x").mode("append").save(path);
    Dataset<Row> below = cells(9, 12).where("y >= 5");
    below.write().format("arraymorph").mode("append").save(path);
    assertSame(read(path).toDF("y", "x", "v"), cells(5, 7).union(right).union(below));
  }

  @Test
  void nullsAreStoredOnlyWhereTheyCanBeToldFromValues() {
    Dataset<Row> nulls =
        spark.range(10).selectExpr("id AS i", "IF(id % 3 = 0, NULL, CAST(id AS INT)) AS v");
    String path = path("nulls.zarr");
    assertCode(
        () -> nulls.write().format("arraymorph").option("dims", "i").save(path),
        "TYPE_MISMATCH",
        "NULL");
    assertThat(Files.exists(Path.of(path))).isFalse();
    nulls.write().format("arraymorph").option("dims", "i").option("fill", "-9").save(path);
    assertSame(read(path).toDF("i", "v"), nulls);

    Dataset<Row> floats = nulls.selectExpr("i", "CAST(v AS DOUBLE) AS v");
    String floating = path("floats.zarr");
    floats.write().format("arraymorph").option("dims", "i").save(floating);
    assertSame(
        read(floating).toDF("i", "v"), floats.selectExpr("i", "coalesce(v, double('NaN')) AS v"));
  }

  @Test
  void twoRowsForOneCellAreAnErrorUnlessTheLastWins() {
    Dataset<Row> twice =
        cells(6, 6).union(cells(6, 6).where("y = 3").selectExpr("y", "x", "v + 1000 AS v"));
    String path = path("twice.zarr");
    assertCode(
        () -> twice.write().format("arraymorph").option("dims", "y,x").save(path),
        "DUPLICATE_CELL",
        "duplicates=last");
    assertThat(Files.exists(Path.of(path))).isFalse();
    twice
        .write()
        .format("arraymorph")
        .option("dims", "y,x")
        .option("duplicates", "last")
        .save(path);
    assertSame(
        read(path).toDF("y", "x", "v"),
        cells(6, 6).selectExpr("y", "x", "IF(y = 3, v + 1000, v) AS v"));
  }

  @Test
  void badInputIsToldByNameAndLeavesNothing() {
    String path = path("bad.zarr");
    Dataset<Row> cells = cells(4, 4);
    assertCode(
        () -> cells.write().format("arraymorph").option("dims", "y,z").save(path),
        "UNKNOWN_DIMENSION",
        "z");
    assertCode(
        () ->
            cells
                .write()
                .format("arraymorph")
                .option("dims", "y,x")
                .option("shape", "4,3")
                .save(path),
        "OUT_OF_BOUNDS",
        "index 3 of dimension x");
    assertCode(
        () ->
            cells
                .selectExpr("y - 1 AS y", "x", "v")
                .write()
                .format("arraymorph")
                .option("dims", "y,x")
                .save(path),
        "OUT_OF_BOUNDS",
        "-1");
    assertCode(
        () ->
            cells
                .selectExpr("IF(y = 2, NULL, y) AS y", "x", "v")
                .write()
                .format("arraymorph")
                .option("dims", "y,x")
                .save(path),
        "OUT_OF_BOUNDS",
        "dimension y");
    assertCode(
        () ->
            cells
                .selectExpr("y", "x", "map(1, v) AS v")
                .write()
                .format("arraymorph")
                .option("dims", "y,x")
                .save(path),
        "UNSUPPORTED_TYPE",
        "map<int,double>");
    for (String[] option :
        List.of(
            new String[] {"chunks", "4"},
            new String[] {"chunks", "0,4"},
            new String[] {"chunks", "a,b"},
            new String[] {"shape", "-1,4"},
            new String[] {"shards", "4,4"},
            new String[] {"compression", "lzma"},
            new String[] {"fill", "blue"},
            new String[] {"duplicates", "first"},
            new String[] {"dims", "y,,x"})) {
      assertCode(
          () ->
              cells
                  .write()
                  .format("arraymorph")
                  .option("dims", "y,x")
                  .option(option[0], option[1])
                  .save(path),
          "INVALID_OPTION",
          option[0]);
    }
    assertThat(Files.exists(Path.of(path))).isFalse();
  }

  private Dataset<Row> cells(int rows, int columns) {
    return spark
        .range((long) rows * columns)
        .selectExpr("id div " + columns + " AS y", "id % " + columns + " AS x", "id * 0.5D AS v");
  }

  private Dataset<Row> coordinates(int from, int to) {
    return spark
        .range(from * 20L, to * 20L)
        .selectExpr(
            "timestamp_micros((id div 20) * 3600000000) AS time",
            "90D - (id div 5) % 4 * 7.5D AS lat",
            "concat('station ', id % 5) AS station",
            "CAST(id AS INT) AS u",
            "id * 0.25D AS v");
  }

  private static String[] columns(Dataset<Row> data) {
    return Stream.of(data.columns()).skip(1).toArray(String[]::new);
  }

  private Dataset<Row> read(String path) {
    return spark.read().format("arraymorph").option("rows", "cells").load(path);
  }

  private String path(String name) {
    return directory.resolve(name).toString();
  }

  private static List<String> keys(String path) throws IOException {
    try (Stream<Path> files = Files.walk(Path.of(path))) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> Path.of(path).relativize(file).toString())
          .toList();
    }
  }

  private static void assertSame(Dataset<Row> actual, Dataset<Row> expected) {
    assertThat(actual.exceptAll(expected).collectAsList()).isEmpty();
    assertThat(expected.exceptAll(actual).collectAsList()).isEmpty();
    assertThat(expected.count()).isPositive();
  }

  static void assertCode(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable write, String code, String text) {
    assertThatThrownBy(write)
        .hasMessageContaining("[ARRAYMORPH_" + code + "]")
        .hasMessageContaining(text);
  }
}
