package io.arraymorph.spark.catalog;

import static io.arraymorph.spark.catalog.Catalogs.assertFails;
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
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tables made, filled, replaced and dropped by SQL, on an S3 server and on local files. */
class CatalogWriteTest {
  private static final AtomicInteger COUNT = new AtomicInteger();

  @TempDir static Path data;
  @TempDir static Path local;
  private static LocalS3 server;
  private static String onS3;
  private static String onFiles;

  private final SparkSession spark = SparkSessions.shared();

  @BeforeAll
  static void start() throws IOException {
    server = LocalS3.start(data, "bucket");
    onS3 = Catalogs.register(server.uri("warehouse"), server.hadoopSettings());
    onFiles = Catalogs.register(local.resolve("warehouse").toString(), Map.of());
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  /** A new name for a table, without its catalog. */
  private static String fresh() {
    return "ns.t" + COUNT.incrementAndGet();
  }

  static List<String> catalogs() {
    return List.of(onS3, onFiles);
  }

  private static List<String> files(String table) throws IOException {
    Path root = local.resolve("warehouse").resolve(table.replace('.', '/'));
    if (!Files.exists(root)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> root.relativize(file).toString())
          .sorted()
          .collect(Collectors.toList());
    }
  }

  private Dataset<Row> cells() {
    return spark.range(12).selectExpr("id div 4 AS y", "id % 4 AS x", "id * 0.5D AS v");
  }

  @ParameterizedTest
  @MethodSource("catalogs")
  void aDeclaredTableIsEmptyAndFilledByTheFirstInsert(String am) {
    String t = am + "." + fresh();
    sql(
        "CREATE TABLE "
            + t
            + " (y BIGINT, x BIGINT, v DOUBLE, n INT) TBLPROPERTIES (dims = 'y,x', shape = '4,5',"
            + " chunks = '2,3', compression = 'zstd:5', fill = '-1')");
    assertThat(sql("SELECT count(*), count(v), count(n) FROM " + t + ".cells"))
        .containsExactly("20 0 0");
    String described = String.join("\n", sql("DESCRIBE EXTENDED " + t));
    assertThat(described)
        .contains("dimensions=y=4, x=5", "variable.v.chunks=2,3", "variable.n.data_type=int32")
        .contains("variable.v.compression=zstd:5");
    sql("INSERT INTO " + t + ".cells SELECT id div 5, id % 5, id * 2D, 7 FROM range(3, 9)");
    assertThat(sql("SELECT count(*), count(v), sum(v), sum(n) FROM " + t + ".cells"))
        .containsExactly("20 6 66.0 42");
    assertThat(String.join("\n", sql("DESCRIBE EXTENDED " + t)))
        .contains("dimensions=y=4, x=5", "variable.v.chunks=2,3", "variable.v.compression=zstd:5");
    // From here on it is an array like others: it grows, and cells inside are refused.
    assertSqlFails("INSERT INTO " + t + ".cells VALUES (0, 0, 1D, 1)", "ARRAYMORPH_OUT_OF_BOUNDS");
    sql("INSERT INTO " + t + ".cells VALUES (4, 0, 1D, 1)");
    assertThat(sql("SELECT count(*), sum(v) FROM " + t + ".cells")).containsExactly("25 67.0");
    sql("INSERT OVERWRITE " + t + ".cells VALUES (1, 1, 5D, 9)");
    assertThat(sql("SELECT y, x, v, n FROM " + t + ".cells WHERE v IS NOT NULL"))
        .containsExactly("1 1 5.0 9");
    assertThat(sql("SELECT count(*) FROM " + t + ".cells")).containsExactly("25");
  }

