package io.arraymorph.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.arraymorph.testing.SparkSessions;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;

/** What works on every cloud store through Spark, with the settings that Hadoop has for it. */
abstract class CloudStoreScenarios {
  final SparkSession spark = SparkSessions.shared();

  /** The URI of a key in the container or bucket under test. */
  abstract String uri(String key);

  /** The settings that reach it. */
  abstract Map<String, String> settings();

  /** Settings whose credentials are refused; they contain {@code WRONG-SECRET} as bytes or text. */
  abstract Map<String, String> refused() throws Exception;

  /** Settings that may read and not write. */
  abstract Map<String, String> readOnly() throws Exception;

  /** A container or bucket that does not exist. */
  abstract String nowhere();

  @Test
  void anArrayIsCreatedGrownAndReplaced() {
    String path = uri("arrays/a.zarr");
    save(cells(0, 5, 1), path, SaveMode.ErrorIfExists, settings());
    assertSame(path, cells(0, 5, 1));
    save(cells(5, 9, 1), path, SaveMode.Append, settings());
    assertSame(path, cells(0, 9, 1));
    save(cells(0, 3, 2), path, SaveMode.Overwrite, settings());
    assertSame(path, cells(0, 3, 2));
    WriteCellsTest.assertCode(
        () -> save(cells(0, 3, 2), path, SaveMode.ErrorIfExists, settings()), "ARRAY_EXISTS", path);
    assertThat(read(path, settings()).where("y = 2 AND x BETWEEN 1 AND 2").count()).isEqualTo(2);
  }

  @Test
  void settingsOfTheSessionAreEnough() {
    String path = uri("arrays/session.zarr");
    Configuration hadoop = spark.sparkContext().hadoopConfiguration();
    Map<String, String> own = new HashMap<>();
    settings()
        .forEach(
            (key, value) -> {
              if (key.startsWith("fs.")) {
                hadoop.set(key, value);
              } else {
                own.put(key, value);
              }
            });
    try {
      save(cells(0, 4, 3), path, SaveMode.ErrorIfExists, own);
      assertThat(read(path, own).count()).isEqualTo(20);
    } finally {
      settings().keySet().forEach(hadoop::unset);
    }
  }

  @Test
  void refusedCredentialsAreAnErrorWithoutThem() throws Exception {
    String path = uri("arrays/refused.zarr");
    save(cells(0, 2, 1), path, SaveMode.ErrorIfExists, settings());
    Map<String, String> refused = refused();
    Throwable reading = catchThrowable(() -> read(path, refused).count());
    assertDenied(reading, path);
    Throwable writing =
        catchThrowable(() -> save(cells(0, 2, 2), path, SaveMode.Overwrite, refused));
    assertDenied(writing, path);
    assertSame(path, cells(0, 2, 1));
  }

  @Test
  void writingWithoutPermissionIsAnErrorAndChangesNothing() throws Exception {
    String path = uri("arrays/guarded.zarr");
    save(cells(0, 2, 1), path, SaveMode.ErrorIfExists, settings());
    Map<String, String> readOnly = readOnly();
    assertThat(read(path, readOnly).count()).isEqualTo(10);
    for (SaveMode mode : new SaveMode[] {SaveMode.Overwrite, SaveMode.Append}) {
      assertDenied(catchThrowable(() -> save(cells(2, 4, 1), path, mode, readOnly)), path);
    }
    assertSame(path, cells(0, 2, 1));
  }

  @Test
  void whatDoesNotExistIsNeverEmpty() {
    for (String path : new String[] {uri("no/such.zarr"), nowhere()}) {
      Throwable thrown = catchThrowable(() -> read(path, settings()).count());
      assertThat(thrown).as(path).isNotNull();
      assertThat(thrown.toString())
          .as(path)
          .containsAnyOf("ARRAYMORPH_NOT_AN_ARRAY", "ARRAYMORPH_OBJECT_NOT_FOUND")
          .contains(path);
    }
  }

  private static void assertDenied(Throwable thrown, String path) {
    assertThat(thrown).isNotNull();
    StringBuilder all = new StringBuilder();
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      all.append(cause).append('\n');
    }
    assertThat(all.toString())
        .contains("ARRAYMORPH_ACCESS_DENIED", path)
        .doesNotContain("WRONG-SECRET", "V1JPTkctU0VDUkVU", "sig=");
  }

  static void save(Dataset<Row> cells, String path, SaveMode mode, Map<String, String> settings) {
    cells
        .write()
        .format("arraymorph")
        .options(settings)
        .option("dims", "y,x")
        .option("chunks", "2,2")
        .mode(mode)
        .save(path);
  }

  Dataset<Row> read(String path, Map<String, String> settings) {
    return spark.read().format("arraymorph").options(settings).option("rows", "cells").load(path);
  }

  private Dataset<Row> cells(int from, int to, int factor) {
    return spark
        .range(from * 5L, to * 5L)
        .selectExpr("id div 5 AS y", "id % 5 AS x", "(id + 1) * 1D * " + factor + " AS v");
  }

  private void assertSame(String path, Dataset<Row> expected) {
    assertThat(read(path, settings()).toDF("y", "x", "v").orderBy("y", "x").collectAsList())
        .isEqualTo(expected.orderBy("y", "x").collectAsList());
  }
}
