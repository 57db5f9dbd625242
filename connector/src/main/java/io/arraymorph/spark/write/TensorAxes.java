package io.arraymorph.spark.write;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructField;

/**
 * Which dimensions the axes of the tensors are.
 *
 * @param input the columns, with a name for every dimension
 * @param packed the dimension of each tensor axis, ascending
 * @param firstPiece lengths of the first row's box along all dimensions; none without rows, or if
 *     nobody needs it
 */
// Built once, never compared.
@SuppressWarnings("ArrayRecordComponent")
record TensorAxes(InputColumns input, int[] packed, Optional<Shape> firstPiece) {

  /**
   * Resolves them: by what a tensor column says of itself, else by the rank of the first row's
   * tensor.
   *
   * @throws ArrayMorphException SHAPE_MISMATCH if rank and dimensions do not fit
   */
  static TensorAxes of(Dataset<Row> data, InputColumns input, WriteOptions options) {
    Optional<List<String>> named = input.packed();
    // Looking at a row may cost as much as computing all of them.
    boolean known = named.isPresent() && options.chunks().isPresent();
    Optional<List<Integer>> first =
        known ? Optional.empty() : firstShape(data, input.values().get(0));
    List<String> dimensions = new ArrayList<>(input.dimensions());
    boolean fixed = options.dims().isPresent();
    if (named.isPresent() && !fixed) {
      named.get().stream().filter(name -> !dimensions.contains(name)).forEach(dimensions::add);
    }
    int rank = first.map(List::size).or(() -> named.map(List::size)).orElse(dimensions.size());
    List<Integer> packed = new ArrayList<>();
    if (named.isPresent() && named.get().size() == rank && dimensions.containsAll(named.get())) {
      named.get().forEach(name -> packed.add(dimensions.indexOf(name)));
      packed.sort(null);
    } else {
      if (rank > dimensions.size() && !fixed) {
        int rows = dimensions.size();
        for (int axis = 0; axis < rank; axis++) {
          dimensions.add("dim_" + (rows + axis));
        }
      }
      if (rank > dimensions.size()) {
        throw new ArrayMorphException(
            ErrorCode.SHAPE_MISMATCH,
            "the tensors of column "
                + input.values().get(0).name()
                + " have "
                + rank
                + " axes, the dimensions are "
                + dimensions,
            "Name all dimensions in option dims");
      }
      for (int axis = 0; axis < rank; axis++) {
        packed.add(dimensions.size() - rank + axis);
      }
    }
    requireColumns(input, dimensions, packed);
    int[] axes = packed.stream().mapToInt(Integer::intValue).toArray();
    return new TensorAxes(
        input.withDimensions(List.copyOf(dimensions)),
        axes,
        first.map(lengths -> box(lengths, axes, dimensions.size())));
  }

  private static void requireColumns(
      InputColumns input, List<String> dimensions, List<Integer> packed) {
    for (int d = 0; d < dimensions.size(); d++) {
      if (!packed.contains(d) && !input.dimensionFields().containsKey(dimensions.get(d))) {
        throw new ArrayMorphException(
            ErrorCode.UNKNOWN_DIMENSION,
            "dimension " + dimensions.get(d) + " has no column, and the tensors do not span it",
            "Add a column with the index of each row along it, or correct option dims");
      }
    }
  }

  private static Shape box(List<Integer> lengths, int[] packed, int rank) {
    long[] box = new long[rank];
    Arrays.fill(box, 1);
    for (int i = 0; i < packed.length; i++) {
      box[packed[i]] = Math.max(0, lengths.get(i));
    }
    return Shape.of(box);
  }

  private static Optional<List<Integer>> firstShape(Dataset<Row> data, StructField tensor) {
    String column = SqlNames.quote(tensor.name());
    List<Row> rows =
        data.selectExpr("CAST(" + column + ".shape AS ARRAY<INT>) AS s")
            .where("s IS NOT NULL")
            .limit(1)
            .collectAsList();
    return rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(0).getList(0));
  }
}
