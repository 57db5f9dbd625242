package io.arraymorph.spark.catalog;

import static io.arraymorph.spark.catalog.Catalogs.sql;
import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.spark.TestArray;
import io.arraymorph.testing.SparkSessions;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Grouping and joining by dimensions without moving rows, on arrays with edge chunks. */
class GridJoinTest {
  private static final String BUCKETING = "spark.sql.sources.v2.bucketing.enabled";
  private static final int[] SHAPE = {23, 18, 10};
  private static final int[] CHUNK = {5, 7, 10};

  @TempDir static Path data;
  private static String am;

  private final SparkSession spark = SparkSessions.shared();
  private final Map<String, String> before = new HashMap<>();

  @BeforeAll
  static void write() {
    Random random = new Random(7);
    int cells = SHAPE[0] * SHAPE[1] * SHAPE[2];
    writeGroup("a", ramp(SHAPE[1], 40, 0.5), "v", random.doubles(cells).toArray());
    writeGroup("b", ramp(SHAPE[1], 40, 0.5), "w", random.doubles(cells).toArray());
    writeGroup("shifted", ramp(SHAPE[1], 42, 0.5), "w", random.doubles(cells).toArray());
    double[] twice = ramp(SHAPE[1], 40, 0.5);
    twice[17] = twice[0];
    writeGroup("twice", twice, "w", random.doubles(cells).toArray());
    int[] coarse = {6, 7, 10};
    writeGroup("coarse", ramp(SHAPE[1], 40, 0.5), "w", random.doubles(cells).toArray(), coarse);
    am = Catalogs.register(data.toString(), Map.of());
  }

  private static double[] ramp(int length, double first, double step) {
    double[] values = new double[length];
    for (int i = 0; i < length; i++) {
      values[i] = first + i * step;
    }
    return values;
  }

  /** Dimensions t (an index), lat (coordinates) and z (an index). */
  private static void writeGroup(String group, double[] lat, String name, double[] values) {
    writeGroup(group, lat, name, values, CHUNK);
  }

  private static void writeGroup(
      String group, double[] lat, String name, double[] values, int[] chunk) {
    TestArray.writeGroup(
        data.resolve("g/" + group),
        TestArray.coordinate("lat", "float64", lat, ""),
        new TestArray(name, SHAPE, chunk, List.of("t", "lat", "z"), "float64", values, true, ""));
  }

  private void set(String key, String value) {
    before.putIfAbsent(key, spark.conf().get(key, null));
    spark.conf().set(key, value);
  }

  @AfterEach
  void restore() {
    before.forEach(
        (key, value) -> {
          if (value == null) {
            spark.conf().unset(key);
          } else {
            spark.conf().set(key, value);
          }
        });
  }

  private void bucketing(boolean enabled) {
    set(BUCKETING, String.valueOf(enabled));
    set("spark.sql.autoBroadcastJoinThreshold", "-1");
    set("spark.sql.adaptive.autoBroadcastJoinThreshold", "-1");
    set("spark.sql.requireAllClusterKeysForCoPartition", "false");
    set("spark.sql.sources.v2.bucketing.pushPartValues.enabled", "true");
  }

  private static int exchanges(String query) {
    return String.join("\n", sql("EXPLAIN " + query)).split("Exchange ", -1).length - 1;
  }

  /** The same rows with and without, and as many exchanges as given. */
  private void check(String query, int with, int without) {
    String named = query.replace("@", am + ".g");
    bucketing(false);
    assertThat(exchanges(named)).as("without: %s", named).isEqualTo(without);
    List<String> expected = sql(named).stream().sorted().toList();
    bucketing(true);
    assertThat(exchanges(named)).as("with: %s", named).isEqualTo(with);
    assertThat(sql(named).stream().sorted().toList()).as(named).isEqualTo(expected);
    assertThat(expected).isNotEmpty();
  }

