package io.arraymorph.spark.delta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.testing.SparkSessions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TensorQueryTest {
  private static final StructType CELLS =
      new StructType()
          .add("day", "int")
          .add("place", "bigint")
          .add("kind", "smallint")
          .add("trips", "double");
  private static final long[] SHAPE = {30, 400, 3};

  private final SparkSession spark = SparkSessions.shared();

  @TempDir Path directory;

  /** Some cells with their values, by row-major place. */
  private static Map<Long, Double> cells(int seed, int wanted) {
    Random random = new Random(seed);
    Map<Long, Double> cells = new HashMap<>();
    for (int i = 0; i < wanted; i++) {
      cells.put(random.nextLong(SHAPE[0] * SHAPE[1] * SHAPE[2]), 1.0 + random.nextInt(9));
    }
    return cells;
  }

  private Dataset<Row> frame(Map<Long, Double> cells) {
    List<Row> rows = new ArrayList<>();
    cells.forEach(
        (place, value) ->
            rows.add(
                RowFactory.create(
                    (int) (place / (SHAPE[1] * SHAPE[2])),
                    place / SHAPE[2] % SHAPE[1],
                    (short) (place % SHAPE[2]),
                    value)));
    return spark.createDataFrame(rows, CELLS).repartition(3);
  }

  private void save(Dataset<Row> data, String tensor, SaveMode mode, String... options) {
    var writer =
        data.write().format("arraymorph").option("tensor", tensor).option("shape", "30,400,3");
    for (int i = 0; i < options.length; i += 2) {
      writer = writer.option(options[i], options[i + 1]);
    }
    writer.mode(mode).save(directory.toString());
  }

  private DataFrameReader read(String tensor) {
    return spark.read().format("arraymorph").option("tensor", tensor);
  }

  private Map<Long, Double> collect(Dataset<Row> rows) {
    Map<Long, Double> found = new HashMap<>();
    for (Row row : rows.collectAsList()) {
      long place = (row.getLong(0) * SHAPE[1] + row.getLong(1)) * SHAPE[2] + row.getLong(2);
      assertThat(found.put(place, row.getDouble(3))).as("cell " + place + " twice").isNull();
    }
    return found;
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "bsgs", "coo", "csr", "csc", "csf"})
  void sql_over_stored_cells_equals_sql_over_the_cells_written(String storage) {
    Map<Long, Double> cells = cells(1, 5000);
    save(frame(cells), "t", SaveMode.Overwrite, "storage", storage);
    Dataset<Row> tensor = read("t").load(directory.toString());
    assertThat(tensor.schema().simpleString())
        .isEqualTo("struct<day:bigint,place:bigint,kind:bigint,trips:double>");
    assertThat(collect(tensor)).isEqualTo(cells);
    frame(cells).createOrReplaceTempView("written");
    tensor.createOrReplaceTempView("stored");
    for (String where :
        List.of(
            "day = 7",
            "day BETWEEN 3 AND 9 AND place < 100",
            "place IN (5, 17, 399) OR place > 390",
            "kind <> 1 AND 20 <= day",
            "day = 3 OR place = 4",
            "trips > 6 AND day < 11",
            "day + place < 40",
            "day > 99",
            "kind IS NOT NULL AND day <=> 5")) {
      String query = "SELECT count(*), sum(trips), min(place), max(day) FROM %s WHERE " + where;
      assertThat(spark.sql(String.format(query, "stored")).collectAsList().toString())
          .as(where)
          .isEqualTo(spark.sql(String.format(query, "written")).collectAsList().toString());
    }
  }

  @Test
  void all_cells_are_the_stored_ones_and_the_fill_value() {
    Map<Long, Double> cells = cells(2, 800);
    save(frame(cells), "t", SaveMode.Append, "storage", "bsgs", "fill", "-1");
    Dataset<Row> all = read("t").option("cells", "all").load(directory.toString());
    Map<Long, Double> found = collect(all.where("day IN (3, 4, 9) AND place BETWEEN 10 AND 19"));
    assertThat(found).hasSize(3 * 10 * 3);
    found.forEach((place, value) -> assertThat(value).isEqualTo(cells.getOrDefault(place, -1.0)));
    assertThat(all.count()).isEqualTo(30 * 400 * 3);
  }

  @Test
  void slices_as_text_take_both_ends_or_positions() {
    Map<Long, Double> cells = cells(3, 3000);
    save(frame(cells), "t", SaveMode.Append, "storage", "auto", "slice-hint", "day");
    Dataset<Row> whole = read("t").load(directory.toString());
    assertThat(collect(read("t").option("slice", "day=3:5,kind=1").load(directory.toString())))
        .isEqualTo(collect(whole.where("day BETWEEN 3 AND 5 AND kind = 1")))
        .isNotEmpty();
    assertThat(collect(read("t").option("slice", "day=@-4::3").load(directory.toString())))
        .isEqualTo(collect(whole.where("day IN (26, 29)")))
        .isNotEmpty();
    String boxes = "day=3:5,kind=1 ; place=@:90,day=@4:9:2; kind=@-1,day=7";
    assertThat(collect(read("t").option("slice", boxes).load(directory.toString())))
        .isEqualTo(
            collect(
                whole.where(
                    "(day BETWEEN 3 AND 5 AND kind = 1) OR (place < 90 AND day IN (4, 6, 8))"
                        + " OR (kind = 2 AND day = 7)")))
        .isNotEmpty();
  }

  @Test
  void versions_stay_readable_and_appends_grow_one_dimension() {
    Map<Long, Double> first = cells(4, 500);
    save(frame(first), "t", SaveMode.Append, "storage", "coo");
    save(frame(cells(5, 300)).where("day < 9"), "u", SaveMode.Append, "storage", "csf");
    save(frame(cells(6, 400)), "t", SaveMode.Overwrite, "storage", "bsgs");
    assertThat(collect(read("t").load(directory.toString()))).isEqualTo(cells(6, 400));
    assertThat(collect(read("t").option("versionAsOf", "0").load(directory.toString())))
        .isEqualTo(first);
    Dataset<Row> more =
        spark.createDataFrame(
            List.of(
                RowFactory.create(31, 7L, (short) 2, 4.0),
                RowFactory.create(30, 0L, (short) 0, 5.0)),
            CELLS);
    more.write()
        .format("arraymorph")
        .option("tensor", "t")
        .option("storage", "bsgs")
        .mode(SaveMode.Append)
        .save(directory.toString());
    Dataset<Row> grown = read("t").load(directory.toString());
    assertThat(grown.count()).isEqualTo(cells(6, 400).size() + 2);
    assertThat(grown.where("day >= 30").orderBy("day").select("trips").collectAsList().toString())
        .isEqualTo("[[5.0], [4.0]]");
    assertThatThrownBy(() -> save(frame(first), "t", SaveMode.Append, "storage", "bsgs"))
        .hasMessageContaining("[ARRAYMORPH_OUT_OF_BOUNDS]")
        .hasMessageContaining("inside tensor 't'");
  }

  @Test
  void dense_tensors_come_back_as_chunks_clipped_to_the_predicate() {
    List<Row> rows = new ArrayList<>();
    for (long i = 0; i < 6; i++) {
      List<Integer> data = new ArrayList<>();
      for (int k = 0; k < 20; k++) {
        data.add((int) (100 * i + k));
      }
      rows.add(RowFactory.create(i, 0L, 0L, RowFactory.create(data, List.of(1, 4, 5))));
    }
    StructType tensor =
        new StructType()
            .add("data", DataTypes.createArrayType(DataTypes.IntegerType))
            .add("shape", DataTypes.createArrayType(DataTypes.IntegerType));
    StructType schema =
        new StructType()
            .add("image", "bigint")
            .add("y", "bigint")
            .add("x", "bigint")
            .add("v", tensor);
    spark
        .createDataFrame(rows, schema)
        .write()
        .format("arraymorph")
        .option("storage", "ftsf")
        .option("tensor", "images")
        .mode(SaveMode.Append)
        .save(directory.toString());
    Dataset<Row> images = read("images").load(directory.toString());
    Dataset<Row> clipped = images.where("image = 4 AND y >= 2 AND x BETWEEN 1 AND 2");
    assertThat(clipped.toJSON().collectAsList())
        .containsExactly(
            "{\"image\":4,\"y\":2,\"x\":1,"
                + "\"v\":{\"data\":[411,412,416,417],\"shape\":[1,2,2]}}");
    assertThat(images.count()).isEqualTo(6);
    assertThat(
            read("images")
                .option("rows", "cells")
                .load(directory.toString())
                .where("y = 3")
                .agg(Map.of("v", "sum"))
                .collectAsList()
                .get(0)
                .getLong(0))
        .isEqualTo(6 * (15 + 16 + 17 + 18 + 19) + 5 * 100 * 15);
  }

  @Test
  void bad_input_has_codes_and_leaves_nothing() {
    Dataset<Row> twice =
        spark.createDataFrame(
            List.of(
                RowFactory.create(1, 2L, (short) 0, 1.0), RowFactory.create(1, 2L, (short) 0, 2.0)),
            CELLS);
    assertThatThrownBy(() -> save(twice, "t", SaveMode.Append, "storage", "bsgs"))
        .hasMessageContaining("[ARRAYMORPH_DUPLICATE_CELL]");
    save(twice, "sum", SaveMode.Append, "storage", "coo", "duplicates", "sum");
    assertThat(read("sum").load(directory.toString()).first().getDouble(3)).isEqualTo(3.0);
    Dataset<Row> outside =
        spark.createDataFrame(List.of(RowFactory.create(30, 2L, (short) 0, 1.0)), CELLS);
    assertThatThrownBy(() -> save(outside, "t", SaveMode.Append, "storage", "bsgs"))
        .hasMessageContaining("[ARRAYMORPH_OUT_OF_BOUNDS]");
    Dataset<Row> missing =
        spark.createDataFrame(List.of(RowFactory.create(3, 2L, (short) 0, null)), CELLS);
    assertThatThrownBy(() -> save(missing, "t", SaveMode.Append, "storage", "coo"))
        .hasMessageContaining("[ARRAYMORPH_TYPE_MISMATCH]");
    assertThatThrownBy(
            () ->
                save(
                    twice.withColumn("day", twice.col("day").cast("double")),
                    "t",
                    SaveMode.Append,
                    "storage",
                    "coo"))
        .hasMessageContaining("[ARRAYMORPH_TYPE_MISMATCH]");
    assertThatThrownBy(() -> save(twice, "t", SaveMode.Append, "storage", "quadtree"))
        .hasMessageContaining("[ARRAYMORPH_INVALID_OPTION]");
    assertThatThrownBy(() -> read("t").load(directory.toString()))
        .hasMessageContaining("[ARRAYMORPH_UNKNOWN_TENSOR]");
    assertThatThrownBy(() -> read("sum").option("rows", "hour").load(directory.toString()))
        .hasMessageContaining("[ARRAYMORPH_UNKNOWN_DIMENSION]");
    assertThatThrownBy(
            () ->
                read("sum")
                    .option("rows", "tensors")
                    .option("piece", "0,1,1")
                    .load(directory.toString())
                    .collectAsList())
        .hasMessageContaining("[ARRAYMORPH_INVALID_OPTION]");
    assertThatThrownBy(
            () ->
                read("sum")
                    .option("slice", "day=1;hour=2")
                    .load(directory.toString())
                    .collectAsList())
        .hasMessageContaining("[ARRAYMORPH_UNKNOWN_DIMENSION]");
    assertThatThrownBy(
            () ->
                read("sum")
                    .option("slice", "day=1,day=2")
                    .load(directory.toString())
                    .collectAsList())
        .hasMessageContaining("[ARRAYMORPH_INVALID_SLICE]");
  }
}