  @ParameterizedTest
  @MethodSource("catalogs")
  void aTableDeclaredWithoutShapeGetsItFromTheFirstRows(String am) {
    String t = am + "." + fresh();
    sql(
        "CREATE TABLE "
            + t
            + " (at TIMESTAMP, x BIGINT, w INT, b DOUBLE) USING arraymorph"
            + " OPTIONS (dims 'at,x')");
    assertThat(sql("SELECT count(*), count(b) FROM " + t + ".cells")).containsExactly("0 0");
    sql(
        "INSERT INTO "
            + t
            + ".cells SELECT timestamp_seconds(id div 3), id % 3, id, -id FROM range(30)");
    assertThat(sql("SELECT count(DISTINCT at), count(*), sum(w), sum(b) FROM " + t + ".cells"))
        .containsExactly("10 30 435 -435.0");
    assertThat(String.join("\n", sql("DESCRIBE EXTENDED " + t))).contains("variable.b.chunks=10,3");
    sql("INSERT INTO " + t + ".cells VALUES (timestamp_seconds(10), 0, 1, 1D)");
    assertThat(sql("SELECT count(DISTINCT at), sum(w), sum(nanvl(b, 0)) FROM " + t + ".cells"))
        .containsExactly("11 436 -434.0");
  }

  @ParameterizedTest
  @MethodSource("catalogs")
  void aTableIsCreatedFromAQueryAndReplacedByOne(String am) {
    String t = am + "." + fresh();
    sql(
        "CREATE TABLE "
            + t
            + " TBLPROPERTIES (dims = 'time,x', chunks = '2,2') AS SELECT"
            + " timestamp_seconds(id div 3) AS time, id % 3 AS x, CAST(id AS FLOAT) AS v FROM"
            + " range(12)");
    assertThat(sql("SELECT sum(v), count(*), max(time) FROM " + t + ".cells").get(0))
        .startsWith("66.0 12 ");
    assertSqlFails(
        "CREATE TABLE " + t + " AS SELECT 1L AS a, 2L AS b", "TABLE_OR_VIEW_ALREADY_EXISTS");
    sql("CREATE TABLE IF NOT EXISTS " + t + " AS SELECT 1L AS a, 2L AS b");
    assertThat(sql("SELECT sum(v) FROM " + t + ".cells")).containsExactly("66.0");
    sql(
        "CREATE OR REPLACE TABLE "
            + t
            + " TBLPROPERTIES (dims = 'a') AS SELECT id AS a, id * 3 AS w FROM range(5)");
    assertThat(sql("SELECT a, w FROM " + t + ".cells ORDER BY a"))
        .containsExactly("0 0", "1 3", "2 6", "3 9", "4 12");
    assertSqlFails(
        "REPLACE TABLE " + am + ".ns.nothing AS SELECT 1L AS a, 2L AS b",
        "TABLE_OR_VIEW_NOT_FOUND");
    sql("REPLACE TABLE " + t + " (p BIGINT, q INT) TBLPROPERTIES (dims = 'p', shape = '3')");
    assertThat(sql("SELECT p, q FROM " + t + ".cells ORDER BY p"))
        .containsExactly("0 0", "1 0", "2 0");
  }

  @ParameterizedTest
  @MethodSource("catalogs")
  void dataFramesAreWrittenByName(String am) throws Exception {
    String t = am + "." + fresh();
    cells().writeTo(t).option("dims", "y,x").option("chunks", "2,2").create();
    assertThat(sql("SELECT count(*), sum(v) FROM " + t + ".cells")).containsExactly("12 33.0");
    cells().selectExpr("y + 3 AS y", "x", "v").writeTo(t + ".cells").append();
    assertThat(sql("SELECT count(*), sum(v) FROM " + t + ".cells")).containsExactly("24 66.0");
    cells().selectExpr("y", "x", "-v AS v").writeTo(t).tableProperty("dims", "y,x").replace();
    assertThat(sql("SELECT count(*), sum(v) FROM " + t + ".cells")).containsExactly("12 -33.0");
    assertFails(() -> cells().writeTo(t).create(), "TABLE_OR_VIEW_ALREADY_EXISTS");
    cells().writeTo(t).tableProperty("dims", "y,x").createOrReplace();
    assertThat(sql("SELECT sum(v) FROM " + t + ".cells")).containsExactly("33.0");
    String copy = am + "." + fresh();
    spark.table(t).writeTo(copy).create();
    assertThat(sql("SELECT y, x, v FROM " + copy + ".cells ORDER BY 1, 2"))
        .isEqualTo(sql("SELECT y, x, v FROM " + t + ".cells ORDER BY 1, 2"));
    spark.table(t).writeTo(copy).overwrite(org.apache.spark.sql.functions.lit(true));
    assertThat(sql("SELECT sum(v) FROM " + copy + ".cells")).containsExactly("33.0");
  }

