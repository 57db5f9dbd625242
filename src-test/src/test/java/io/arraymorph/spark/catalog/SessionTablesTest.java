package io.arraymorph.spark.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.testing.SparkSessions;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tables that Spark's own catalog makes from queries: it remembers the columns of the query, so
 * they must be those that the array is read with, or there must be no table.
 */
class SessionTablesTest {
  private static final AtomicInteger COUNT = new AtomicInteger();

  /** With the catalog that Spark has by itself: the shared session has Delta Lake's. */
  private final SparkSession spark = plain();

  @TempDir Path folder;
  private String table;
  private Path path;

  private static SparkSession plain() {
    SparkSession session = SparkSessions.shared().newSession();
    session.conf().unset("spark.sql.catalog.spark_catalog");
    return session;
  }

  private List<String> sql(String statement) {
    return Catalogs.rows(spark.sql(statement));
  }

  private void assertSqlFails(String statement, String... texts) {
    Catalogs.assertFails(() -> sql(statement), texts);
  }

  @BeforeEach
  void choose() {
    table = "session_table" + COUNT.incrementAndGet();
    path = folder.resolve(table);
  }

  @AfterEach
  void drop() {
    sql("DROP TABLE IF EXISTS " + table);
  }

  /** Spark 3.5 has no way to write such tables, and says so before anything is written. */
  private static boolean canCreate() {
    return !SparkSessions.version().startsWith("3.");
  }

  private String create(String options, String query) {
    return "CREATE TABLE " + table + using(options, query);
  }

  private String using(String options, String query) {
    return " USING arraymorph OPTIONS (path '" + path + "'" + options + ") AS " + query;
  }

  private void assertNothingIsThere() {
    assertSqlFails("SELECT * FROM " + table, "TABLE_OR_VIEW_NOT_FOUND");
    assertThat(path.resolve("zarr.json")).doesNotExist();
  }

  @Test
  void aTableMadeFromAQueryIsReadWithTheColumnsOfTheQuery() {
    String query = "SELECT id div 4 AS y, id % 4 AS x, id * 0.5D AS v FROM range(12)";
    if (!canCreate()) {
      assertSqlFails(create(", dims 'y,x'", query));
      assertNothingIsThere();
      return;
    }
    sql(create(", dims 'y,x', chunks '2,2'", query));
    assertThat(spark.table(table).columns()).containsExactly("y", "x", "v");
    assertThat(spark.table(table).exceptAll(spark.sql(query)).count()).isZero();
    assertThat(sql("SELECT count(*), sum(v) FROM " + table + " WHERE y = 1"))
        .containsExactly("4 11.0");
    sql("INSERT INTO " + table + " VALUES (3, 0, 9D), (3, 1, 10D)");
    assertThat(sql("SELECT v FROM " + table + " WHERE y = 3 AND x < 2 ORDER BY x"))
        .containsExactly("9.0", "10.0");
    sql("INSERT OVERWRITE " + table + " VALUES (0, 0, 1D), (0, 1, 2D)");
    assertThat(sql("SELECT * FROM " + table + " ORDER BY x")).containsExactly("0 0 1.0", "0 1 2.0");
  }

  @Test
  void everyTypeThatIsAcceptedIsReadAgain() {
    if (!canCreate()) {
      return;
    }
    String query =
        "SELECT timestamp_seconds(id * 3600) AS time, 40D + id AS lat, CAST(id AS TINYINT) AS a,"
            + " CAST(id AS SMALLINT) AS b, CAST(id AS INT) AS c, id AS d, CAST(id AS FLOAT) AS e,"
            + " id % 2 = 0 AS f, CAST(id AS STRING) AS g, CAST(CAST(id AS STRING) AS BINARY) AS h,"
            + " timestamp_seconds(id) AS i, CAST(timestamp_seconds(id) AS TIMESTAMP_NTZ) AS j,"
            + " CAST(id AS DECIMAL(20, 0)) AS k, make_dt_interval(CAST(id AS INT)) AS l FROM"
            + " range(3)";
    sql(create(", dims 'time,lat'", query));
    assertThat(
            spark
                .sql(
                    "SELECT * FROM " + table + " WHERE lat = 41 AND time = timestamp_seconds(3600)")
                .exceptAll(spark.sql("SELECT * FROM (" + query + ") WHERE lat = 41"))
                .count())
        .isZero();
    assertThat(sql("SELECT count(*) FROM " + table)).containsExactly("9");
  }

