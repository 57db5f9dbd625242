package io.arraymorph.spark.catalog;

import static io.arraymorph.spark.catalog.Catalogs.assertSqlFails;
import static io.arraymorph.spark.catalog.Catalogs.column;
import static io.arraymorph.spark.catalog.Catalogs.sql;
import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.spark.TestArray;
import io.arraymorph.testing.LocalS3;
import io.arraymorph.testing.SparkSessions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Queries, listings and descriptions by name, on an S3 server and on local files. */
class CatalogReadTest {
  @TempDir static Path data;
  @TempDir static Path local;
  private static LocalS3 server;
  private static String onS3;
  private static String onFiles;
  private static String withoutWarehouse;

  @BeforeAll
  static void start() throws IOException {
    Path warehouse = Files.createDirectories(local.resolve("warehouse"));
    Catalogs.copy(Catalogs.DATA.resolve("coads.zarr"), warehouse.resolve("climate/coads.zarr"));
    Catalogs.copy(Catalogs.DATA.resolve("etopo.zarr"), warehouse.resolve("climate/etopo.zarr"));
    double[] values = {1, 2, 3, 4, 5, 6};
    array("plain", values).write(warehouse.resolve("small/plain"));
    array("plain", values).write(warehouse.resolve("small/both"));
    array("plain", new double[] {7, 8, 9, 10, 11, 12}).write(warehouse.resolve("small/both.zarr"));
    array("cells", values).write(warehouse.resolve("small/cells"));
    TestArray.writeGroup(warehouse.resolve("small/deep/group"), array("cells", values));
    Files.writeString(warehouse.resolve("README.txt"), "not an array");
    Files.createDirectories(warehouse.resolve("small/v2/.x"));
    Files.writeString(
        warehouse.resolve("small/v2/.zarray"),
        "{\"zarr_format\":2,\"shape\":[2],\"chunks\":[2],\"dtype\":\"<f8\",\"compressor\":null,"
            + "\"fill_value\":7,\"order\":\"C\",\"filters\":null}");
    server = LocalS3.start(data, "bucket");
    Catalogs.upload(warehouse, server.uri("warehouse"), server.hadoopSettings());
    onS3 = Catalogs.register(server.uri("warehouse"), server.hadoopSettings());
    onFiles = Catalogs.register(warehouse.toString(), Map.of());
    withoutWarehouse = Catalogs.register("", server.hadoopSettings());
  }

