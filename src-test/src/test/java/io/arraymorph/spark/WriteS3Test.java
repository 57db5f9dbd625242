package io.arraymorph.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.testing.LocalS3;
import io.arraymorph.testing.SparkSessions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The write protocol against an S3 server: conditional puts, copies and deletes over HTTP. */
class WriteS3Test {
  @TempDir static Path data;
  private static LocalS3 server;

  private final SparkSession spark = SparkSessions.shared();

  @BeforeAll
  static void start() throws IOException {
    server = LocalS3.start(data, "bucket");
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @Test
  void anArrayIsCreatedGrownAndReplaced() throws IOException {
    String path = server.uri("arrays/a.zarr");
    save(cells(0, 5, 1), path, SaveMode.ErrorIfExists);
    assertSame(path, cells(0, 5, 1));
    save(cells(5, 9, 1), path, SaveMode.Append);
    assertSame(path, cells(0, 9, 1));
    save(cells(0, 3, 2), path, SaveMode.Overwrite);
    assertSame(path, cells(0, 3, 2));
    WriteCellsTest.assertCode(
        () -> save(cells(0, 3, 2), path, SaveMode.ErrorIfExists), "ARRAY_EXISTS", path);
    // What is not part of the array any more is gone, and no trace of the writes is left.
    assertThat(keys("arrays")).hasSize(1 + 2 * 3).noneMatch(key -> key.contains("_arraymorph"));
  }

  @Test
  void aGroupIsCreatedGrownAndReplaced() throws IOException {
    String path = server.uri("groups/g.zarr");
    for (int from = 0; from < 6; from += 2) {
      save(
          cells(from, from + 2, 1).selectExpr("timestamp_seconds(y) AS y", "x", "v", "v + 1 AS w"),
          path,
          SaveMode.Append);
    }
    assertThat(read(path).where("w = v + 1").count()).isEqualTo(30);
    save(
        cells(0, 2, 3).selectExpr("timestamp_seconds(y) AS y", "x", "v AS z"),
        path,
        SaveMode.Overwrite);
    assertThat(read(path).columns()).containsExactly("y", "x", "z");
    assertThat(read(path).count()).isEqualTo(10);
    assertThat(keys("groups"))
        .noneMatch(
            key -> key.contains("_arraymorph") || key.contains("/v/") || key.contains("/w/"));
  }

  private static void save(Dataset<Row> cells, String path, SaveMode mode) {
    cells
        .write()
        .format("arraymorph")
        .options(server.hadoopSettings())
        .option("dims", "y,x")
        .option("chunks", "2,2")
        .mode(mode)
        .save(path);
  }

  private Dataset<Row> read(String path) {
    return spark
        .read()
        .format("arraymorph")
        .options(server.hadoopSettings())
        .option("rows", "cells")
        .load(path);
  }

  private Dataset<Row> cells(int from, int to, int factor) {
    return spark
        .range(from * 5L, to * 5L)
        .selectExpr("id div 5 AS y", "id % 5 AS x", "(id + 1) * 1D * " + factor + " AS v");
  }

  private void assertSame(String path, Dataset<Row> expected) {
    assertThat(read(path).toDF("y", "x", "v").orderBy("y", "x").collectAsList())
        .isEqualTo(expected.orderBy("y", "x").collectAsList());
  }

  private static List<String> keys(String prefix) throws IOException {
    Path root = server.file(prefix);
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> root.relativize(file).toString())
          .toList();
    }
  }
}
