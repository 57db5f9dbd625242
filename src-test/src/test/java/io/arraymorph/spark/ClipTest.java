package io.arraymorph.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.testing.SparkSessions;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A predicate on a packed dimension clips exactly, or the query fails; it never filters pieces. */
class ClipTest {
  private final SparkSession spark = SparkSessions.shared();

  @TempDir Path directory;

  @BeforeEach
  void writeArray() {
    double[] values = new double[4 * 6];
    for (int i = 0; i < values.length; i++) {
      values[i] = i;
    }
    TestArray.writeGroup(
        directory,
        new TestArray(
            "v",
            new int[] {4, 6},
            new int[] {2, 3},
            List.of("lat", "lon"),
            "float64",
            values,
            false,
            ""),
        TestArray.coordinate("lat", "float64", new double[] {0, 10, 20, 30}, ""),
        TestArray.coordinate("lon", "float64", new double[] {0, 5, 10, 15, 20, 25}, ""));
    spark.udf().register("twice", (UDF1<Double, Double>) x -> 2 * x, DataTypes.DoubleType);
    load("tensors").createOrReplaceTempView("t");
    load("lat").createOrReplaceTempView("rows_of_lat");
    load("cells").createOrReplaceTempView("c");
  }

  private Dataset<Row> load(String rows) {
    return spark.read().format("arraymorph").option("rows", rows).load(directory.toString());
  }

  private List<Row> sql(String text) {
    return spark.sql(text).collectAsList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT * FROM t WHERE twice(lat) > 10",
        "SELECT * FROM t WHERE lat > lon",
        "SELECT v.shape FROM t WHERE lat > lon + 1",
        "SELECT count(*) FROM t WHERE twice(lon) = 10",
        "SELECT * FROM t WHERE lat < 20 OR size(v.shape) = 7",
        "SELECT * FROM t WHERE lat > (SELECT max(lat) FROM c WHERE twice(lat) < 25)",
        "SELECT * FROM t JOIN c ON t.lat = c.lat",
        "SELECT * FROM c JOIN t ON t.lat = c.lat AND t.lon < c.lon",
        "SELECT * FROM t a, t b WHERE a.lat < b.lat",
        "SELECT * FROM t WHERE lat IN (SELECT lat FROM c WHERE v > 3)",
        "SELECT * FROM (SELECT lat * 2 AS x, rand() AS r FROM t) WHERE x > r",
        "SELECT * FROM rows_of_lat WHERE twice(lon) > 10",
        "SELECT * FROM (SELECT lat, v FROM t UNION ALL SELECT lat, v FROM t) WHERE twice(lat) > 5",
        "SELECT count(*) FROM (SELECT lat, row_number() OVER (ORDER BY lon) n FROM t) WHERE"
            + " twice(lat) > n"
      })
  void whatCannotClipFails(String query) {
    for (String adaptive : List.of("true", "false")) {
      spark.conf().set("spark.sql.adaptive.enabled", adaptive);
      try {
        assertThatThrownBy(() -> sql(query))
            .as("adaptive " + adaptive)
            .hasMessageContaining("[ARRAYMORPH_CANNOT_CLIP]")
            .hasMessageContaining("rows=cells");
      } finally {
        spark.conf().unset("spark.sql.adaptive.enabled");
      }
    }
  }

  @Test
  void positionsOfPackedDimensionsClipToo() {
    assertThat(load("tensors").where("_index.lat >= 3").selectExpr("v.data").first().getList(0))
        .isEqualTo(List.of(18.0, 19.0, 20.0));
    assertThatThrownBy(() -> load("tensors").where("_index.lat > _index.lon").count())
        .hasMessageContaining("[ARRAYMORPH_CANNOT_CLIP]");
    assertThat(load("lat").where("_index.lat % 2 = 0").count()).isEqualTo(2);
    assertThatThrownBy(() -> load("lat").where("_index.lon % 2 = 0").count())
        .hasMessageContaining("[ARRAYMORPH_CANNOT_CLIP]");
  }

  @Test
  void theErrorNamesThePredicate() {
    assertThatThrownBy(() -> sql("SELECT * FROM t WHERE twice(lat) > 10"))
        .hasMessageContaining("twice(lat)")
        .hasMessageContaining(directory.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT * FROM c WHERE twice(lat) > 10 AND lat > lon",
        "SELECT * FROM rows_of_lat WHERE twice(lat) > 10",
        "SELECT * FROM rows_of_lat r JOIN c ON r.lat = c.lat",
        "SELECT * FROM t WHERE rand() >= 0",
        "SELECT * FROM t WHERE v.data[0] >= 0",
        "SELECT * FROM (SELECT * FROM t LIMIT 4) WHERE twice(lat) >= 0",
        "SELECT m FROM (SELECT max(lat) AS m FROM t) WHERE twice(m) > lit(1)",
        "SELECT count(*) FROM t GROUP BY lat",
        "SELECT * FROM t ORDER BY lat DESC LIMIT 1",
      })
  void whatNeedsNoClippingRuns(String query) {
    assertThat(sql(query.replace("lit(1)", "1"))).isNotEmpty();
  }

  @Test
  void aCachedResultHoldsValues() {
    Dataset<Row> cached = load("tensors").cache();
    try {
      assertThat(cached.count()).isEqualTo(4);
      assertThat(cached.where("twice(lat) > 10").count()).isEqualTo(2);
    } finally {
      cached.unpersist();
    }
  }

  @Test
  void clippingCutsInsidePieces() {
    List<Row> rows =
        sql(
            "SELECT lat, lon, v.data, v.shape FROM t WHERE lat >= 10 AND lon IN (5, 20, 25)"
                + " ORDER BY lat, lon");
    assertThat(rows).hasSize(4);
    assertThat(rows.get(0).getDouble(0)).isEqualTo(10);
    assertThat(rows.get(0).getList(2)).isEqualTo(List.of(7.0));
    assertThat(rows.get(1).getList(2)).isEqualTo(List.of(10.0, 11.0));
    assertThat(rows.get(3).getList(2)).isEqualTo(List.of(16.0, 17.0, 22.0, 23.0));
    assertThat(rows.get(3).getList(3)).isEqualTo(List.of(2, 2));
  }

  @Test
  void disjointPartsOfOnePieceAreRowsOfTheirOwn() {
    List<Row> rows =
        sql(
            "SELECT v.data FROM t WHERE (lat = 0 AND lon < 10) OR (lat = 10 AND lon = 10)"
                + " ORDER BY v.data[0]");
    assertThat(rows).hasSize(2);
    assertThat(rows.get(0).getList(0)).isEqualTo(List.of(0.0, 1.0));
    assertThat(rows.get(1).getList(0)).isEqualTo(List.of(8.0));
  }
}
