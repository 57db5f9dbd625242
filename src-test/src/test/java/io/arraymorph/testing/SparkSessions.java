package io.arraymorph.testing;

import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;

/** The one Spark session of a test JVM: starting one costs seconds, so every suite shares it. */
public final class SparkSessions {
  private static SparkSession shared;

  private SparkSessions() {}

  /** The session, {@code local[2]} on loopback; it ends with the JVM. Do not stop it. */
  public static synchronized SparkSession shared() {
    if (shared == null) {
      shared =
          // With Delta Lake beside us, as many users have it.
          SparkSession.builder()
              .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
              .config(
                  "spark.sql.catalog.spark_catalog",
                  "org.apache.spark.sql.delta.catalog.DeltaCatalog")
              .master("local[2]")
              .appName("arraymorph tests")
              .config("spark.ui.enabled", "false")
              .config("spark.driver.bindAddress", "127.0.0.1")
              .config("spark.driver.host", "127.0.0.1")
              .config("spark.sql.shuffle.partitions", "2")
              // Tests count requests: the same query has the same plan.
              .config("spark.arraymorph.profile-refinement", "off")
              .config("spark.databricks.delta.snapshotPartitions", "1")
              .config("spark.sql.sources.parallelPartitionDiscovery.parallelism", "2")
              .config(
                  "spark.sql.warehouse.dir",
                  Path.of(System.getProperty("java.io.tmpdir"), "arraymorph-warehouse").toString())
              .getOrCreate();
    }
    return shared;
  }

  /** Version of Spark that the tests run on, as the build chose it, {@code 4.2.0}. */
  public static String version() {
    return System.getProperty("arraymorph.spark.version");
  }
}
