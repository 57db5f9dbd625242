package io.arraymorph.spark;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * A group of two random variables over the same random dimensions, stored, and the same cells as
 * rows: {@code v} holds numbers, NaN and NULL, {@code id} the number of the cell in C order.
 */
final class RandomDataset {
  private static final double MISSING = -999;

  final int[] shape;
  final int[] chunk;
  final List<String> dimensions;
  final double[] v;

  /** For each dimension its coordinate values, null where NULL; null if it has none. */
  final Double[][] coordinates;

  RandomDataset(Random random, Path directory) {
    int rank = 1 + random.nextInt(3);
    shape = IntStream.range(0, rank).map(d -> 1 + random.nextInt(9)).toArray();
    chunk = IntStream.range(0, rank).map(d -> 1 + random.nextInt(5)).toArray();
    dimensions = IntStream.range(0, rank).mapToObj(d -> "d" + d).toList();
    int cells = Arrays.stream(shape).reduce(1, (a, b) -> a * b);
    v = new double[cells];
    for (int i = 0; i < cells; i++) {
      int kind = random.nextInt(12);
      v[i] = kind == 0 ? Double.NaN : kind == 1 ? MISSING : random.nextInt(9) - 4;
    }
    List<TestArray> arrays = new ArrayList<>();
    arrays.add(
        new TestArray(
            "v",
            shape,
            chunk,
            dimensions,
            "float64",
            v,
            random.nextBoolean(),
            "\"_FillValue\":-999.0"));
    int[] other = IntStream.range(0, rank).map(d -> 1 + random.nextInt(6)).toArray();
    double[] ids = IntStream.range(0, cells).asDoubleStream().toArray();
    arrays.add(
        new TestArray("id", shape, other, dimensions, "int32", ids, random.nextBoolean(), ""));
    coordinates = new Double[rank][];
    for (int d = 0; d < rank; d++) {
      coordinates[d] = coordinate(random, shape[d]);
      if (coordinates[d] != null) {
        double[] stored =
            Arrays.stream(coordinates[d]).mapToDouble(c -> c == null ? MISSING : c).toArray();
        arrays.add(TestArray.coordinate("d" + d, "float64", stored, "\"_FillValue\":-999.0"));
      }
    }
    TestArray.writeGroup(directory, arrays.toArray(TestArray[]::new));
  }

  private static Double[] coordinate(Random random, int length) {
    Double[] values = new Double[length];
    switch (random.nextInt(4)) {
      case 0:
        return null;
      case 1:
        Arrays.setAll(values, i -> i * 0.5);
        return values;
      case 2:
        Arrays.setAll(values, i -> 3.0 - i);
        return values;
      default:
        Arrays.setAll(
            values,
            i -> {
              int kind = random.nextInt(8);
              return kind == 0 ? null : kind == 1 ? Double.NaN : random.nextInt(7) / 2.0;
            });
        return values;
    }
  }

  /** The columns of the rows, {@code _index} last. */
  StructType schema() {
    List<StructField> fields = new ArrayList<>();
    List<StructField> index = new ArrayList<>();
    for (int d = 0; d < shape.length; d++) {
      fields.add(
          DataTypes.createStructField(
              "d" + d, coordinates[d] == null ? DataTypes.LongType : DataTypes.DoubleType, true));
      index.add(DataTypes.createStructField("d" + d, DataTypes.LongType, false));
    }
    fields.add(DataTypes.createStructField("v", DataTypes.DoubleType, true));
    fields.add(DataTypes.createStructField("id", DataTypes.IntegerType, false));
    fields.add(DataTypes.createStructField("_index", DataTypes.createStructType(index), false));
    return DataTypes.createStructType(fields);
  }

  /** The cells as rows. */
  List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (int cell = 0; cell < v.length; cell++) {
      List<Object> row = new ArrayList<>();
      Long[] position = new Long[shape.length];
      for (int d = 0; d < shape.length; d++) {
        position[d] = (long) TestArray.index(cell, shape)[d];
        row.add(valueAt(d, position[d].intValue()));
      }
      row.add(value(cell));
      row.add(cell);
      row.add(RowFactory.create((Object[]) position));
      rows.add(RowFactory.create(row.toArray()));
    }
    return rows;
  }

  /** What the column of a dimension holds at an index. */
  Object valueAt(int dimension, int index) {
    return coordinates[dimension] == null ? (Object) (long) index : coordinates[dimension][index];
  }

  /** What {@code v} holds in a cell. */
  Double value(int cell) {
    return v[cell] == MISSING ? null : (Double) v[cell];
  }

  /** A predicate in SQL. */
  String predicate(Random random, int depth, boolean onlyDimensions) {
    int kind = random.nextInt(depth == 0 ? 6 : 10);
    switch (kind) {
      case 6:
      case 7:
        return "("
            + predicate(random, depth - 1, onlyDimensions)
            + " AND "
            + predicate(random, depth - 1, onlyDimensions)
            + ")";
      case 8:
        return "("
            + predicate(random, depth - 1, onlyDimensions)
            + " OR "
            + predicate(random, depth - 1, onlyDimensions)
            + ")";
      case 9:
        return "NOT " + predicate(random, depth - 1, onlyDimensions);
      default:
        return leaf(random, onlyDimensions);
    }
  }

  private String leaf(Random random, boolean onlyDimensions) {
    String column = column(random, onlyDimensions);
    String constant = constant(random);
    switch (random.nextInt(onlyDimensions ? 7 : 10)) {
      case 0:
        return "(" + column + " BETWEEN " + constant(random) + " AND " + constant + ")";
      case 1:
        return "("
            + column
            + " IN ("
            + constant
            + ", "
            + constant(random)
            + ", "
            + constant(random)
            + "))";
      case 2:
        return "(" + column + (random.nextBoolean() ? " IS NULL)" : " IS NOT NULL)");
      case 3:
        return "(" + column + " <=> " + constant + ")";
      case 7:
        return "(" + column + " % 2 = 0)";
      case 8:
        return "(" + column + " > " + column(random, onlyDimensions) + ")";
      case 9:
        return "(rand() >= 0 AND " + column + " < " + constant + ")";
      default:
        String operator = List.of("=", "<", "<=", ">", ">=", "<>").get(random.nextInt(6));
        return "(" + column + " " + operator + " " + constant + ")";
    }
  }

  private String column(Random random, boolean onlyDimensions) {
    String dimension = "d" + random.nextInt(shape.length);
    if (!onlyDimensions && random.nextInt(3) == 0) {
      return random.nextBoolean() ? "v" : "id";
    }
    return random.nextInt(4) == 0 ? "_index." + dimension : dimension;
  }

  private static String constant(Random random) {
    switch (random.nextInt(6)) {
      case 0:
        return Integer.toString(random.nextInt(10) - 1);
      case 1:
        return (random.nextInt(20) - 4) / 2.0 + "D";
      case 2:
        return (random.nextInt(20) - 4) / 4.0 + "";
      case 3:
        return random.nextInt(9) + "L";
      case 4:
        return random.nextInt(6) == 0 ? "double('NaN')" : random.nextInt(5) + "";
      default:
        return "float(" + random.nextInt(7) / 2.0 + ")";
    }
  }

  @Override
  public String toString() {
    return "shape "
        + Arrays.toString(shape)
        + " chunk "
        + Arrays.toString(chunk)
        + " coordinates "
        + Arrays.deepToString(coordinates);
  }
}