  @Test
  void groupingByChunkedDimensionsNeedsNoExchange() {
    String median = "SELECT t, percentile(v, 0.5), count(DISTINCT z) FROM @.a.cells";
    check(median.replace("count(DISTINCT z)", "stddev(v)") + " GROUP BY t", 0, 1);
    check("SELECT lat, stddev(v), max_by(v, v) FROM @.a.cells GROUP BY lat", 0, 1);
    check("SELECT lat, t, stddev(v) FROM @.a.cells GROUP BY lat, t", 0, 1);
    check("SELECT t, collect_set(lat) FROM @.a.cells GROUP BY t, lat", 0, 1);
    // Values on both sides of a chunk boundary, clipped chunks, chunks that are skipped.
    check(
        "SELECT lat, stddev(v) FROM @.a.cells WHERE lat BETWEEN 43 AND 48 AND t IN (3, 4, 5, 22)"
            + " GROUP BY lat",
        0,
        1);
    check("SELECT t, stddev(v) FROM @.a.cells WHERE v > 0.5 AND t <> 7 GROUP BY t", 0, 1);
  }

  @Test
  void joinsOnOneGridNeedNoExchange() {
    String join = "SELECT a.t, a.lat, a.z, v, w FROM @.a.cells a JOIN @.b.cells b ON ";
    String all = join + "a.t = b.t AND a.lat = b.lat AND a.z = b.z";
    check(all, 0, 2);
    check(all + " WHERE a.t BETWEEN 4 AND 17 AND a.lat < 46", 0, 2);
    check(all + " AND a.v > b.w", 0, 2);
    check(
        "SELECT a.t, sum(v * w) FROM @.a.cells a JOIN @.b.cells b"
            + " ON a.t = b.t AND a.lat = b.lat AND a.z = b.z GROUP BY a.t",
        0,
        3);
    // Other coordinates along lat, where no row moves either: both are divided along t.
    check(
        "SELECT a.t, v, w FROM @.a.cells a JOIN @.shifted.cells b"
            + " ON a.t = b.t AND a.lat = b.lat AND a.z = b.z",
        0,
        2);
  }

  @Test
  void whatIsDividedOtherwiseIsExchanged() {
    String on = " ON a.t = b.t AND a.lat = b.lat AND a.z = b.z";
    check("SELECT a.t, v, w FROM @.a.cells a JOIN @.coarse.cells b" + on, 2, 2);
    // A coordinate that occurs twice lies in two chunks.
    check("SELECT lat, stddev(w) FROM @.twice.cells GROUP BY lat", 1, 1);
    check("SELECT v, count(*) FROM @.a.cells GROUP BY v ORDER BY v LIMIT 3", 1, 1);
  }

  @Test
  void rowsOfOneDimensionAreGroupedByIt() {
    String rows = " FROM arraymorph_rows GROUP BY t";
    bucketing(true);
    spark
        .read()
        .format("arraymorph")
        .option("rows", "t")
        .load(data.resolve("g/a").toString())
        .createOrReplaceTempView("arraymorph_rows");
    // Without a catalog Spark cannot look the division up: it exchanges, and is right.
    assertThat(sql("SELECT t, count(*)" + rows)).hasSize(23);
  }

  @Test
  void valuesOfAJoinedTableNarrowWhatIsRead() {
    spark.sql(
        "CREATE OR REPLACE TEMPORARY VIEW all_stations AS SELECT * FROM VALUES"
            + " (3L, 41.5D, 'one'), (3L, 48.5D, 'two'), (21L, 41.5D, 'three') AS s(t, lat, name)");
    for (boolean enabled : new boolean[] {false, true}) {
      bucketing(enabled);
      set("spark.sql.autoBroadcastJoinThreshold", "10MB");
      String query =
          "SELECT name, sum(v) FROM "
              + am
              + ".g.a.cells a JOIN all_stations s ON a.t = s.t AND a.lat = s.lat"
              + " WHERE s.name <> 'x' GROUP BY name ORDER BY name";
      assertThat(sql(query)).hasSize(3);
      assertThat(sql(query))
          .isEqualTo(
              sql(
                  "SELECT name, sum(v) FROM (SELECT *, CASE WHEN t = 3 AND lat = 41.5 THEN 'one'"
                      + " WHEN t = 3 AND lat = 48.5 THEN 'two' WHEN t = 21 AND lat = 41.5 THEN"
                      + " 'three' END AS name FROM "
                      + am
                      + ".g.a.cells) WHERE name IS NOT NULL GROUP BY name ORDER BY name"));
    }
    // The same with the join itself on the grid: the filter arrives after the division was told.
    bucketing(true);
    String query =
        "SELECT a.t, a.lat, a.z, v, w FROM "
            + am
            + ".g.a.cells a JOIN "
            + am
            + ".g.b.cells b ON a.t = b.t AND a.lat = b.lat AND a.z = b.z"
            + " WHERE b.w > 0.9 AND a.t IN (SELECT t FROM all_stations WHERE name <> 'x')";
    List<String> with = sql(query).stream().sorted().toList();
    bucketing(false);
    assertThat(with).isNotEmpty().isEqualTo(sql(query).stream().sorted().toList());
  }

