package io.arraymorph.spark.delta;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.testing.SparkSessions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random tensors in every encoding, read in every row mode under random predicates and slices, are
 * the cells that were written, filtered by Spark.
 */
class TensorOracleTest {
  private static final List<String> STORAGES =
      List.of("bsgs", "coo", "csr", "csc", "csf", "ftsf", "auto");
  private static final int ROUNDS = Integer.getInteger("oracle.rounds", 14);
  private static final int QUERIES = 5;

  private final SparkSession spark = SparkSessions.shared();
  private final Random random = new Random();

  @TempDir Path directory;

  private long[] shape;
  private Map<List<Long>, Integer> cells;

  @Test
  void every_read_is_the_cells_written_under_the_same_predicate() {
    long seed = Long.getLong("oracle.seed", System.nanoTime());
    for (int round = 0; round < ROUNDS; round++) {
      random.setSeed(seed + round);
      String storage = STORAGES.get(round % STORAGES.size());
      String id = "t" + round;
      write(id, storage);
      for (int q = 0; q < QUERIES; q++) {
        String query = "";
        try {
          query = check(id, storage);
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError(
              "-Doracle.seed=" + (seed + round) + " round " + round + " " + storage + " " + query,
              e);
        }
      }
    }
  }

  private void write(String id, String storage) {
    shape = new long[1 + random.nextInt(4)];
    StructType schema = new StructType();
    long volume = 1;
    for (int d = 0; d < shape.length; d++) {
      shape[d] = 1L + random.nextInt(9);
      volume *= shape[d];
      schema = schema.add("d" + d, random.nextBoolean() ? "int" : "bigint");
    }
    schema = schema.add("v", "int");
    cells = new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
    for (long i = 0; i < volume; i++) {
      if (random.nextInt(3) == 0) {
        List<Long> cell = new ArrayList<>();
        long rest = i;
        for (long length : shape) {
          cell.add(rest % length);
          rest /= length;
        }
        cells.put(cell, 1 + random.nextInt(1000));
      }
    }
    List<Row> rows = new ArrayList<>();
    for (Map.Entry<List<Long>, Integer> cell : cells.entrySet()) {
      Object[] values = new Object[shape.length + 1];
      for (int d = 0; d < shape.length; d++) {
        values[d] =
            schema.fields()[d].dataType().simpleString().equals("int")
                ? (Object) cell.getKey().get(d).intValue()
                : cell.getKey().get(d);
      }
      values[shape.length] = cell.getValue();
      rows.add(RowFactory.create(values));
    }
    java.util.Collections.shuffle(rows, random);
    StringBuilder lengths = new StringBuilder();
    StringBuilder block = new StringBuilder();
    for (long length : shape) {
      lengths.append(lengths.length() == 0 ? "" : ",").append(length);
      block.append(block.length() == 0 ? "" : ",").append(1 + random.nextInt(5));
    }
    var writer =
        spark
            .createDataFrame(rows, schema)
            .repartition(1 + random.nextInt(3))
            .write()
            .format("arraymorph")
            .option("storage", storage)
            .option("tensor", id)
            .option("shape", lengths.toString());
    if (!storage.equals("auto") && random.nextBoolean()) {
      writer = writer.option("block", block.toString());
    }
    writer.mode(SaveMode.Append).save(directory.toString());
    spark.createDataFrame(rows, schema).createOrReplaceTempView("written");
  }