  @Test
  void columnsThatAnArrayCannotGiveBackAreRefusedBeforeAnythingIsWritten() {
    for (List<String> bad :
        List.of(
            List.of("y", "SELECT CAST(id AS INT) AS y, id * 0.5D AS v FROM range(4)"),
            List.of("v", "SELECT id AS y, DATE '2020-01-01' AS v FROM range(4)"))) {
      if (canCreate()) {
        assertSqlFails(
            create(", dims 'y'", bad.get(1)),
            "ARRAYMORPH_TYPE_MISMATCH",
            "CAST(" + bad.get(0) + " AS ");
      } else {
        assertSqlFails(create(", dims 'y'", bad.get(1)));
      }
      assertNothingIsThere();
    }
  }

  @Test
  void anArrayThatIsThereIsNotAddedTo() {
    String query = "SELECT id AS y, id * 0.5D AS v FROM range(4)";
    String more = "SELECT id + 4 AS y, id * 0.5D AS v FROM range(4)";
    spark
        .sql(query)
        .write()
        .format("arraymorph")
        .option("dims", "y")
        .option("group", "true")
        .save(path.toString());
    if (canCreate()) {
      assertSqlFails(create(", dims 'y'", more), "ARRAYMORPH_ARRAY_EXISTS");
    } else {
      assertSqlFails(create(", dims 'y'", more));
    }
    assertSqlFails("SELECT * FROM " + table, "TABLE_OR_VIEW_NOT_FOUND");
    assertThat(
            spark.read().format("arraymorph").option("rows", "cells").load(path.toString()).count())
        .isEqualTo(4);
    if (canCreate()) {
      sql("CREATE OR REPLACE TABLE " + table + using(", dims 'y'", more));
      assertThat(sql("SELECT max(y), count(v) FROM " + table)).containsExactly("7 8");
    }
  }

  @Test
  void tensorRowsStayTensorRows() {
    if (!canCreate()) {
      return;
    }
    String source = folder.resolve("source").toString();
    spark
        .sql("SELECT id div 4 AS y, id % 4 AS x, id * 0.5D AS v FROM range(12)")
        .write()
        .format("arraymorph")
        .option("dims", "y,x")
        .option("chunks", "2,2")
        .option("group", "true")
        .save(source);
    sql(create("", "SELECT y, x, v FROM array_scan('" + source + "')"));
    assertThat(sql("SELECT count(*), sum(size(v.data)) FROM " + table)).containsExactly("4 12");
    assertThat(sql("SELECT sum(aggregate(v.data, 0D, (a, b) -> a + b)) FROM " + table))
        .containsExactly("33.0");
  }

  /** Delta's catalog gives other sources no table to write to: nothing may be left of it. */
  @Test
  void deltasCatalogLeavesNoTable() {
    Catalogs.assertSqlFails(create(", dims 'y'", "SELECT id AS y, id * 0.5D AS v FROM range(4)"));
    Catalogs.assertSqlFails("SELECT * FROM " + table, "TABLE_OR_VIEW_NOT_FOUND");
    assertThat(path.resolve("zarr.json")).doesNotExist();
  }

  @Test
  void misspeltOptionsAreRefusedWhereverTheyAreGiven() {
    String coads = Catalogs.DATA.resolve("coads.zarr").toString();
    Catalogs.assertFails(
        () -> spark.read().format("arraymorph").option("slise", "TIME=@0").load(coads),
        "ARRAYMORPH_INVALID_OPTION",
        "'slise'");
    Catalogs.assertFails(
        () ->
            spark
                .range(4)
                .selectExpr("id AS y", "id * 0.5D AS v")
                .write()
                .format("arraymorph")
                .option("dim", "y")
                .save(path.toString()),
        "ARRAYMORPH_INVALID_OPTION",
        "'dim'");
    assertThat(path).doesNotExist();
    String misspelt =
        "CREATE TABLE " + table + " USING arraymorph OPTIONS (path '" + coads + "', row 'cells')";
    if (canCreate()) {
      assertSqlFails(misspelt, "ARRAYMORPH_INVALID_OPTION", "'row'");
      assertSqlFails("SELECT * FROM " + table, "TABLE_OR_VIEW_NOT_FOUND");
    } else { // Spark 3.5 looks at the options when the table is first used.
      sql(misspelt);
      assertSqlFails("SELECT * FROM " + table, "ARRAYMORPH_INVALID_OPTION", "'row'");
    }
    String am = Catalogs.register(Catalogs.DATA.toString(), java.util.Map.of());
    if (canCreate()) {
      Catalogs.assertSqlFails(
          "SELECT count(*) FROM " + am + ".coads.cells WITH (`slise` = 'TIME=@0')",
          "ARRAYMORPH_INVALID_OPTION",
          "'slise'");
    }
    assertSqlFails(
        "SELECT * FROM array_scan('" + coads + "', slise => 'TIME=@0')",
        "ARRAYMORPH_INVALID_OPTION",
        "'slise'");
  }
}
