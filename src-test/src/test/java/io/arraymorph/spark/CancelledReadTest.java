package io.arraymorph.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.loopback.FaultProxy;
import io.arraymorph.loopback.FaultProxy.Effect;
import io.arraymorph.loopback.S3TestServer;
import io.arraymorph.testing.SparkSessions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tasks that wait for a store end when they are cancelled, and when the store never answers. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CancelledReadTest {
  private static final int SIDE = 64;

  @TempDir Path directory;
  private final SparkSession spark = SparkSessions.shared();
  private S3TestServer server;
  private FaultProxy proxy;

  @AfterEach
  void stop() throws IOException {
    spark.sparkContext().clearJobGroup();
    if (proxy != null) {
      proxy.close();
      server.close();
    }
  }

  /** An array in a bucket of its own, for a process opens a bucket once. */
  private String stored(String bucket) throws IOException {
    server = S3TestServer.start(directory, bucket);
    proxy = FaultProxy.before(server.endpoint());
    Configuration hadoop = spark.sparkContext().hadoopConfiguration();
    S3TestServer.settings(proxy.endpoint(), bucket).forEach(hadoop::set);
    double[] values = IntStream.range(0, SIDE * SIDE).asDoubleStream().toArray();
    int[] shape = {SIDE, SIDE};
    int[] chunk = {16, 16};
    String uri = "s3a://" + bucket + "/v.zarr";
    new TestArray("v", shape, chunk, List.of("y", "x"), "float64", values, false, "")
        .save(spark, directory, uri, Map.of("chunks", "16,16"));
    return uri;
  }

  private Dataset<Row> cells(String uri) {
    return spark.read().format("arraymorph").option("rows", "cells").load(uri).where("v >= 0");
  }

  @Test
  void aQueryThatIsCancelledWhileTheStoreIsSilentLeavesNothing() throws Exception {
    String uri = stored("cancelled");
    Dataset<Row> cells = cells(uri);
    cells.queryExecution().executedPlan(); // metadata are read before the store falls silent
    proxy.inject(Effect.SILENT, "^GET .*/c/", Integer.MAX_VALUE);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<?> query =
          thread.submit(
              () -> {
                spark.sparkContext().setJobGroup("read", "a read", true);
                cells.collectAsList();
              });
      while (proxy.unanswered() < 16) { // all chunks are asked for
        assertThat(query.isDone()).isFalse();
        Thread.sleep(10);
      }
      long start = System.nanoTime();
      spark.sparkContext().cancelJobGroup("read");
      assertThatThrownBy(query::get).hasMessageContaining("cancel");
      while (proxy.unanswered() > 0 || !idle()) {
        Thread.sleep(10);
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      System.out.println("cancelled in " + seconds + " s");
      assertThat(seconds).isLessThan(3); // 0.4 s on a busy machine
    } finally {
      thread.shutdownNow();
    }
    // Arrow memory: NoArrowLeaks looks when all tests have run.
    proxy.heal();
    assertThat(cells(uri).count()).isEqualTo((long) SIDE * SIDE);
  }

  private boolean idle() {
    return spark.sparkContext().statusTracker().getActiveJobIds().length == 0
        && spark.sparkContext().statusTracker().getActiveStageIds().length == 0;
  }

  @Test
  void aStoreThatNeverAnswersFailsTheQueryInTime() throws IOException {
    String uri = stored("silent");
    Dataset<Row> cells =
        spark
            .read()
            .format("arraymorph")
            .option("rows", "cells")
            .option("arraymorph.store.timeout", "1")
            .option("arraymorph.store.attempts", "2")
            .load(uri)
            .where("v >= 0");
    cells.queryExecution().executedPlan();
    proxy.inject(Effect.SILENT, "^GET .*/c/", Integer.MAX_VALUE);
    long start = System.nanoTime();
    assertThatThrownBy(cells::collectAsList).hasMessageContaining("ARRAYMORPH_STORE_UNAVAILABLE");
    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.println("given up in " + seconds + " s");
    assertThat(seconds).isBetween(1.0, 60.0);
  }
}
