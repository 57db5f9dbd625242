package io.arraymorph.spark;

import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.testing.SparkSessions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random arrays, predicates and row modes through Spark SQL, against the same rows in memory. */
class QueryOracleTest {
  private final SparkSession spark = SparkSessions.shared();

  @TempDir Path directory;

  @Test
  void cellsAnswerAnyPredicateAsRowsInMemoryDo() {
    for (long seed = 1; seed <= 12; seed++) {
      compareCells(seed, 4);
    }
  }

  @Test
  void tensorsAreClippedToExactlyTheCellsOfThePredicate() {
    for (long seed = 101; seed <= 112; seed++) {
      compareTensors(seed, 4);
    }
  }

  @Tag("long")
  @Test
  void manyMore() {
    long first = System.nanoTime();
    for (long seed = first; seed < first + 300; seed++) {
      compareCells(seed, 5);
      compareTensors(seed, 5);
    }
  }

  private void compareCells(long seed, int predicates) {
    Random random = new Random(seed);
    Path path = directory.resolve("cells-" + seed);
    RandomDataset data = new RandomDataset(random, path);
    Dataset<Row> oracle = spark.createDataFrame(data.rows(), data.schema());
    Dataset<Row> cells =
        spark
            .read()
            .format("arraymorph")
            .option("rows", "cells")
            .option("array", random.nextBoolean() ? "v,id" : "id,v")
            .option("partition-bytes", Integer.toString(1 + random.nextInt(400)))
            .load(path.toString());
    for (int p = 0; p < predicates; p++) {
      String predicate = data.predicate(random, 3, false);
      String[] columns = {"v", "id", "_index", "struct(*) AS dimensions"};
      columns[3] = "struct(" + String.join(", ", data.dimensions) + ") AS dimensions";
      assertThat(texts(cells.where(predicate).selectExpr(columns)))
          .as("seed " + seed + " " + data + " where " + predicate)
          .isEqualTo(texts(oracle.where(predicate).selectExpr(columns)));
    }
    assertThat(cells.count()).isEqualTo(data.v.length);
    for (int p = 0; p < predicates; p++) {
      compareAggregates(seed, random, data, cells, oracle);
    }
  }

  private static void compareAggregates(
      long seed, Random random, RandomDataset data, Dataset<Row> cells, Dataset<Row> oracle) {
    List<String> functions =
        List.of(
            "count(*)",
            "count(v)",
            "sum(v)",
            "min(v)",
            "max(v)",
            "avg(v)",
            "count(id)",
            "sum(id)",
            "min(id)",
            "max(id)",
            "avg(id)",
            "count(d0)",
            "min(d0)",
            "max(d0)",
            "sum(d0)",
            "avg(d0)");
    List<Column> chosen = new ArrayList<>();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      String function = functions.get(random.nextInt(functions.size()));
      chosen.add(expr(function).as("a" + i));
    }
    Column[] rest = chosen.subList(1, chosen.size()).toArray(Column[]::new);
    Column[] groups =
        data.dimensions.stream()
            .filter(d -> random.nextInt(3) == 0)
            .map(d -> expr(d))
            .toArray(Column[]::new);
    String predicate =
        random.nextInt(3) == 0 ? "true" : data.predicate(random, 2, random.nextBoolean());
    assertThat(texts(cells.where(predicate).groupBy(groups).agg(chosen.get(0), rest)))
        .as("seed " + seed + " " + data + " " + chosen + " where " + predicate)
        .isEqualTo(texts(oracle.where(predicate).groupBy(groups).agg(chosen.get(0), rest)));
  }

  private static List<String> texts(Dataset<Row> rows) {
    return rows.collectAsList().stream().map(Row::toString).sorted().collect(Collectors.toList());
  }

  private void compareTensors(long seed, int predicates) {
    Random random = new Random(seed);
    Path path = directory.resolve("tensors-" + seed);
    RandomDataset data = new RandomDataset(random, path);
    List<String> named =
        data.dimensions.stream()
            .filter(d -> random.nextInt(3) == 0)
            .collect(Collectors.toCollection(ArrayList::new));
    java.util.Collections.shuffle(named, random);
    String sizes =
        Arrays.stream(data.shape)
            .mapToObj(d -> Integer.toString(1 + random.nextInt(6)))
            .collect(Collectors.joining(","));
    Dataset<Row> tensors =
        spark
            .read()
            .format("arraymorph")
            .option("rows", named.isEmpty() ? "tensors" : String.join(",", named))
            .option("piece", List.of("chunk", "shard", sizes).get(random.nextInt(3)))
            .option("array", "v,id")
            .option("partition-bytes", Integer.toString(1 + random.nextInt(400)))
            .load(path.toString());
    Dataset<Row> oracle = spark.createDataFrame(data.rows(), data.schema());
    for (int p = 0; p < predicates; p++) {
      String predicate = data.predicate(random, 3, true);
      String what = "seed " + seed + " rows " + named + " " + data + " where " + predicate;
      List<Integer> expected =
          oracle.where(predicate).collectAsList().stream()
              .map(row -> row.<Integer>getAs("id"))
              .sorted()
              .toList();
      List<Integer> found = new ArrayList<>();
      String coordinates = named.size() == data.shape.length ? "_chunk" : "_coords";
      List<Row> rows =
          tensors.where(predicate).selectExpr("*", "_index", coordinates).collectAsList();
      for (Row row : rows) {
        found.addAll(check(row, data, named, what));
      }
      assertThat(found.stream().sorted().toList()).as(what).isEqualTo(expected);
    }
  }

  /** Checks one tensor row in all its columns; the cells in it. */
  private static List<Integer> check(Row row, RandomDataset data, List<String> named, String what) {
    List<Integer> ids = row.<Row>getAs("id").getList(0);
    List<Double> values = row.<Row>getAs("v").getList(0);
    List<Integer> shape = row.<Row>getAs("id").getList(1);
    assertThat(row.<Row>getAs("v").getList(1)).as(what).isEqualTo(shape);
    int cells = shape.stream().reduce(1, (a, b) -> a * b);
    assertThat(ids).as(what).hasSize(cells);
    assertThat(values).as(what).hasSize(cells);
    List<Integer> packed =
        IntStream.range(0, data.shape.length)
            .filter(d -> !named.contains("d" + d))
            .boxed()
            .toList();
    assertThat(shape).as(what).hasSize(packed.size());
    for (int i = 0; i < cells; i++) {
      int id = ids.get(i);
      int[] at = TestArray.index(id, data.shape);
      int[] within = TestArray.index(i, shape.stream().mapToInt(Integer::intValue).toArray());
      assertThat(values.get(i)).as(what).isEqualTo(data.value(id));
      for (int d = 0; d < at.length; d++) {
        String name = "d" + d;
        Row index = row.getAs("_index");
        if (named.contains(name)) {
          assertThat(row.<Object>getAs(name)).as(what).isEqualTo(data.valueAt(d, at[d]));
          assertThat(index.<Long>getAs(name)).as(what).isEqualTo(at[d]);
        } else {
          List<Object> along = row.<Row>getAs("_coords").getList(packed.indexOf(d));
          assertThat(along.get(within[packed.indexOf(d)]))
              .as(what)
              .isEqualTo(data.valueAt(d, at[d]));
          if (i == 0) {
            assertThat(row.<Object>getAs(name)).as(what).isEqualTo(data.valueAt(d, at[d]));
            assertThat(index.<Long>getAs(name)).as(what).isEqualTo(at[d]);
          }
        }
      }
    }
    return ids;
  }
}
