package io.arraymorph.spark.write;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.ChunkShapeChoice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * How a DataFrame becomes a new array or group.
 *
 * @param input its columns
 * @param packed for tensors, the dimension of each axis
 * @param indices how dimension columns become indices
 * @param node the arrays
 * @param object shape of the chunk objects by which rows must be clustered, if they must
 * @param objects number of chunk objects of an array, if its shape is known
 */
// Built once, never compared.
@SuppressWarnings("ArrayRecordComponent")
record NewNodePlan(
    InputColumns input,
    int[] packed,
    List<DimensionIndex> indices,
    NewNode node,
    Optional<Shape> object,
    Optional<Long> objects) {
  /** What texts and bytes are taken to need, for the choice of chunks. */
  private static final int VARIABLE_WIDTH = 32;

  /**
   * Plans; looks at the rows where only they can tell.
   *
   * @param generation uuid of the write
   */
  static NewNodePlan of(Dataset<Row> data, WriteOptions options, String generation) {
    InputColumns named = InputColumns.of(data.schema(), options, Optional.empty());
    Optional<TensorAxes> axes =
        named.isTensors() ? Optional.of(TensorAxes.of(data, named, options)) : Optional.empty();
    InputColumns input = axes.map(TensorAxes::input).orElse(named);
    int[] packed = axes.map(TensorAxes::packed).orElse(new int[0]);
    List<String> dimensions = input.dimensions();
    options.requireRank(dimensions);
    List<NewNode.Variable> variables = variables(input, options);
    List<RowSurvey.Question> questions = questions(input, packed, options);
    RowSurvey survey = RowSurvey.of(data, input, questions);
    List<DimensionIndex> indices = new ArrayList<>();
    List<CoordinateValues> coordinates = new ArrayList<>();
    long[] limits = new long[dimensions.size()];
    for (int d = 0; d < limits.length; d++) {
      String name = dimensions.get(d);
      StructField field = input.dimensionFields().get(name);
      int dimension = d;
      Optional<Long> given = options.shape().map(shape -> shape.length(dimension));
      if (field == null) {
        indices.add(new DimensionIndex.Origin());
      } else if (isCoordinate(field)) {
        List<Object> keys = survey.keys(name);
        requireLength(name, given, keys.size());
        coordinates.add(new CoordinateValues(name, field.dataType(), keys));
        indices.add(new DimensionIndex.Lookup(keys));
        given = Optional.of((long) keys.size());
      } else {
        indices.add(new DimensionIndex.Position());
      }
      limits[d] = given.or(() -> survey.extent(name)).orElse(Long.MAX_VALUE);
    }
    requireNames(variables, coordinates);
    ChunkShapeChoice grid = grid(options, axes, limits, widest(variables));
    NewNode node =
        new NewNode(
            generation,
            dimensions,
            limits,
            grid,
            options.compression(),
            variables,
            coordinates,
            new NewNode.Kind(options.group(), options.declared()));
    return new NewNodePlan(
        input, packed, indices, node, clusters(axes, grid), objects(limits, grid));
  }

  private static List<NewNode.Variable> variables(InputColumns input, WriteOptions options) {
    List<NewNode.Variable> variables = new ArrayList<>();
    for (StructField value : input.values()) {
      ElementType type =
          ElementType.of(value.name(), InputColumns.elementType(value), value.metadata());
      type.fill(options.fill());
      variables.add(new NewNode.Variable(value.name(), type, options.fill()));
    }
    return variables;
  }

  /** True if the column's values are coordinates, false if they are the index. */
  private static boolean isCoordinate(StructField field) {
    return !DimensionKey.isIndex(field.dataType()) || field.metadata().contains("coordinate");
  }

  private static List<RowSurvey.Question> questions(
      InputColumns input, int[] packed, WriteOptions options) {
    List<RowSurvey.Question> questions = new ArrayList<>();
    for (int d = 0; d < input.dimensions().size(); d++) {
      String name = input.dimensions().get(d);
      StructField field = input.dimensionFields().get(name);
      int dimension = d;
      boolean isPacked = java.util.Arrays.stream(packed).anyMatch(axis -> axis == dimension);
      if (field == null) {
        questions.add(RowSurvey.Question.NOTHING);
      } else if (isCoordinate(field)) {
        DimensionKey.of(name, field.dataType());
        if (isPacked) {
          requireCoordinates(input, name);
        }
        questions.add(isPacked ? RowSurvey.Question.PACKED_KEYS : RowSurvey.Question.KEYS);
      } else {
        boolean unknown =
            !input.isTensors() && options.shape().isEmpty() && options.chunks().isEmpty();
        questions.add(unknown ? RowSurvey.Question.EXTENT : RowSurvey.Question.NOTHING);
      }
    }
    return questions;
  }

  static void requireCoordinates(InputColumns input, String dimension) {
    boolean known =
        input
            .coordinates()
            .filter(field -> field.dataType() instanceof StructType)
            .filter(
                field -> List.of(((StructType) field.dataType()).fieldNames()).contains(dimension))
            .isPresent();
    if (!known) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          "column "
              + dimension
              + " has the first coordinate of each tensor only, the others are not known",
          "Add the metadata column: df.select(\"*\", \"_coords\"), or write rows=cells, or give an"
              + " integer index");
    }
  }

  private static void requireLength(String dimension, Optional<Long> given, int found) {
    if (given.isPresent() && given.get() != found) {
      throw new ArrayMorphException(
          ErrorCode.SHAPE_MISMATCH,
          "option shape says "
              + given.get()
              + " along "
              + dimension
              + ", which has "
              + found
              + " different coordinates",
          "Leave option shape away, or correct it");
    }
  }

  private static void requireNames(
      List<NewNode.Variable> variables, List<CoordinateValues> coordinates) {
    Set<String> names = new HashSet<>();
    List<String> all = new ArrayList<>();
    variables.forEach(variable -> all.add(variable.name()));
    coordinates.forEach(coordinate -> all.add(coordinate.dimension()));
    for (String name : all) {
      if (!names.add(name)) {
        throw new ArrayMorphException(
            ErrorCode.INVALID_OPTION,
            "two arrays would be named " + name,
            "Rename one of the columns");
      }
    }
  }

  private static int widest(List<NewNode.Variable> variables) {
    int widest = 1;
    for (NewNode.Variable variable : variables) {
      int width = variable.type().stored().byteWidth();
      widest = Math.max(widest, width == 0 ? VARIABLE_WIDTH : width);
    }
    return widest;
  }

  private static ChunkShapeChoice grid(
      WriteOptions options, Optional<TensorAxes> axes, long[] limits, int elementBytes) {
    if (options.chunks().isPresent()) {
      return ChunkShapeChoice.given(options.chunks().get(), options.shards());
    }
    Optional<Shape> piece = axes.flatMap(TensorAxes::firstPiece);
    if (piece.isPresent()) {
      return ChunkShapeChoice.ofPiece(piece.get(), elementBytes);
    }
    for (int d = 0; d < limits.length; d++) {
      if (limits[d] == Long.MAX_VALUE) {
        throw new ArrayMorphException(
            ErrorCode.INVALID_OPTION,
            "there are no rows from which the shape of the array could be known",
            "Give options shape and chunks");
      }
    }
    return ChunkShapeChoice.of(Shape.of(limits), elementBytes, options.compression().isPresent());
  }

  /** Cells come in any order; pieces smaller than a chunk object must meet in one task. */
  private static Optional<Shape> clusters(Optional<TensorAxes> axes, ChunkShapeChoice grid) {
    if (axes.isEmpty()) {
      return Optional.of(grid.object());
    }
    Optional<Shape> piece = axes.get().firstPiece();
    for (int d = 0; piece.isPresent() && d < grid.object().rank(); d++) {
      if (grid.object().length(d) > piece.get().length(d)) {
        return Optional.of(grid.object());
      }
    }
    return Optional.empty();
  }

  private static Optional<Long> objects(long[] limits, ChunkShapeChoice grid) {
    double objects = 1;
    for (int d = 0; d < limits.length; d++) {
      objects *= Math.ceil((double) limits[d] / grid.object().length(d));
    }
    return objects > Integer.MAX_VALUE ? Optional.empty() : Optional.of((long) objects);
  }
}