  @Test
  void insertOverwriteKeepsIntegersThatAreCoordinates() throws IOException {
    double[] years = {1990, 1995, 2000};
    double[] values = {1, 2, 3};
    TestArray.writeGroup(
        local.resolve("warehouse/ns/years"),
        TestArray.coordinate("year", "int64", years, ""),
        new TestArray(
            "v", new int[] {3}, new int[] {2}, List.of("year"), "float64", values, false, ""));
    String t = onFiles + ".ns.years";
    sql("INSERT OVERWRITE " + t + ".cells SELECT year + 10, v * 2 FROM " + t + ".cells");
    assertThat(sql("SELECT year, v FROM " + t + ".cells ORDER BY 1"))
        .containsExactly("2000 2.0", "2005 4.0", "2010 6.0");
    sql("INSERT INTO " + t + ".cells VALUES (2015, 8D)");
    assertThat(sql("SELECT year, v FROM " + t + ".cells WHERE year > 2007 ORDER BY 1"))
        .containsExactly("2010 6.0", "2015 8.0");
  }

  @ParameterizedTest
  @MethodSource("catalogs")
  void namespacesAreMadeAndRemoved(String am) {
    String ns = am + ".made" + COUNT.incrementAndGet();
    String name = ns.substring(am.length() + 1);
    sql("CREATE NAMESPACE " + ns);
    assertThat(sql("SHOW NAMESPACES IN " + am)).contains(name);
    assertThat(sql("SHOW TABLES IN " + ns)).isEmpty();
    assertThat(column("SHOW TABLES IN " + am, "tableName")).doesNotContain(name);
    assertSqlFails("CREATE NAMESPACE " + ns, "ALREADY_EXISTS");
    sql("CREATE NAMESPACE IF NOT EXISTS " + ns);
    sql("CREATE TABLE " + ns + ".t TBLPROPERTIES (dims = 'a') AS SELECT 0L AS a, 1L AS t");
    assertThat(column("SHOW TABLES IN " + ns, "tableName")).containsExactly("t");
    assertSqlFails("DROP NAMESPACE " + ns, "NOT_EMPTY");
    sql("DROP NAMESPACE " + ns + " CASCADE");
    assertThat(sql("SHOW NAMESPACES IN " + am)).doesNotContain(name);
    assertSqlFails("DROP NAMESPACE " + ns, name);
    sql("DROP NAMESPACE IF EXISTS " + ns);
    assertSqlFails("CREATE NAMESPACE " + ns + " LOCATION '/x'", "ARRAYMORPH_UNSUPPORTED_FEATURE");
  }

  @Test
  void dropDeletesTheNodeAndNothingElse() throws IOException {
    String name = fresh();
    String t = onFiles + "." + name;
    cells().createOrReplaceTempView("some_cells");
    sql("CREATE TABLE " + t + " TBLPROPERTIES (dims = 'y,x') AS SELECT * FROM some_cells");
    Path directory = local.resolve("warehouse").resolve(name.replace('.', '/'));
    Files.writeString(directory.resolve("NOTES.txt"), "keep me");
    assertThat(files(name)).contains("zarr.json", "v/zarr.json").anyMatch(f -> f.contains("v/c/"));
    assertSqlFails("DROP TABLE " + t + ".cells", "ARRAYMORPH_UNSUPPORTED_FEATURE");
    assertSqlFails("DROP TABLE " + t + ".v", "ARRAYMORPH_UNSUPPORTED_FEATURE", "group");
    sql("DROP TABLE " + t);
    assertThat(files(name)).containsExactly("NOTES.txt");
    assertSqlFails("DROP TABLE " + t, "TABLE_OR_VIEW_NOT_FOUND");
    sql("DROP TABLE IF EXISTS " + t);
    assertSqlFails("SELECT * FROM " + t, "TABLE_OR_VIEW_NOT_FOUND");
    Path outside = local.resolve("outside.zarr");
    TestArray.coordinate("x", "float64", new double[] {1, 2}, "").write(outside);
    assertSqlFails(
        "DROP TABLE " + onFiles + ".`" + outside + "`",
        "ARRAYMORPH_UNSUPPORTED_FEATURE",
        "outside the warehouse");
    assertSqlFails(
        "DROP TABLE " + onFiles + ".`" + local + "/warehouse/../outside.zarr`",
        "ARRAYMORPH_UNSUPPORTED_FEATURE",
        "outside the warehouse");
    assertThat(outside.resolve("zarr.json")).exists();
  }