  @Test
  void randomQueriesHaveTheSameRows() {
    long seed = 20261121;
    System.getLogger("GridJoinTest").log(System.Logger.Level.INFO, "seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 6; i++) {
      String where =
          " WHERE a.t BETWEEN "
              + random.nextInt(10)
              + " AND "
              + (8 + random.nextInt(16))
              + " AND a.lat "
              + (random.nextBoolean() ? ">= " : "< ")
              + (40 + random.nextInt(18) * 0.5)
              + (random.nextBoolean() ? " AND a.z IN (1, 3, 8)" : "")
              + (random.nextBoolean() ? " AND v > 0.3" : "");
      String join =
          "FROM "
              + am
              + ".g.a.cells a JOIN "
              + am
              + ".g.b.cells b ON a.t = b.t AND a.lat = b.lat AND a.z = b.z";
      List<String> queries =
          List.of(
              "SELECT a.t, a.lat, a.z, v, w " + join + where,
              "SELECT a.lat, stddev(w), count(*) " + join + where + " GROUP BY a.lat",
              "SELECT a.lat, stddev(v) FROM " + am + ".g.a.cells a" + where + " GROUP BY a.lat");
      for (String query : queries) {
        bucketing(false);
        List<String> expected = sql(query).stream().sorted().toList();
        bucketing(true);
        assertThat(sql(query).stream().sorted().toList())
            .as("seed %d: %s", seed, query)
            .usingElementComparator(GridJoinTest::nearlyEqual)
            .isEqualTo(expected);
      }
    }
  }

  /** Prints how long a join takes with and without moving rows; the rows are compared. */
  @Test
  void movingNoRowsSavesTime() {
    int[] shape = {160, 100, 100};
    int[] chunk = {10, 100, 100};
    Random random = new Random(11);
    for (String group : List.of("large_a", "large_b")) {
      double[] values = random.doubles((long) shape[0] * shape[1] * shape[2]).toArray();
      String name = group.equals("large_a") ? "v" : "w";
      TestArray.writeGroup(
          data.resolve("g/" + group),
          new TestArray(name, shape, chunk, List.of("t", "y", "x"), "float64", values, false, ""));
    }
    String query =
        "SELECT count(*), round(sum(v * w), 3) FROM (SELECT a.t, v, w FROM "
            + am
            + ".g.large_a.cells a JOIN "
            + am
            + ".g.large_b.cells b ON a.t = b.t AND a.y = b.y AND a.x = b.x)";
    double[] best = {Double.MAX_VALUE, Double.MAX_VALUE};
    List<String> rows = List.of();
    for (int run = 0; run < 3; run++) {
      for (int with = 0; with < 2; with++) {
        bucketing(with == 1);
        long start = System.nanoTime();
        List<String> found = sql(query);
        best[with] = Math.min(best[with], (System.nanoTime() - start) / 1e9);
        assertThat(found).isEqualTo(run + with == 0 ? found : rows);
        rows = found;
      }
    }
    System.err.printf(
        "MEASURED join of two arrays of 1.6 million cells: %.2f s with exchanges, %.2f s without,"
            + " ratio %.2f%n",
        best[0], best[1], best[0] / best[1]);
  }

  /** Sums in another order differ in the last digits. */
  private static int nearlyEqual(String one, String other) {
    String[] a = one.split(" ");
    String[] b = other.split(" ");
    if (a.length != b.length) {
      return one.compareTo(other);
    }
    for (int i = 0; i < a.length; i++) {
      if (!a[i].equals(b[i])
          && !(a[i].contains(".")
              && b[i].contains(".")
              && Math.abs(Double.parseDouble(a[i]) - Double.parseDouble(b[i])) < 1e-9)) {
        return one.compareTo(other);
      }
    }
    return 0;
  }
}
