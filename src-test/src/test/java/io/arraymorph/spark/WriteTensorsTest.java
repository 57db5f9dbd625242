package io.arraymorph.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.testing.SparkSessions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** DataFrames of tensor rows become arrays, whatever their pieces have to do with chunks. */
class WriteTensorsTest {
  private final SparkSession spark = SparkSessions.shared();

  @TempDir Path directory;

  @Test
  void aRowIsAChunkByDefault() throws Exception {
    String path = path("a.zarr");
    pieces(3, 4, 200, 300).write().format("arraymorph").save(path);
    assertSame(path, 3, 4, 200, 300);
    try (Stream<Path> chunks = Files.walk(Path.of(path, "c"))) {
      assertThat(chunks.filter(Files::isRegularFile)).hasSize(12);
    }
  }

  @Test
  void piecesNeedNotBeChunks() {
    for (String chunks : List.of("3,5", "20,30", "7,4", "1,30")) {
      String path = path("chunks" + chunks);
      pieces(3, 4, 5, 6)
          .repartition(5)
          .write()
          .format("arraymorph")
          .option("chunks", chunks)
          .save(path);
      assertSame(path, 3, 4, 5, 6);
    }
  }

  @Test
  void rowsMayLackAxes() {
    Dataset<Row> images =
        spark
            .range(10)
            .selectExpr(
                "id AS image",
                "named_struct('data', transform(sequence(0, 11), i -> CAST(id * 12 + i AS SHORT)),"
                    + " 'shape', array(3, 4)) AS pixels");
    String path = path("images.zarr");
    images.write().format("arraymorph").save(path);
    Dataset<Row> cells = spark.read().format("arraymorph").option("rows", "cells").load(path);
    assertThat(cells.columns()).startsWith("image", "dim_1", "dim_2");
    assertThat(cells.toDF("image", "y", "x", "v").where("v != image * 12 + y * 4 + x").count())
        .isZero();
    assertThat(cells.count()).isEqualTo(120);
    images
        .selectExpr("image + 10 AS image", "pixels")
        .write()
        .format("arraymorph")
        .mode("append")
        .save(path);
    assertThat(spark.read().format("arraymorph").option("rows", "cells").load(path).count())
        .isEqualTo(240);
  }

  @Test
  void whatWasReadCanBeWritten() {
    String source = path("source.zarr");
    spark
        .range(0, 600)
        .selectExpr(
            "timestamp_micros((id div 20) * 3600000000) AS time",
            "90D - (id % 20) * 4.5D AS lat",
            "CAST(id AS INT) AS u",
            "CAST(id AS FLOAT) AS v")
        .write()
        .format("arraymorph")
        .option("dims", "time,lat")
        .option("chunks", "7,6")
        .save(source);
    Dataset<Row> original = spark.read().format("arraymorph").option("rows", "cells").load(source);
    Dataset<Row> tensors = spark.read().format("arraymorph").load(source);

    String copy = path("copy.zarr");
    tensors.selectExpr("*", "_coords").write().format("arraymorph").save(copy);
    Dataset<Row> now = spark.read().format("arraymorph").option("rows", "cells").load(copy);
    assertThat(now.exceptAll(original).collectAsList()).isEmpty();
    assertThat(original.exceptAll(now).collectAsList()).isEmpty();

    WriteCellsTest.assertCode(
        () -> tensors.write().format("arraymorph").save(path("without.zarr")),
        "INVALID_OPTION",
        "_coords");

    String byTime = path("bytime.zarr");
    spark
        .read()
        .format("arraymorph")
        .option("rows", "time")
        .load(source)
        .selectExpr("*", "_coords")
        .write()
        .format("arraymorph")
        .save(byTime);
    Dataset<Row> same = spark.read().format("arraymorph").option("rows", "cells").load(byTime);
    assertThat(same.exceptAll(original).collectAsList()).isEmpty();
    assertThat(original.exceptAll(same).collectAsList()).isEmpty();
  }

  @Test
  void wrongTensorsAreToldByRow() {
    for (String shape : List.of("array(5, 5)", "array(30)", "array(-5, -6)", "array(6, NULL)")) {
      String path = path("wrong.zarr");
      Dataset<Row> wrong =
          pieces(1, 1, 5, 6)
              .union(
                  spark
                      .range(1)
                      .selectExpr(
                          "5L AS y",
                          "0L AS x",
                          "named_struct('data', transform(sequence(0, 29), i -> i * 1D), 'shape', "
                              + shape
                              + ") AS v"))
              .coalesce(1);
      WriteCellsTest.assertCode(
          () -> wrong.write().format("arraymorph").save(path), "SHAPE_MISMATCH", "column v at [5");
      assertThat(Files.exists(Path.of(path))).isFalse();
    }
    WriteCellsTest.assertCode(
        () ->
            pieces(2, 2, 5, 6)
                .union(pieces(1, 1, 5, 6))
                .write()
                .format("arraymorph")
                .save(path("twice.zarr")),
        "DUPLICATE_CELL",
        "[0, 0]");
    WriteCellsTest.assertCode(
        () ->
            pieces(2, 2, 5, 6)
                .write()
                .format("arraymorph")
                .option("shape", "10,11")
                .save(path("outside.zarr")),
        "OUT_OF_BOUNDS",
        "dimension x");
    assertThat(Files.exists(Path.of(path("twice.zarr")))).isFalse();
    assertThat(Files.exists(Path.of(path("outside.zarr")))).isFalse();
  }

  /** Pieces of an array whose cell (y, x) has the value y * 10000 + x. */
  private Dataset<Row> pieces(int rows, int columns, int height, int width) {
    return spark
        .range((long) rows * columns)
        .selectExpr(
            "(id div " + columns + ") * " + height + " AS y",
            "(id % " + columns + ") * " + width + " AS x")
        .selectExpr(
            "y",
            "x",
            "named_struct('data', transform(sequence(0, "
                + (height * width - 1)
                + "), i -> (y + i div "
                + width
                + ") * 10000D + (x + i % "
                + width
                + ")), 'shape', array("
                + height
                + ", "
                + width
                + ")) AS v");
  }

  private void assertSame(String path, int rows, int columns, int height, int width) {
    Dataset<Row> cells =
        spark.read().format("arraymorph").option("rows", "cells").load(path).toDF("y", "x", "v");
    assertThat(cells.where("v IS NULL OR isnan(v) OR v != y * 10000 + x").count()).isZero();
    assertThat(cells.count()).isEqualTo((long) rows * columns * height * width);
  }

  private String path(String name) {
    return directory.resolve(name).toString();
  }
}