  @ParameterizedTest
  @MethodSource("catalogs")
  void dropWorksOnEveryStore(String am) {
    String t = am + "." + fresh();
    sql(
        "CREATE TABLE "
            + t
            + " TBLPROPERTIES (dims = 'a') AS SELECT id AS a, id AS b FROM range(9)");
    sql("DROP TABLE " + t + " PURGE");
    assertSqlFails("SELECT * FROM " + t, "TABLE_OR_VIEW_NOT_FOUND");
    sql(
        "CREATE TABLE "
            + t
            + " TBLPROPERTIES (dims = 'a') AS SELECT id AS a, id AS b FROM range(2)");
    assertThat(sql("SELECT sum(b) FROM " + t + ".cells")).containsExactly("1");
  }

  @ParameterizedTest
  @MethodSource("catalogs")
  void statementsThatArraysHaveNoCounterpartOfAreCodedErrors(String am) {
    String t = am + "." + fresh();
    sql(
        "CREATE TABLE "
            + t
            + " TBLPROPERTIES (dims = 'a') AS SELECT id AS a, id AS b FROM range(9)");
    String unsupported = "ARRAYMORPH_UNSUPPORTED_FEATURE";
    assertSqlFails("ALTER TABLE " + t + " RENAME TO " + am + ".ns.other", unsupported, "RENAME");
    assertSqlFails("ALTER TABLE " + t + " SET TBLPROPERTIES (a = 'b')", unsupported);
    assertSqlFails("ALTER NAMESPACE " + am + ".ns SET PROPERTIES (a = 'b')", unsupported);
    String u = am + "." + fresh();
    assertSqlFails("CREATE TABLE " + u + " (a BIGINT, b INT) PARTITIONED BY (a)", unsupported);
    assertSqlFails("CREATE TABLE " + u + " (a BIGINT, b INT) USING parquet", unsupported, "USING");
    assertSqlFails("CREATE TABLE " + u + " (a BIGINT, b INT) LOCATION '/x'", unsupported);
    assertSqlFails("CREATE TABLE " + u + " (a BIGINT, b INT) COMMENT 'x'", unsupported);
    assertSqlFails(
        "CREATE TABLE " + u + " (a BIGINT, b INT) TBLPROPERTIES (chunk = '1')",
        "ARRAYMORPH_INVALID_OPTION",
        "chunk",
        "chunks");
    assertSqlFails(
        "CREATE TABLE " + u + " (a BIGINT, b INT) TBLPROPERTIES (dims = 'a,b')",
        "ARRAYMORPH_INVALID_OPTION",
        "none holds values");
    assertSqlFails(
        "CREATE TABLE " + t + ".inside (a BIGINT, b INT) TBLPROPERTIES (shape = '3')", unsupported);
    assertSqlFails(
        "CREATE TABLE " + am + ".ns (a BIGINT, b INT) TBLPROPERTIES (shape = '3')",
        "ARRAYMORPH_ARRAY_EXISTS",
        "namespace");
    assertSqlFails("SELECT * FROM " + u, "TABLE_OR_VIEW_NOT_FOUND");
    assertSqlFails("INSERT INTO " + u + " VALUES (1, 2)", "TABLE_OR_VIEW_NOT_FOUND");
    assertSqlFails("DELETE FROM " + t + ".cells WHERE a = 1", unsupported, "DELETE", "OVERWRITE");
    assertSqlFails("UPDATE " + t + ".cells SET b = 1", unsupported, "UPDATE");
    assertSqlFails(
        "MERGE INTO "
            + t
            + ".cells USING (SELECT 1L AS i) ON a = i WHEN MATCHED THEN UPDATE SET b = 1",
        unsupported,
        "MERGE");
    assertThat(sql("SELECT sum(b) FROM " + t + ".cells")).containsExactly("36");
  }