  private static TestArray array(String name, double[] values) {
    return new TestArray(
        name, new int[] {2, 3}, new int[] {1, 2}, List.of("y", "x"), "float64", values, false, "");
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  static List<String> catalogs() {
    return List.of(onS3, onFiles);
  }

  @ParameterizedTest
  @MethodSource("catalogs")
  void aGroupIsQueriedByNameInRowsOfCells(String am) {
    List<String> byName =
        sql(
            "SELECT MONTH, count(SST), sum(SST) FROM "
                + am
                + ".climate.coads.cells WHERE COADSY BETWEEN -5 AND 5 GROUP BY MONTH ORDER BY 1");
    SparkSessions.shared()
        .read()
        .format("arraymorph")
        .option("rows", "cells")
        .load(Catalogs.DATA.resolve("coads.zarr").toString())
        .createOrReplaceTempView("coads_by_path");
    assertThat(byName)
        .hasSize(12)
        .isEqualTo(
            sql(
                "SELECT MONTH, count(SST), sum(SST) FROM coads_by_path"
                    + " WHERE COADSY BETWEEN -5 AND 5 GROUP BY MONTH ORDER BY 1"));
  }

  @ParameterizedTest
  @MethodSource("catalogs")
  void namesFindArraysGroupsAndMembers(String am) {
    assertThat(sql("SELECT sum(plain) FROM " + am + ".small.plain.cells")).containsExactly("21.0");
    assertThat(sql("SELECT count(*), sum(size(plain.data)) FROM " + am + ".small.plain"))
        .containsExactly("4 6");
    assertThat(sql("SELECT count(*) FROM " + am + ".climate.coads.SST.cells WHERE MONTH = 3"))
        .containsExactly("16200");
    assertThat(sql("SELECT sum(v2) FROM " + am + ".small.v2.cells")).containsExactly("14.0");
  }

  @ParameterizedTest
  @MethodSource("catalogs")
  void theLiteralNameComesBeforeTheOneWithTheSuffix(String am) {
    assertThat(sql("SELECT sum(both) FROM " + am + ".small.both.cells")).containsExactly("21.0");
    assertThat(sql("SELECT sum(both) FROM " + am + ".small.`both.zarr`.cells"))
        .containsExactly("57.0");
  }

  @ParameterizedTest
  @MethodSource("catalogs")
  void anArrayNamedCellsIsATableWhereItsParentIsNone(String am) {
    assertThat(sql("SELECT count(*) FROM " + am + ".small.cells")).containsExactly("4");
    assertThat(sql("SELECT sum(cells) FROM " + am + ".small.cells.cells")).containsExactly("21.0");
    // Below a group the last part means rows; the array itself is one level further.
    assertThat(sql("SELECT sum(cells) FROM " + am + ".small.deep.group.cells"))
        .containsExactly("21.0");
    assertThat(sql("SELECT sum(cells) FROM " + am + ".small.deep.group.cells.cells"))
        .containsExactly("21.0");
  }

  @Test
  void pathsAreNames() {
    for (String am : List.of(onS3, withoutWarehouse)) {
      String uri = am + ".`" + server.uri("warehouse/climate/coads.zarr") + "`";
      assertThat(sql("SELECT count(*) FROM " + uri + ".cells WHERE MONTH = 3"))
          .containsExactly("16200");
      assertThat(sql("SELECT sum(size(SST.data)) FROM " + uri)).containsExactly("194400");
      assertThat(sql("SELECT count(*) FROM " + uri + ".SST.cells WHERE MONTH = 3"))
          .containsExactly("16200");
    }
    assertThat(
            sql(
                "SELECT count(*) FROM "
                    + onFiles
                    + ".`"
                    + Catalogs.DATA.resolve("coads.zarr")
                    + "`.cells"))
        .containsExactly("194400");
  }

  @ParameterizedTest
  @MethodSource("catalogs")
  void showNamespacesAndTablesListWhatIsThere(String am) {
    assertThat(sql("SHOW NAMESPACES IN " + am)).containsExactly("climate", "small");
    assertThat(sql("SHOW NAMESPACES IN " + am + ".climate"))
        .containsExactly("climate.coads", "climate.etopo");
    assertThat(column("SHOW TABLES IN " + am + ".climate", "tableName"))
        .containsExactly("coads", "etopo");
    assertThat(column("SHOW TABLES IN " + am + ".small", "tableName"))
        .containsExactly("both", "both.zarr", "cells", "plain", "v2");
    assertThat(column("SHOW TABLES IN " + am + ".small LIKE 'p*'", "tableName"))
        .containsExactly("plain");
    assertThat(column("SHOW TABLES IN " + am + ".climate.coads", "tableName"))
        .contains("SST", "AIRT", "COADSX")
        .doesNotContain("c");
    assertThat(sql("SHOW TABLES IN " + am)).isEmpty();
    assertThat(sql("DESCRIBE NAMESPACE " + am + ".climate").toString()).contains("/climate");
  }

  @ParameterizedTest
  @MethodSource("catalogs")
  void useMakesNamesShort(String am) {
    SparkSessions.shared().sql("USE " + am + ".climate");
    try {
      assertThat(sql("SELECT sum(size(SST.data)) FROM coads")).containsExactly("194400");
      // Spark takes more parts than one from the catalog on.
      assertThat(sql("SELECT count(*) FROM climate.coads.SST.cells WHERE MONTH = 3"))
          .containsExactly("16200");
      assertThat(
              sql("SELECT count(*) FROM `" + Catalogs.DATA.resolve("coads.zarr/SST") + "`.cells"))
          .containsExactly("194400");
    } finally {
      SparkSessions.shared().sql("USE spark_catalog.default");
    }
  }

  @ParameterizedTest
  @MethodSource("catalogs")
  void describeShowsHowArraysAreStored(String am) {
    String described = String.join("\n", sql("DESCRIBE EXTENDED " + am + ".climate.coads.SST"));
    assertThat(described)
        .contains("dimensions=TIME=12, COADSY=90, COADSX=180")
        .contains("shape=12,90,180", "chunks=", "codecs=bytes", "data_type=float32")
        .contains("uncompressed_bytes=777600")
        .contains("climate/coads.zarr/SST");
    assertThat(described).doesNotContain("testsecret").doesNotContain("fs.s3a");
    assertThat(String.join("\n", sql("DESCRIBE " + am + ".climate.coads.cells")))
        .contains("COADSY double", "SST float");
    assertThat(String.join("\n", sql("DESCRIBE EXTENDED " + am + ".climate.coads")))
        .contains("variable.SST.chunks=", "variable.AIRT.codecs=");
  }

  @ParameterizedTest
  @MethodSource("catalogs")
  void optionsOfOneReadAreGivenInTheQuery(String am) {
    if (SparkSessions.version().startsWith("3.")) {
      return; // WITH (..) is parsed from 4.0 on.
    }
    assertThat(
            sql(
                "SELECT count(*) FROM "
                    + am
                    + ".climate.coads.cells WITH (`slice` = 'TIME=@0,COADSY=-5:5')"))
        .containsExactly(String.valueOf(6 * 180));
    assertSqlFails(
        "SELECT * FROM " + am + ".climate.coads WITH (`rows` = 'cells')",
        "ARRAYMORPH_INVALID_OPTION",
        "rows");
  }

  @ParameterizedTest
  @MethodSource("catalogs")
  void wrongNamesAreErrors(String am) {
    assertSqlFails("SELECT * FROM " + am + ".climate.nothing", "TABLE_OR_VIEW_NOT_FOUND");
    assertSqlFails("SELECT * FROM " + am + ".climate.coads.cells.more", "NOT_FOUND");
    assertSqlFails("SELECT * FROM " + am + ".climate.`..`.x", "ARRAYMORPH_INVALID_IDENTIFIER");
    assertSqlFails("SELECT * FROM " + am + ".`a/b`", "ARRAYMORPH_INVALID_IDENTIFIER", "a/b");
    assertSqlFails("SELECT * FROM " + am + ".climate.`%2e%2e`", "ARRAYMORPH_INVALID_IDENTIFIER");
    assertSqlFails("SELECT * FROM " + am + ".`/no/such/x.zarr`", "ARRAYMORPH_NOT_AN_ARRAY");
    assertSqlFails("SHOW TABLES IN " + am + ".nowhere", "nowhere");
    assertSqlFails("SHOW NAMESPACES IN " + am + ".nowhere", "nowhere");
    assertSqlFails(
        "SELECT * FROM " + am + ".climate.coads VERSION AS OF 3",
        "ARRAYMORPH_UNSUPPORTED_FEATURE",
        "newest state");
    assertSqlFails(
        "SELECT * FROM " + am + ".climate.coads TIMESTAMP AS OF '2020-01-01'",
        "ARRAYMORPH_UNSUPPORTED_FEATURE");
  }

  @Test
  void aCatalogWithoutWarehouseSaysSo() {
    assertSqlFails(
        "SELECT * FROM " + withoutWarehouse + ".climate.coads", "ARRAYMORPH_INVALID_OPTION");
    assertSqlFails(
        "SHOW TABLES IN " + Catalogs.register("/tmp", Map.of("wharehouse", "x")) + ".a",
        "ARRAYMORPH_INVALID_OPTION",
        "wharehouse");
  }

  @Test
  void refusedAccessIsAnErrorAndNeverAnEmptyListing() {
    Map<String, String> wrong = new HashMap<>(server.hadoopSettings());
    wrong.put("fs.s3a.secret.key", "wrongsecret");
    String am = Catalogs.register(server.uri("warehouse"), wrong);
    for (String statement :
        List.of(
            "SHOW TABLES IN " + am + ".climate",
            "SHOW NAMESPACES IN " + am,
            "SHOW NAMESPACES IN " + am + ".climate",
            "SELECT * FROM " + am + ".climate.coads",
            "DESCRIBE " + am + ".climate.coads",
            "SELECT * FROM " + am + ".climate.nothing")) {
      assertSqlFails(statement, "ARRAYMORPH_ACCESS_DENIED");
    }
  }
}
