package io.arraymorph.spark.write;

import io.arraymorph.array.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Brings a DataFrame into the form that tasks write: columns {@code d0, d1, ..} BIGINT (the index
 * of the cell, or of a piece's first cell, along each dimension), then {@code v0, v1, ..}; rows of
 * one chunk object in one task, one after the other.
 */
final class IndexedRows {
  private IndexedRows() {}

  /**
   * The rows in that form.
   *
   * @param object shape of the chunk objects by which rows are clustered; none leaves rows where
   *     they are
   * @param partitions number of tasks if rows are clustered
   * @param ordered true if of two rows of one cell the later must come later
   */
  static Dataset<Row> of(
      Dataset<Row> data,
      InputColumns input,
      List<DimensionIndex> indices,
      Optional<Shape> object,
      int partitions,
      boolean ordered) {
    Dataset<Row> rows = data.selectExpr(keyed(input, indices, ordered));
    for (int d = 0; d < indices.size(); d++) {
      Optional<DimensionIndex.Lookup> lookup = indices.get(d).lookup();
      if (lookup.isPresent()) {
        rows = withIndex(rows, d, lookup.get());
      }
    }
    if (object.isPresent()) {
      rows = clustered(rows, object.get(), partitions, ordered);
    }
    List<String> columns = new ArrayList<>();
    for (int d = 0; d < indices.size(); d++) {
      columns.add("d" + d);
    }
    for (int v = 0; v < input.values().size(); v++) {
      columns.add("v" + v);
    }
    return rows.selectExpr(columns.toArray(String[]::new));
  }

  /** Indices and keys by internal names, which nothing of the user's can hide. */
  private static String[] keyed(InputColumns input, List<DimensionIndex> indices, boolean ordered) {
    List<String> columns = new ArrayList<>();
    for (int d = 0; d < indices.size(); d++) {
      StructField field = input.dimensionFields().get(input.dimensions().get(d));
      if (field == null) {
        columns.add("0L AS d" + d);
      } else {
        String key = DimensionKey.expression(SqlNames.quote(field.name()), field.dataType());
        columns.add(key + (indices.get(d).lookup().isPresent() ? " AS k" : " AS d") + d);
      }
    }
    for (int v = 0; v < input.values().size(); v++) {
      columns.add(value(input, v) + " AS v" + v);
    }
    if (ordered) {
      columns.add("monotonically_increasing_id() AS o");
    }
    return columns.toArray(String[]::new);
  }

  private static String value(InputColumns input, int number) {
    StructField field = input.values().get(number);
    String name = SqlNames.quote(field.name());
    if (!input.isTensors()) {
      return name;
    }
    StructType type = (StructType) field.dataType();
    boolean isNormal =
        type.fieldNames()[0].equals("data")
            && ((ArrayType) type.apply("shape").dataType())
                .elementType()
                .equals(DataTypes.IntegerType);
    // Tasks find the data first and the shape as INT. Otherwise untouched, which costs nothing.
    return isNormal
        ? name
        : String.format(
            "CASE WHEN %1$s IS NOT NULL THEN named_struct('data', %1$s.data, 'shape',"
                + " CAST(%1$s.shape AS ARRAY<INT>)) END",
            name);
  }

  /**
   * Adds the index of each key; keys that are unknown get none, which the tasks refuse. A function
   * and not a join, for the first coordinate of a tensor must not be a join key.
   */
  private static Dataset<Row> withIndex(
      Dataset<Row> rows, int dimension, DimensionIndex.Lookup lookup) {
    UserDefinedFunction index = functions.udf(new KeyLookup(lookup.keys()), DataTypes.LongType);
    return rows.withColumn("d" + dimension, index.apply(rows.col("k" + dimension)));
  }

  private static Dataset<Row> clustered(
      Dataset<Row> rows, Shape object, int partitions, boolean ordered) {
    List<Column> chunk = new ArrayList<>();
    for (int d = 0; d < object.rank(); d++) {
      chunk.add(functions.expr("d" + d + " div " + object.length(d) + "L"));
    }
    List<Column> order = new ArrayList<>(chunk);
    if (ordered) {
      order.add(functions.col("o"));
    }
    if (chunk.isEmpty()) {
      return rows.coalesce(1);
    }
    return rows.repartition(partitions, chunk.toArray(Column[]::new))
        .sortWithinPartitions(order.toArray(Column[]::new));
  }
}