  /** One random read; returns what it was. */
  private String check(String id, String storage) {
    int mode = random.nextInt(4);
    String rows = mode == 0 ? "tensors" : mode == 1 ? "d" + random.nextInt(shape.length) : "cells";
    boolean all = random.nextInt(3) == 0;
    boolean named = random.nextBoolean();
    String where = predicate(2, !rows.equals("cells"));
    DataFrameReader reader =
        spark
            .read()
            .format("arraymorph")
            .option("rows", rows)
            .option("cells", all ? "all" : "stored");
    if (rows.equals("tensors") && random.nextBoolean()) {
      reader = reader.option("piece", "3" + ",2".repeat(shape.length - 1));
    }
    Dataset<Row> read;
    if (named) {
      read = reader.option("tensor", id).load(directory.toString());
    } else {
      read = reader.load(directory.toString()).where("tensor = '" + id + "'");
    }
    Map<List<Long>, Integer> found = new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
    String columns = "d" + String.join(", d", numbers());
    Dataset<Row> filtered = read.where(where).selectExpr((columns + ", v").split(", "));
    String text = rows + (all ? " all" : " stored") + " WHERE " + where;
    for (Row row : filtered.collectAsList()) {
      collect(row, rows.equals("cells"), found, text);
    }
    Map<List<Long>, Integer> expected =
        new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
    for (Row row : spark.sql("SELECT * FROM written WHERE " + where).collectAsList()) {
      List<Long> cell = new ArrayList<>();
      for (int d = 0; d < shape.length; d++) {
        cell.add(((Number) row.get(d)).longValue());
      }
      expected.put(cell, row.getInt(shape.length));
    }
    boolean dense = !rows.equals("cells") || all || storage.equals("ftsf");
    if (dense) {
      // Cells with the fill value are those that were not written.
      found.forEach(
          (cell, value) ->
              assertThat(value != 0 || !cells.containsKey(cell)).as(text + cell).isTrue());
      found.values().removeIf(value -> value == 0);
    }
    assertThat(found).as(text).isEqualTo(expected);
    if (all && rows.equals("cells")) {
      long wanted = spark.sql(everyCell()).where(where).count();
      assertThat(filtered.count()).as(text).isEqualTo(wanted);
    }
    return text;
  }

  private List<String> numbers() {
    List<String> numbers = new ArrayList<>();
    for (int d = 0; d < shape.length; d++) {
      numbers.add(String.valueOf(d));
    }
    return numbers;
  }

  private String everyCell() {
    StringBuilder from = new StringBuilder();
    for (int d = 0; d < shape.length; d++) {
      from.append(d == 0 ? "" : " CROSS JOIN ")
          .append("(SELECT id AS d" + d + " FROM range(" + shape[d] + "))");
    }
    String names = "d" + String.join(", d", numbers());
    return "SELECT "
        + names
        + ", coalesce(v, 0) AS v FROM "
        + from
        + " LEFT JOIN written USING ("
        + names
        + ")";
  }

  private void collect(Row row, boolean cellRows, Map<List<Long>, Integer> found, String text) {
    if (cellRows) {
      List<Long> cell = new ArrayList<>();
      for (int d = 0; d < shape.length; d++) {
        cell.add(row.getLong(d));
      }
      assertThat(found.put(cell, row.getInt(shape.length))).as(text + " twice " + cell).isNull();
      return;
    }
    List<Integer> data = row.getStruct(shape.length).getList(0);
    List<Integer> lengths = row.getStruct(shape.length).getList(1);
    for (int i = 0; i < data.size(); i++) {
      Long[] cell = new Long[shape.length];
      int rest = i;
      for (int d = shape.length - 1; d >= 0; d--) {
        cell[d] = row.getLong(d) + rest % lengths.get(d);
        rest /= lengths.get(d);
      }
      assertThat(found.put(List.of(cell), data.get(i))).as(text + " twice").isNull();
    }
  }

  /**
   * A random predicate; if it must clip, only what is contiguous along each dimension, so that
   * positions in a tensor row say which cells they are.
   */
  private String predicate(int depth, boolean clips) {
    int d = random.nextInt(shape.length);
    long at = random.nextInt((int) shape[d] + 3) - 1L;
    if (depth > 0 && random.nextInt(3) > 0) {
      String left = predicate(depth - 1, clips);
      String right = predicate(depth - 1, clips);
      int kind = clips ? 0 : random.nextInt(3);
      return kind == 0
          ? "(" + left + " AND " + right + ")"
          : kind == 1 ? "(" + left + " OR " + right + ")" : "NOT (" + left + " OR " + right + ")";
    }
    switch (random.nextInt(clips ? 5 : 9)) {
      case 0:
        return "d" + d + " >= " + at;
      case 1:
        return at + " >= d" + d;
      case 2:
        return "d" + d + " BETWEEN " + (at - 2) + " AND " + (at + 2);
      case 3:
        return "d" + d + " = " + at;
      case 4:
        return "d" + d + " < " + at;
      case 5:
        return "d" + d + " IN (" + at + ", " + (at + 3) + ", " + (at + 4) + ")";
      case 6:
        return "d" + d + " <> " + at;
      case 7:
        return "d" + d + " % 2 = 1";
      default:
        return "v > " + random.nextInt(1000);
    }
  }
}
