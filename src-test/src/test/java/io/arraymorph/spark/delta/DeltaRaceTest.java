package io.arraymorph.spark.delta;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorLayout;
import io.arraymorph.delta.table.DeltaTensors;
import io.arraymorph.delta.table.WriteMode;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.delta.tensor.DuplicatePolicy;
import io.arraymorph.delta.tensor.FillPolicy;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.loopback.S3TestServer;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.testing.LocalS3;
import java.io.File;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs that commit to one table on S3 at once, each a JVM of its own: every commit that was
 * acknowledged is in the table.
 */
@Tag("long")
class DeltaRaceTest {
  private static final int MACHINES = 3;
  private static final int COMMITS = 12;
  private static final String S3A = "org.apache.hadoop.fs.s3a.S3AFileSystem";
  private static final String CLIENT = "org.apache.hadoop.fs.s3a.impl.AWSClientConfig";

  @TempDir Path directory;

  @Test
  void commits_of_ours_are_all_kept() throws Exception {
    try (LocalS3 server = LocalS3.start(directory, "bucket", "--latency", "20")) {
      assertThat(race(server, "ours", MACHINES))
          .doesNotHaveDuplicates()
          .hasSize(MACHINES * COMMITS);
      DeltaTensors tensors = open(server.endpoint());
      assertThat(tensors.tensors()).hasSize(MACHINES * COMMITS);
      assertThat(tensors.tensor("machine-2-11").read().count()).isEqualTo(3);
      assertThat(tensors.version()).isEqualTo(MACHINES * COMMITS - 1);
    }
  }

  @Test
  void commits_of_delta_spark_through_our_log_store_are_all_kept() throws Exception {
    // Before Hadoop 3.4 its S3 client is another one, which the tests do not bring.
    Assumptions.assumeTrue(present(S3A) && present(CLIENT), "hadoop-aws with its S3 client");
    try (LocalS3 server = LocalS3.start(directory, "bucket", "--latency", "20")) {
      // Of several that create a table delta-spark refuses all but one.
      assertThat(race(server, "create", 1)).hasSize(1);
      assertThat(race(server, "delta-spark", MACHINES))
          .doesNotHaveDuplicates()
          .hasSize(MACHINES * COMMITS);
      Path log = server.file("table/_delta_log");
      long commits;
      try (var entries = Files.list(log)) {
        commits = entries.filter(e -> e.toString().matches(".*/[0-9]{20}\\.json")).count();
      }
      assertThat(commits).isGreaterThanOrEqualTo(MACHINES * COMMITS);
      int rows = 0;
      try (var entries = Files.list(log)) {
        for (Path entry : entries.filter(e -> e.toString().endsWith(".json")).toList()) {
          rows += Files.readString(entry).split("\\{\"add\":", -1).length - 1;
        }
      }
      assertThat(rows).as("files in the log, one a commit").isEqualTo(MACHINES * COMMITS);
    }
  }

  private static boolean present(String name) {
    try {
      Class.forName(name, false, DeltaRaceTest.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** What the machines said that they committed. */
  private List<String> race(LocalS3 server, String how, int machineCount) throws Exception {
    List<Process> machines = new ArrayList<>();
    for (int machine = 0; machine < machineCount; machine++) {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xmx1g"));
      command.addAll(
          java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
              .filter(a -> a.startsWith("--add-opens") || a.startsWith("-Djdk.reflect"))
              .toList());
      command.addAll(List.of("-cp", System.getProperty("java.class.path")));
      command.addAll(
          List.of(Machine.class.getName(), how, server.endpoint(), "machine-" + machine));
      machines.add(
          new ProcessBuilder(command)
              .redirectOutput(new File(directory.toFile(), "machine-" + machine + ".txt"))
              .redirectError(new File(directory.toFile(), "machine-" + machine + ".log"))
              .start());
    }
    List<String> acknowledged = new ArrayList<>();
    for (int machine = 0; machine < machineCount; machine++) {
      int status = machines.get(machine).waitFor();
      String log = Files.readString(directory.resolve("machine-" + machine + ".log"));
      assertThat(status).as(() -> causes(log)).isZero();
      acknowledged.addAll(
          Files.readAllLines(directory.resolve("machine-" + machine + ".txt")).stream()
              .filter(line -> line.startsWith("machine-"))
              .toList());
    }
    return acknowledged;
  }

  /** What went wrong by a log, without the stack. */
  private static String causes(String log) {
    return log.lines()
        .filter(line -> !line.startsWith("\tat ") && line.contains("Exception"))
        .collect(java.util.stream.Collectors.joining("\n"));
  }

  private static DeltaTensors open(String endpoint) {
    return DeltaTensors.at(
        ObjectStores.open(
            "s3a://bucket/table", StoreConfig.of(S3TestServer.settings(URI.create(endpoint)))));
  }

  /** Commits so many times as fast as it can, and prints what was acknowledged. */
  static final class Machine {
    private Machine() {}

    public static void main(String[] arguments) {
      if (arguments[0].equals("ours")) {
        for (int commit = 0; commit < COMMITS; commit++) {
          String id = arguments[2] + "-" + commit;
          open(arguments[1])
              .write(
                  id,
                  tensor(commit),
                  TensorLayout.unblocked(TensorEncoding.COO, 1, "race"),
                  WriteMode.CREATE,
                  Map.of());
          System.out.println(id);
        }
        System.exit(0);
      }
      SparkSession.Builder builder =
          SparkSession.builder()
              .master("local[1]")
              .config("spark.ui.enabled", "false")
              .config("spark.driver.bindAddress", "127.0.0.1")
              .config("spark.driver.host", "127.0.0.1")
              .config("spark.databricks.delta.snapshotPartitions", "1")
              .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
              .config(
                  "spark.sql.catalog.spark_catalog",
                  "org.apache.spark.sql.delta.catalog.DeltaCatalog")
              .config(
                  "spark.delta.logStore.s3a.impl", "io.arraymorph.spark.delta.ConditionalLogStore");
      S3TestServer.settings(URI.create(arguments[1]))
          .forEach((key, value) -> builder.config("spark.hadoop." + key, value));
      SparkSession spark = builder.getOrCreate();
      boolean creates = arguments[0].equals("create");
      for (int commit = 0; commit < (creates ? 1 : COMMITS); commit++) {
        String id = arguments[2] + "-" + commit;
        spark
            .sql("SELECT '" + id + "' AS id WHERE " + !creates)
            .coalesce(1)
            .write()
            .format("delta")
            .mode("append")
            .save("s3a://bucket/table");
        System.out.println(id);
      }
      System.exit(0);
    }

    private static SparseTensor tensor(int seed) {
      DataType type = new DataType.Int(64, true);
      ArraySchema schema =
          new ArraySchema(
              type,
              Shape.of(100),
              List.of("i"),
              new FixedWidthElements(type, Shape.of(), new byte[8], 0));
      CellBuffer cells = new CellBuffer(1, type);
      for (int i = 0; i < 3; i++) {
        cells.append(10 * i + seed);
        cells.values().extend(1);
      }
      return SparseTensor.of(schema, cells, DuplicatePolicy.ERROR, FillPolicy.KEEP);
    }
  }
}
