package io.arraymorph.differential;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.arraymorph.testing.SparkSessions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** Reads a small array of the corpus through Spark: cells, tensors, or rows along dimensions. */
final class ThroughSpark {
  private static final List<String> PLANNERS = List.of("auto", "get", "range", "merge", "paper");

  private ThroughSpark() {}

  static void compare(
      Path folder, JsonNode expected, Random random, String what, Map<String, Integer> tally) {
    int rank = expected.get("shape").size();
    int[] shape = new int[rank];
    Arrays.setAll(shape, d -> expected.get("shape").get(d).asInt());
    List<String> dimensions = new ArrayList<>();
    expected.get("dimensions").forEach(d -> dimensions.add(d.asText()));
    List<Integer> named =
        IntStream.range(0, rank).filter(d -> random.nextInt(3) == 0).boxed().toList();
    boolean cells = rank == 0 || random.nextBoolean();
    String rows =
        cells
            ? "cells"
            : named.isEmpty()
                ? "tensors"
                : named.stream().map(dimensions::get).collect(Collectors.joining(","));
    DataFrameReader reader =
        SparkSessions.shared()
            .read()
            .format("arraymorph")
            .option("rows", rows)
            .option("planner", PLANNERS.get(random.nextInt(PLANNERS.size())))
            .option("partition-bytes", Integer.toString(4000 + random.nextInt(40000)));
    Dataset<Row> frame = reader.load(folder.toString());
    String how = what + ", rows=" + rows;
    JsonNode selections = expected.get("selections");
    long[][] axes = null;
    if (!selections.isEmpty() && rank > 0 && random.nextInt(3) > 0) {
      axes = WithoutSpark.axes(selections.get(random.nextInt(selections.size())));
      String predicate = predicate(axes, dimensions);
      frame = frame.where(predicate);
      how += " where " + predicate;
    }
    String value = "`" + folder.getFileName() + "`";
    Map<Integer, String> found;
    try {
      found =
          cells
              ? cells(frame, shape, dimensions, value, how)
              : tensors(frame, shape, dimensions, named, value, how);
    } catch (RuntimeException e) {
      throw new AssertionError(how, e);
    }
    assertThat(found).as(how).isEqualTo(wanted(expected.get("cells"), shape, axes));
    tally.merge(
        "through Spark: " + (rows.matches("cells|tensors") ? rows : "dimensions"), 1, Integer::sum);
  }

  private static String predicate(long[][] axes, List<String> dimensions) {
    List<String> parts = new ArrayList<>();
    for (int d = 0; d < axes.length; d++) {
      long last = axes[d][axes[d].length - 1];
      boolean box = last - axes[d][0] == axes[d].length - 1;
      parts.add(
          box
              ? dimensions.get(d) + " BETWEEN " + axes[d][0] + " AND " + last
              : dimensions.get(d)
                  + " IN ("
                  + Arrays.stream(axes[d]).mapToObj(Long::toString).collect(Collectors.joining(","))
                  + ")");
    }
    return String.join(" AND ", parts);
  }

  private static Map<Integer, String> wanted(JsonNode texts, int[] shape, long[][] axes) {
    Map<Integer, String> wanted = new TreeMap<>();
    for (int i = 0; i < texts.size(); i++) {
      boolean selected = true;
      for (int d = shape.length - 1, rest = i; axes != null && d >= 0; d--) {
        selected &= Arrays.binarySearch(axes[d], rest % shape[d]) >= 0;
        rest /= shape[d];
      }
      if (selected) {
        wanted.put(i, texts.get(i).asText());
      }
    }
    return wanted;
  }

  private static Map<Integer, String> cells(
      Dataset<Row> frame, int[] shape, List<String> dimensions, String value, String how) {
    List<String> columns = new ArrayList<>(dimensions);
    columns.add(value);
    Map<Integer, String> found = new TreeMap<>();
    for (Row row : frame.selectExpr(columns.toArray(String[]::new)).collectAsList()) {
      int at = 0;
      for (int d = 0; d < shape.length; d++) {
        at = at * shape[d] + Math.toIntExact(row.getLong(d));
      }
      put(found, at, row.get(shape.length), how);
    }
    return found;
  }

  private static void put(Map<Integer, String> found, int at, Object value, String how) {
    assertThat(found.put(at, CellText.of(value))).as("cell " + at + " twice, " + how).isNull();
  }

  private static Map<Integer, String> tensors(
      Dataset<Row> frame,
      int[] shape,
      List<String> dimensions,
      List<Integer> named,
      String value,
      String how) {
    boolean packs = named.size() < shape.length;
    List<String> columns = new ArrayList<>(dimensions);
    columns.add(value + ".data");
    columns.add(value + ".shape");
    columns.add(packs ? "_coords" : "_chunk");
    Map<Integer, String> found = new TreeMap<>();
    for (Row row : frame.selectExpr(columns.toArray(String[]::new)).collectAsList()) {
      List<Object> data = row.getList(shape.length);
      List<Integer> sizes = row.getList(shape.length + 1);
      assertThat(data).as(how).hasSize(sizes.stream().reduce(1, (a, b) -> a * b));
      for (int i = 0; i < data.size(); i++) {
        put(found, position(row, shape, named, sizes, i), data.get(i), how);
      }
    }
    return found;
  }

  /** Where in the whole array the {@code i}-th element of a tensor is. */
  private static int position(
      Row row, int[] shape, List<Integer> named, List<Integer> sizes, int i) {
    int rest = i;
    int packed = sizes.size() - 1;
    int at = 0;
    int scale = 1;
    for (int d = shape.length - 1; d >= 0; d--) {
      long index;
      if (named.contains(d)) {
        index = row.getLong(d);
      } else {
        List<Long> along = row.getStruct(shape.length + 2).getList(packed);
        index = along.get(rest % sizes.get(packed));
        rest /= sizes.get(packed);
        packed--;
      }
      at += scale * Math.toIntExact(index);
      scale *= shape[d];
    }
    return at;
  }
}
