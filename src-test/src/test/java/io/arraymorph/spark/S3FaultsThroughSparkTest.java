package io.arraymorph.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.loopback.FaultProxy;
import io.arraymorph.loopback.FaultProxy.Effect;
import io.arraymorph.loopback.S3TestServer;
import io.arraymorph.testing.LocalS3;
import io.arraymorph.testing.SparkSessions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A bad network between Spark and S3: right rows or a coded error, and always an end. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class S3FaultsThroughSparkTest {
  private static final String BUCKET = "faulty";
  private static final int CELLS = 40 * 50;
  private static final double SUM = CELLS * (CELLS - 1) / 2.0;

  @TempDir static Path directory;
  private static LocalS3 server;
  private static boolean written;

  private final SparkSession spark = SparkSessions.shared();
  private FaultProxy proxy;

  @BeforeAll
  static void startServer() throws IOException {
    server = LocalS3.start(directory, BUCKET);
  }

  @AfterAll
  static void stopServer() throws Exception {
    server.close();
  }

  @BeforeEach
  void startProxy() throws IOException {
    proxy = FaultProxy.before(URI.create(server.endpoint()));
    Configuration hadoop = spark.sparkContext().hadoopConfiguration();
    S3TestServer.settings(proxy.endpoint(), BUCKET).forEach(hadoop::set);
  }

  @AfterEach
  void stopProxy() throws IOException {
    proxy.close();
  }

  /** The array, written through Spark when first asked for, while the network is good. */
  private Dataset<Row> cells() {
    if (!written) {
      double[] values = IntStream.range(0, CELLS).asDoubleStream().toArray();
      int[] shape = {40, 50};
      int[] chunk = {16, 16};
      List<String> dimensions = List.of("y", "x");
      Map<String, String> options = Map.of("chunks", "16,16", "compression", "none");
      new TestArray("v", shape, chunk, dimensions, "float64", values, false, "")
          .save(spark, directory, "s3a://" + BUCKET + "/v.zarr", options);
      written = true;
    }
    return spark
        .read()
        .format("arraymorph")
        .option("rows", "cells")
        .load("s3a://" + BUCKET + "/v.zarr");
  }

  /** The sum and count of what is selected, added up by Spark from rows. */
  private static void assertAllThere(Dataset<Row> cells) {
    List<Row> rows = cells.select("v").collectAsList();
    assertThat(rows).hasSize(CELLS);
    assertThat(rows.stream().mapToDouble(r -> r.getDouble(0)).sum()).isEqualTo(SUM);
  }

  @Test
  void transientFaultsCostRetriesAndNoRows() {
    for (Effect effect :
        List.of(
            Effect.SLOW_DOWN,
            Effect.FAIL,
            Effect.RESET,
            Effect.LOSE,
            Effect.RESET_BODY,
            Effect.TRUNCATE,
            Effect.DELAY)) {
      proxy.heal();
      Dataset<Row> cells = cells();
      proxy.clear();
      proxy.inject(effect, "GET /faulty/v.zarr/c/", 3);
      assertAllThere(cells);
      long faults = proxy.exchanges().stream().filter(e -> e.fault() != null).count();
      assertThat(faults).as("faults of %s that hit", effect).isEqualTo(3);
    }
  }

  @Test
  void faultsByChanceNeverGiveWrongRows() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Dataset<Row> cells = cells();
    proxy.inject(Effect.SLOW_DOWN, "GET", 0.1, 1000, seed);
    proxy.inject(Effect.TRUNCATE, "GET", 0.1, 1000, seed + 1);
    proxy.inject(Effect.RESET, "GET", 0.1, 1000, seed + 2);
    assertAllThere(cells);
  }

  @Test
  void deniedChunksFailTheQueryAndAreNotFillValues() {
    Dataset<Row> cells = cells();
    proxy.inject(Effect.DENY, "GET /faulty/v.zarr/c/1/1", 100);
    assertThatThrownBy(() -> cells.select("v").collectAsList())
        .hasStackTraceContaining("ARRAYMORPH_ACCESS_DENIED")
        .hasStackTraceContaining("s3a://faulty/v.zarr/c/1/1")
        .satisfies(e -> assertThat(stackTrace(e)).doesNotContain(LocalS3.SECRET_KEY));
    assertThat(cells.queryExecution().toString()).doesNotContain(LocalS3.SECRET_KEY);
  }

  private static String stackTrace(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  @Test
  void aServerThatIsGoneIsAnErrorThatSaysSo() throws IOException {
    Dataset<Row> cells = cells();
    proxy.close();
    assertThatThrownBy(() -> cells.select("v").collectAsList())
        .hasStackTraceContaining("ARRAYMORPH_STORE_UNAVAILABLE");
  }
}