  @Test
  void savesOverAFolderOfArraysOrByPartitionsAreRefused() throws IOException {
    String name = fresh();
    sql("CREATE TABLE " + onFiles + "." + name + ".inner AS SELECT id AS a, id AS b FROM range(2)");
    List<String> before = files(name);
    String folder = local.resolve("warehouse").resolve(name.replace('.', '/')).toString();
    for (SaveMode mode : List.of(SaveMode.ErrorIfExists, SaveMode.Overwrite, SaveMode.Append)) {
      Catalogs.assertFails(
          () -> save(mode).save(folder), "ARRAYMORPH_ARRAY_EXISTS", "inner", "another");
    }
    assertThat(files(name)).isEqualTo(before);
    String other = folder + ".other";
    Catalogs.assertFails(
        () -> save(SaveMode.Overwrite).partitionBy("a").save(other),
        "ARRAYMORPH_UNSUPPORTED_FEATURE",
        "partitionBy");
    assertThat(Path.of(other)).doesNotExist();
  }

  private DataFrameWriter<Row> save(SaveMode mode) {
    return spark
        .sql("SELECT id AS a, id AS b FROM range(2)")
        .write()
        .format("arraymorph")
        .mode(mode);
  }

  @Test
  void aFailedCreationLeavesNothing() throws IOException {
    String name = fresh();
    assertSqlFails(
        "CREATE TABLE "
            + onFiles
            + "."
            + name
            + " TBLPROPERTIES (dims = 'a') AS SELECT id div 2 AS a, id AS b FROM range(9)",
        "ARRAYMORPH_DUPLICATE_CELL");
    assertThat(files(name)).isEmpty();
    assertSqlFails("SELECT * FROM " + onFiles + "." + name, "TABLE_OR_VIEW_NOT_FOUND");
  }

  @Test
  void sessionCatalogsHaveTablesAndViewsOfArrays() {
    String path = Catalogs.DATA.resolve("coads.zarr").toString();
    spark.sql("DROP TABLE IF EXISTS coads_table");
    sql(
        "CREATE OR REPLACE TEMPORARY VIEW coads_cells USING arraymorph OPTIONS (path '"
            + path
            + "', rows 'cells')");
    // Spark's own session catalog of 3.5, and Delta's, read through Spark's first interface.
    sql("CREATE TABLE coads_table USING arraymorph OPTIONS (path '" + path + "', rows 'cells')");
    try {
      assertThat(sql("SELECT count(*) FROM coads_table WHERE MONTH = 2")).containsExactly("16200");
      for (String where :
          List.of(
              "COADSY BETWEEN -5 AND 5 AND SST > 20",
              "NOT (COADSX > 40 OR COADSY <= -40) AND AIRT IS NULL",
              "MONTH IN (1, 5) AND (COADSY = 1 OR SST <=> NULL) AND COADSX %% 4 = 1")) {
        String query = "SELECT count(*), max(SST), min(COADSX) FROM %s WHERE " + where;
        assertThat(sql(query.formatted("coads_table")))
            .as("%s", where)
            .isEqualTo(sql(query.formatted("coads_cells")));
      }
    } finally {
      sql("DROP TABLE coads_table");
      sql("DROP VIEW coads_cells");
    }
    sql(
        "CREATE OR REPLACE TEMPORARY VIEW coads_view USING arraymorph OPTIONS (path '"
            + path
            + "', rows 'cells', slice 'COADSY=-5:5')");
    assertThat(sql("SELECT count(*) FROM coads_view"))
        .containsExactly(String.valueOf(12 * 6 * 180));
    sql("DROP VIEW coads_view");
  }
}
