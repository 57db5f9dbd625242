package io.arraymorph.spark.read;

import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.vectorized.ColumnVector;

/** The rows of one batch of tensors while it is put together. One thread. */
final class TensorRows {
  private final ReadPlan plan;
  private final Function<long[], String> chunkName;
  private final List<Shape> shapes = new ArrayList<>();
  private final List<long[]> first = new ArrayList<>();
  private final List<long[][]> packedIndices = new ArrayList<>();
  private final List<List<ArrowValues.Run>> data = new ArrayList<>();

  TensorRows(ReadPlan plan, Function<long[], String> chunkName) {
    this.plan = plan;
    this.chunkName = chunkName;
    plan.columns().forEach(column -> data.add(new ArrayList<>()));
  }

  void clear() {
    shapes.clear();
    first.clear();
    packedIndices.clear();
    data.forEach(List::clear);
  }

  int count() {
    return shapes.size();
  }

  /**
   * Adds a row.
   *
   * @param indices of the block along each dimension
   * @param within which of them are in the row
   * @param shape of the row's tensors
   */
  void add(long[][] indices, IndexRange[] within, Shape shape) {
    long[] at = new long[indices.length];
    for (int d = 0; d < at.length; d++) {
      at[d] = indices[d][(int) within[d].start()];
    }
    first.add(at);
    packedIndices.add(indices);
    shapes.add(shape);
  }

  /** Adds the values of a tensor column of the row added last. */
  void addData(int column, ArrowValues.Run values) {
    data.get(column).add(values);
  }

  List<ArrowValues.Run> data(int column) {
    return data.get(column);
  }

  List<Shape> shapes() {
    return shapes;
  }

  /** The vector of a column that is no tensor. */
  ColumnVector vector(int column) {
    OutputColumn output = plan.columns().get(column);
    if (output instanceof OutputColumn.Along) {
      return along((OutputColumn.Along) output);
    }
    if (output instanceof OutputColumn.IndexStruct) {
      OutputColumn.IndexStruct index = (OutputColumn.IndexStruct) output;
      return new StructVector(
          index.type(), index.dimensions().stream().map(this::along).toArray(ColumnVector[]::new));
    }
    if (output instanceof OutputColumn.CoordinatesStruct) {
      OutputColumn.CoordinatesStruct lists = (OutputColumn.CoordinatesStruct) output;
      return new StructVector(
          lists.type(),
          lists.dimensions().stream()
              .map(
                  d ->
                      new AlongVector.Lists(
                          d,
                          packedIndices.stream().map(i -> i[d.dimension()]).toArray(long[][]::new)))
              .toArray(ColumnVector[]::new));
    }
    if (output instanceof OutputColumn.ChunkName) {
      return new TextVector(first.stream().map(chunkName).toArray(String[]::new));
    }
    throw new IllegalStateException("no such column in rows of tensors: " + output);
  }

  private AlongVector along(OutputColumn.Along column) {
    long[] positions = new long[count()];
    Arrays.setAll(positions, row -> first.get(row)[column.dimension()]);
    return new AlongVector(column, positions);
  }
}
