package io.arraymorph.spark.delta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.testing.SparkSessions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables in the paper's columns: what delta-spark sees, and what we read of what it writes. */
class PaperTableTest {
  private static final StructType CELLS =
      new StructType().add("day", "int").add("hour", "int").add("place", "bigint").add("n", "int");

  private final SparkSession spark = SparkSessions.shared();

  @TempDir Path directory;

  private Dataset<Row> cells() {
    Random random = new Random(5);
    List<Row> rows = new ArrayList<>();
    for (int day = 0; day < 9; day++) {
      for (int hour = 0; hour < 8; hour++) {
        for (long place = 0; place < 20; place++) {
          if (day != 3 && random.nextInt(6) == 0) {
            rows.add(RowFactory.create(day, hour, place, 1 + random.nextInt(50)));
          }
        }
      }
    }
    return spark.createDataFrame(rows, CELLS).repartition(3);
  }

  private DataFrameWriter<Row> writer(Dataset<Row> rows, String storage) {
    return rows.write()
        .format("arraymorph")
        .option("layout", "paper")
        .option("storage", storage)
        .option("tensor", "t")
        .option("shape", "9,8,20")
        .option("block", "3,4,7")
        .mode("append");
  }

  private Dataset<Row> read(String table) {
    return spark
        .read()
        .format("arraymorph")
        .option("tensor", "t")
        .option("rows", "cells")
        .load(table)
        .where("n <> 0");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ftsf|id:string,chunk:binary,chunk_id:int,dim_count:int,chunk_dim_count:int,"
            + "dimensions:array<int>",
        "coo|id:string,layout:string,dense_shape:array<int>,indices:array<int>,value:double",
        "csr|id:string,layout:string,flattened_shape:array<int>,dense_shape:array<int>,"
            + "crow_indices:array<int>,col_indices:array<int>,value:array<double>",
        "csc|id:string,layout:string,flattened_shape:array<int>,dense_shape:array<int>,"
            + "ccol_indices:array<int>,row_indices:array<int>,value:array<double>",
        "csf|id:string,tensor_id:string,layout:string,dense_shape:array<int>,"
            + "fptr_zero:array<int>,fptr_one:array<int>,fid_zero:array<int>,fid_one:array<int>,"
            + "values_chunk:array<double>,fid_2_chunk:array<int>",
        "bsgs|id:string,layout:string,dense_shape:array<int>,block_shape:array<int>,"
            + "index_array:array<int>,value:array<array<double>>"
      })
  void cells_come_back_from_the_columns_of_the_paper(String storage, String columns) {
    String table = directory.resolve(storage).toString();
    Dataset<Row> cells = cells();
    writer(cells, storage).save(table);
    Dataset<Row> theirs = spark.read().format("delta").load(table);
    assertThat(theirs.schema().simpleString()).isEqualTo("struct<" + columns + ">");
    List<Row> wanted =
        cells
            .selectExpr("CAST(day AS BIGINT)", "CAST(hour AS BIGINT)", "place", "n")
            .collectAsList();
    assertThat(read(table).collectAsList()).containsExactlyInAnyOrderElementsOf(wanted);
    assertThat(read(table).where("day IN (2, 7) AND place > 11 AND hour < 5").count())
        .isEqualTo(cells.where("day IN (2, 7) AND place > 11 AND hour < 5").count());
    // What Delta's own commands do to the files does not matter.
    writer(cells, storage).option("tensor", "u").save(table);
    spark.sql("OPTIMIZE delta.`" + table + "`");
    assertThat(read(table).collectAsList()).containsExactlyInAnyOrderElementsOf(wanted);
    String id = storage.equals("csf") ? "tensor_id" : "id";
    spark.sql("DELETE FROM delta.`" + table + "` WHERE " + id + " = 'u'");
    assertThat(read(table).collectAsList()).containsExactlyInAnyOrderElementsOf(wanted);
    writer(cells.where("day = 1"), storage).mode("overwrite").save(table);
    assertThat(read(table).count()).isEqualTo(cells.where("day = 1").count());
    assertThatThrownBy(() -> writer(cells.where("day = 8"), storage).save(table))
        .hasMessageContaining("[ARRAYMORPH_UNSUPPORTED_FEATURE]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ftsf", "coo", "csr", "csc", "csf", "bsgs"})
  void a_tensor_without_a_cell_is_one_too(String storage) {
    String table = directory.resolve("empty-" + storage).toString();
    Dataset<Row> none = spark.createDataFrame(List.of(), cells().schema());
    writer(none, storage).mode("overwrite").save(table);
    assertThat(read(table).count()).isZero();
    Dataset<Row> ours = spark.read().format("arraymorph").option("tensor", "t").load(table);
    assertThat(ours.columns()).containsExactly(cells().columns());
  }

  @Test
  void tensor_rows_are_chunks_of_which_none_may_be_missing() {
    String table = directory.resolve("chunks").toString();
    Dataset<Row> rows =
        spark.sql(
            "SELECT id AS image, 0L AS y, 0L AS x, named_struct('data',"
                + " transform(sequence(0, 11), i -> CAST(i * 10 + id AS FLOAT)),"
                + " 'shape', array(1, 3, 4)) AS pixel FROM range(6)");
    DataFrameWriter<Row> writer =
        rows.write().format("arraymorph").option("layout", "paper").option("tensor", "t");
    writer.option("storage", "ftsf").save(table);
    List<Row> theirs = spark.read().format("delta").load(table).orderBy("chunk_id").collectAsList();
    assertThat(theirs).hasSize(6);
    assertThat(theirs.get(4).getInt(4)).isEqualTo(2);
    assertThat(theirs.get(4).getList(5)).isEqualTo(List.of(6, 3, 4));
    Dataset<Row> ours = spark.read().format("arraymorph").option("tensor", "t").load(table);
    Row image = ours.where("image = 4").collectAsList().get(0);
    assertThat(image.getStruct(3).getList(0).get(7)).isEqualTo(74f);
    assertThatThrownBy(
            () ->
                rows.where("image <> 2")
                    .write()
                    .format("arraymorph")
                    .option("layout", "paper")
                    .option("storage", "ftsf")
                    .option("tensor", "u")
                    .mode("append")
                    .save(table))
        .hasMessageContaining("[ARRAYMORPH_SHAPE_MISMATCH]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "rows-first", "code"})
  void csc_by_the_papers_code_needs_a_word_on_its_numbering(String order) {
    String table = directory.resolve("csc").toString();
    // One cell at (1, 2, 0) of (2, 4, 3): by the paper row 1, column 6; by its code 18 = 2 * 9.
    boolean code = order.equals("code");
    String pointers =
        "transform(sequence(0, 12), c -> IF(c > " + (code ? 9 : 6) + ", 1, 0)) AS ccol_indices";
    spark
        .sql(
            "SELECT 't' AS id, 'CSC' AS layout, array(2, 12) AS flattened_shape,"
                + " array(2, 4, 3) AS dense_shape, "
                + pointers
                + ", array("
                + (code ? 0 : 1)
                + ") AS row_indices, array(5.5D) AS value")
        .write()
        .format("delta")
        .save(table);
    Dataset<Row> read = spark.read().format("delta").load(table);
    assertThat(read.count()).isOne();
    if (order.isEmpty()) {
      assertThatThrownBy(
              () -> spark.read().format("arraymorph").option("tensor", "t").load(table).count())
          .hasMessageContaining("[ARRAYMORPH_UNSUPPORTED_FEATURE]");
      return;
    }
    spark.sql(
        "ALTER TABLE delta.`"
            + table
            + "` SET TBLPROPERTIES ('arraymorph.tensors.paper.csc' = '"
            + order
            + "')");
    assertThat(spark.read().format("arraymorph").option("tensor", "t").load(table).collectAsList())
        .containsExactly(RowFactory.create(1L, 2L, 0L, 5.5));
  }

  @Test
  void damage_and_wrong_options_have_codes() {
    String table = directory.resolve("bad").toString();
    spark
        .sql(
            "SELECT 't' AS id, 'COO' AS layout, array(3, 4) AS dense_shape,"
                + " array(CAST(id AS INT), 1) AS indices, 1D AS value FROM range(5)")
        .write()
        .format("delta")
        .save(table);
    assertThatThrownBy(
            () -> spark.read().format("arraymorph").option("tensor", "t").load(table).collect())
        .hasMessageContaining("[ARRAYMORPH_CHUNK_CORRUPT]");
    assertThatThrownBy(
            () ->
                spark
                    .read()
                    .format("arraymorph")
                    .option("layout", "flat")
                    .option("tensor", "t")
                    .load(table))
        .hasMessageContaining("[ARRAYMORPH_INVALID_OPTION]");
    assertThatThrownBy(() -> spark.read().format("arraymorph").option("tensor", "v").load(table))
        .hasMessageContaining("[ARRAYMORPH_UNKNOWN_TENSOR]");
  }
}
