package io.arraymorph.spark.delta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.spark.ArrayMorph;
import io.arraymorph.testing.SparkSessions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A flat table is an ordinary Delta table to others, and a tensor to us. */
class FlatTableTest {
  private static final StructType CELLS =
      new StructType().add("day", "int").add("place", "bigint").add("trips", "double");

  private final SparkSession spark = SparkSessions.shared();

  @TempDir Path directory;

  private String table;

  @BeforeEach
  void name() {
    table = directory.resolve("flat").toString();
  }

  private Dataset<Row> cells(int seed, int from, int to) {
    Random random = new Random(seed);
    List<Row> rows = new ArrayList<>();
    for (int day = from; day < to; day++) {
      for (long place = 0; place < 50; place++) {
        if (random.nextInt(4) == 0) {
          rows.add(RowFactory.create(day, place, random.nextGaussian()));
        }
      }
    }
    return spark.createDataFrame(rows, CELLS).repartition(3);
  }

  private DataFrameWriter<Row> writer(Dataset<Row> cells, String tensor, int days, SaveMode mode) {
    return cells
        .write()
        .format("arraymorph")
        .option("layout", "flat")
        .option("storage", "coo")
        .option("tensor", tensor)
        .option("shape", days + ",50")
        .mode(mode);
  }

  private Dataset<Row> ours() {
    return spark.read().format("arraymorph").option("tensor", "t").load(table);
  }

  private Dataset<Row> theirs() {
    return spark.read().format("delta").load(table);
  }

  private static void assertSame(Dataset<Row> is, Dataset<Row> wanted) {
    Dataset<Row> expected = wanted.selectExpr("CAST(day AS BIGINT)", "place", "trips");
    assertThat(is.collectAsList()).containsExactlyInAnyOrderElementsOf(expected.collectAsList());
  }

  @Test
  void others_query_it_in_sql_and_we_read_it_as_a_tensor() {
    writer(cells(1, 0, 30), "t", 30, SaveMode.Append).save(table);
    assertThat(theirs().schema().simpleString())
        .isEqualTo("struct<day:bigint,place:bigint,trips:double>");
    assertSame(theirs(), cells(1, 0, 30));
    assertSame(ours(), cells(1, 0, 30));
    assertSame(
        ours().where("day IN (3, 9) AND place < 20"),
        cells(1, 0, 30).where("day IN (3, 9) AND place < 20"));
    Row row =
        spark
            .read()
            .format("arraymorph")
            .option("tensor", "t")
            .option("rows", "day")
            .load(table)
            .where("day = 7")
            .first();
    assertThat(row.getStruct(2).getList(1)).isEqualTo(List.of(1, 50));
    assertThat(row.getStruct(2).<Double>getList(0).stream().mapToDouble(v -> v).sum())
        .isEqualTo(
            cells(1, 0, 30)
                .where("day = 7")
                .agg(java.util.Map.of("trips", "sum"))
                .first()
                .getDouble(0),
            org.assertj.core.data.Offset.offset(1e-9));
    assertThat(ArrayMorph.tensors(spark, table).select("tensor", "encoding").first().toString())
        .isEqualTo("[t,coo]");
  }

  @Test
  void it_is_replaced_grown_and_deleted_in_single_commits_and_keeps_versions() {
    writer(cells(1, 0, 30), "t", 30, SaveMode.Append).save(table);
    writer(cells(2, 0, 10), "t", 10, SaveMode.Overwrite).save(table);
    assertSame(ours(), cells(2, 0, 10));
    writer(cells(3, 10, 14), "t", 14, SaveMode.Append).save(table);
    assertSame(ours(), cells(2, 0, 10).union(cells(3, 10, 14)));
    assertSame(theirs(), cells(2, 0, 10).union(cells(3, 10, 14)));
    assertSame(
        spark
            .read()
            .format("arraymorph")
            .option("tensor", "t")
            .option("versionAsOf", 0)
            .load(table),
        cells(1, 0, 30));
    ArrayMorph.deleteTensor(spark, table, "t");
    assertThat(theirs().count()).isZero();
    assertThatThrownBy(() -> ours().count()).hasMessageContaining("[ARRAYMORPH_UNKNOWN_TENSOR]");
    writer(cells(4, 0, 5), "u", 5, SaveMode.Append).save(table);
    assertSame(theirs(), cells(4, 0, 5));
  }

  @Test
  void what_others_change_is_seen() {
    writer(cells(1, 0, 30), "t", 31, SaveMode.Append).save(table);
    spark.sql("INSERT INTO delta.`" + table + "` VALUES (30, 4, 2.5D), (30, 5, 3.5D)");
    spark.sql(
        "ALTER TABLE delta.`"
            + table
            + "` SET TBLPROPERTIES ('delta.enableDeletionVectors' = true)");
    spark.sql("OPTIMIZE delta.`" + table + "`").collectAsList();
    spark.sql("DELETE FROM delta.`" + table + "` WHERE day < 3 OR place = 40");
    Dataset<Row> expected =
        cells(1, 0, 30)
            .union(
                spark.sql("SELECT 30 AS day, 4L AS place, 2.5D AS trips UNION SELECT 30, 5, 3.5"))
            .where("day >= 3 AND place <> 40");
    assertSame(ours(), expected);
    assertSame(ours().where("day = 30"), expected.where("day = 30"));
    spark.sql("INSERT INTO delta.`" + table + "` VALUES (31, 4, 2.5D)");
    assertThatThrownBy(() -> ours().count())
        .hasMessageContaining("[ARRAYMORPH_CHUNK_CORRUPT]")
        .hasMessageContaining("index 31");
  }

  @Test
  void what_does_not_fit_is_refused() {
    writer(cells(1, 0, 5), "t", 5, SaveMode.Append).save(table);
    assertThatThrownBy(() -> writer(cells(1, 0, 5), "u", 5, SaveMode.Append).save(table))
        .hasMessageContaining("[ARRAYMORPH_UNSUPPORTED_FEATURE]")
        .hasMessageContaining("of tensor 't'");
    assertThatThrownBy(
            () ->
                writer(
                        cells(1, 0, 5).selectExpr("day", "place AS x", "trips"),
                        "t",
                        5,
                        SaveMode.Overwrite)
                    .save(table))
        .hasMessageContaining("[ARRAYMORPH_UNSUPPORTED_FEATURE]");
    assertThatThrownBy(
            () ->
                writer(cells(1, 0, 5), "t", 5, SaveMode.Append)
                    .option("storage", "csf")
                    .save(table))
        .hasMessageContaining("[ARRAYMORPH_INVALID_OPTION]");
    assertThatThrownBy(
            () ->
                writer(cells(1, 0, 5), "t", 5, SaveMode.Overwrite)
                    .option("layout", "compact")
                    .save(table))
        .hasMessageContaining("[ARRAYMORPH_INVALID_OPTION]")
        .hasMessageContaining("has layout=flat");
    assertSame(theirs(), cells(1, 0, 5));
  }
}
