package io.arraymorph.spark.catalog;

import static io.arraymorph.spark.catalog.Catalogs.assertFails;
import static io.arraymorph.spark.catalog.Catalogs.assertSqlFails;
import static io.arraymorph.spark.catalog.Catalogs.sql;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.arraymorph.spark.ArrayMorph;
import io.arraymorph.testing.LocalS3;
import io.arraymorph.testing.SparkSessions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Procedures by CALL where Spark has it, by static methods everywhere; the table function. */
class ProcedureTest {
  @TempDir static Path data;
  @TempDir static Path local;
  private static LocalS3 server;
  private static String am;

  private final SparkSession spark = SparkSessions.shared();
  private final String coads = Catalogs.DATA.resolve("coads.zarr").toString();

  @BeforeAll
  static void start() throws IOException {
    server = LocalS3.start(data, "bucket");
    Catalogs.upload(
        Catalogs.DATA.resolve("coads.zarr"),
        server.uri("warehouse/climate/coads.zarr"),
        server.hadoopSettings());
    Catalogs.upload(
        Catalogs.DATA.resolve("etopo.zarr"),
        server.uri("warehouse/climate/etopo.zarr"),
        server.hadoopSettings());
    am = Catalogs.register(server.uri("warehouse"), server.hadoopSettings());
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  /** Cells of one variable that differ, by position. */
  private long differences(String one, String nameInOne, String other, String nameInOther) {
    Dataset<Row> a = read(one).select("_index", nameInOne);
    Dataset<Row> b = read(other).select("_index", nameInOther);
    assertThat(a.count()).isEqualTo(12 * 90 * 180);
    return a.exceptAll(b).count() + b.exceptAll(a).count();
  }

  private Dataset<Row> read(String uri) {
    return spark
        .read()
        .format("arraymorph")
        .options(server.hadoopSettings())
        .option("rows", "cells")
        .load(uri);
  }

  @Test
  void callDescribesCopiesRepairsAndMeasures() {
    assumeTrue(Catalogs.hasProcedures(), "CALL needs Spark 4.0");
    assertThat(sql("CALL " + am + ".system.describe('climate.coads')"))
        .anySatisfy(
            row ->
                assertThat(row)
                    .startsWith("SST float32 TIME,COADSY,COADSX 12,90,180 ")
                    .endsWith("climate/coads.zarr/SST"));
    assertThat(sql("CALL " + am + ".system.describe('`climate`.`coads`.SST')")).hasSize(1);
    assertThat(
            sql(
                "CALL "
                    + am
                    + ".system.describe('`"
                    + server.uri("warehouse/climate/coads.zarr")
                    + "`.SST')"))
        .hasSize(1);
    String target = server.uri("copies/sst.zarr");
    assertThat(
            sql(
                "CALL "
                    + am
                    + ".system.copy(source => 'climate.coads.SST', target => '"
                    + target
                    + "', chunks => '4,90,60', compression => 'gzip:1')"))
        .hasSize(1)
        .first()
        .asString()
        .contains("12,90,180 4,90,60", "true");
    assertThat(differences(target, "sst", server.uri("warehouse/climate/coads.zarr"), "SST"))
        .isZero();
    assertThat(sql("CALL " + am + ".system.copy('climate.coads', 'copies.all', mode => 'ignore')"))
        .hasSizeGreaterThan(5);
    assertThat(sql("SELECT sum(SST) FROM " + am + ".copies.all.cells"))
        .isEqualTo(sql("SELECT sum(SST) FROM " + am + ".climate.coads.cells"));
    assertSqlFails(
        "CALL " + am + ".system.copy('climate.coads', 'copies.all')", "ARRAYMORPH_ARRAY_EXISTS");
    assertThat(sql("CALL " + am + ".system.repair(array => 'copies.all')")).isEmpty();
    assertThat(
            sql("CALL "
                    + am
                    + ".system.profile_store(uri => 'climate.etopo', seconds => 5, megabytes => 2)")
                .get(0))
        .startsWith("measured ")
        .contains("\"latency");
    assertThat(
            sql("CALL "
                    + am
                    + ".system.profile_store(uri => 'climate.etopo', seconds => 5,"
                    + " megabytes => 2, requests => 2000, paper => true)")
                .get(0))
        .contains("procedure of the ArrayMorph paper", "N_min");
  }

  @Test
  void wrongCallsAreCodedErrors() {
    assumeTrue(Catalogs.hasProcedures(), "CALL needs Spark 4.0");
    String call = "CALL " + am + ".system.";
    assertSqlFails(call + "nothing()", "ARRAYMORPH_INVALID_IDENTIFIER", "describe");
    assertSqlFails(call + "describe('climate.nothing')", "ARRAYMORPH_NOT_AN_ARRAY");
    assertSqlFails(call + "describe()", "REQUIRED_PARAMETER_NOT_FOUND");
    assertSqlFails(call + "describe(aray => 'x')", "aray");
    assertSqlFails(
        call + "copy('climate.coads.SST', 'copies.x', chunks => '0,1,1')",
        "ARRAYMORPH_INVALID_OPTION");
    assertSqlFails(
        call + "copy('climate.coads.SST', 'copies.x', chunks => '1,1')",
        "ARRAYMORPH_INVALID_OPTION",
        "2 dimensions");
    assertSqlFails(
        call + "copy('climate.coads.SST', 'copies.x', mode => 'append')",
        "ARRAYMORPH_INVALID_OPTION");
    assertSqlFails(
        call + "copy('climate.coads', 'copies.x', arrays => 'SST,none')",
        "ARRAYMORPH_UNKNOWN_ARRAY");
    assertSqlFails(
        call + "profile_store('climate.coads', seconds => 0)", "ARRAYMORPH_INVALID_OPTION");
    assertSqlFails(
        call + "profile_store('climate.coads', requests => 1)", "ARRAYMORPH_INVALID_OPTION");
    assertSqlFails(
        call + "profile_store('climate.coads', base => 's3.moon')", "ARRAYMORPH_INVALID_OPTION");
  }

  @Test
  void showProceduresListsThem() {
    assumeTrue(SparkSessions.version().compareTo("4.1") >= 0, "SHOW PROCEDURES needs Spark 4.1");
    assertThat(String.join("\n", sql("SHOW PROCEDURES IN " + am)))
        .contains("describe", "copy", "profile_store", "repair");
    assertThat(String.join("\n", sql("DESCRIBE PROCEDURE " + am + ".system.copy")))
        .contains("copy");
  }

  @Test
  void staticMethodsDoTheSame() throws IOException {
    Row sst = ArrayMorph.describe(spark, coads).where("name = 'SST'").collectAsList().get(0);
    assertThat(sst.getString(1)).isEqualTo("float32");
    assertThat(sst.getString(3)).isEqualTo("12,90,180");
    String target = local.resolve("copy.zarr").toString();
    List<Row> copied =
        ArrayMorph.copy(
                spark,
                coads,
                target,
                Map.of(
                    "arrays",
                    "SST,TIME,COADSY,COADSX,MONTH",
                    "chunks",
                    "12,30,30",
                    "shards",
                    "12,90,90",
                    "compression",
                    "zstd:9"))
            .collectAsList();
    assertThat(copied).hasSize(5);
    assertThat(differences(target, "SST", coads, "SST")).isZero();
    assertThat(
            read(target)
                .select("COADSY", "COADSX", "MONTH", "SST")
                .exceptAll(read(coads).select("COADSY", "COADSX", "MONTH", "SST"))
                .count())
        .isZero();
    assertThat(ArrayMorph.describe(spark, target).where("name = 'SST'").first().getString(5))
        .isEqualTo("12,90,90");
    assertThat(ArrayMorph.repair(spark, target, true).collectAsList()).isEmpty();
    Path profile = local.resolve("profile.json");
    assertThat(
            ArrayMorph.profileStore(
                    spark,
                    Catalogs.DATA.resolve("etopo.zarr").toString(),
                    Map.of("seconds", "5", "megabytes", "2", "output", profile.toString()))
                .count())
        .isEqualTo(1);
    assertThat(Files.readString(profile)).contains("latency");
    assertThat(
            ArrayMorph.arrayScan(spark, coads, Map.of("rows", "cells", "slice", "TIME=@0")).count())
        .isEqualTo(16200);
    assertFails(
        () -> ArrayMorph.call(spark, "vacuum", Map.of()), "ARRAYMORPH_INVALID_OPTION", "describe");
    assertFails(
        () -> ArrayMorph.call(spark, "copy", Map.of("source", "a", "target", "b", "chunk", "1")),
        "ARRAYMORPH_INVALID_OPTION",
        "chunk");
    assertFails(() -> ArrayMorph.call(spark, "copy", Map.of()), "ARRAYMORPH_INVALID_OPTION");
  }

  @Test
  void theTableFunctionReadsInAnyCatalog() {
    String cells = "array_scan('" + coads + "', rows => 'cells', slice => 'COADSY=-5:5')";
    assertThat(sql("SELECT count(*) FROM " + cells)).containsExactly(String.valueOf(12 * 6 * 180));
    assertThat(sql("SELECT count(*) FROM " + cells + " WHERE MONTH = 3"))
        .containsExactly(String.valueOf(6 * 180));
    assertThat(String.join("", sql("EXPLAIN SELECT SST FROM " + cells + " WHERE MONTH = 3")))
        .contains("hyperslab [TIME=2:3");
    assertThat(sql("SELECT sum(size(SST.data)) FROM array_scan('" + coads + "')"))
        .containsExactly("194400");
    assertSqlFails("SELECT * FROM array_scan()", "ARRAYMORPH_INVALID_OPTION");
    assertSqlFails("SELECT * FROM array_scan('/no/such.zarr')", "ARRAYMORPH_NOT_AN_ARRAY");
    assertSqlFails(
        "SELECT * FROM array_scan('" + coads + "', rows => 'cells', rows => 'cells')", "rows");
    assertSqlFails(
        "SELECT * FROM array_scan('" + coads + "', planner => 'best')",
        "ARRAYMORPH_INVALID_OPTION");
  }
}
