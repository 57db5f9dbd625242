package io.arraymorph.spark.delta;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A tensor of more cells than a JVM could hold is written in it. */
@Tag("long")
class SmallHeapTest {
  private static final long CELLS = 40_000_000;

  /** Of a cell of three dimensions four columns are held, of 8 bytes: this is 1280 MB. */
  private static final String HEAP = "-Xmx768m";

  @TempDir Path directory;

  @Test
  void forty_million_cells_pass_through_768_mb() throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", HEAP));
    command.addAll(
        java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(a -> a.startsWith("--add-opens") || a.startsWith("-Djdk.reflect"))
            .toList());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Writer.class.getName(), directory.toString()));
    File log = directory.resolve("log.txt").toFile();
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
    int status = process.waitFor();
    List<String> lines = Files.readAllLines(log.toPath());
    assertThat(status)
        .as(() -> lines.stream().filter(l -> l.contains("Error")).toList().toString())
        .isZero();
    assertThat(lines).contains("cells " + CELLS);
  }

  /** Writes the cells and counts them. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] arguments) {
      SparkSession spark =
          SparkSession.builder()
              .master("local[2]")
              .config("spark.ui.enabled", "false")
              .config("spark.driver.bindAddress", "127.0.0.1")
              .config("spark.driver.host", "127.0.0.1")
              .config("spark.local.dir", arguments[0])
              .getOrCreate();
      String table = Path.of(arguments[0], "table").toString();
      spark
          .range(0, CELLS, 1, 8)
          .selectExpr(
              "CAST((id * 7919) % 400 AS INT) AS day",
              "CAST(id % 500 AS INT) AS x",
              "CAST(id DIV 500 AS INT) AS y",
              "CAST(id % 97 AS DOUBLE) AS v")
          .write()
          .format("arraymorph")
          .option("storage", "auto")
          .option("tensor", "t")
          .mode("append")
          .save(table);
      System.out.println(
          "cells " + spark.read().format("arraymorph").option("tensor", "t").load(table).count());
      System.exit(0);
    }
  }
}
