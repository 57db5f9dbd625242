package io.arraymorph.spark.write;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.write.NodeAppend;
import io.arraymorph.layout.zarr.write.TargetClaim;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructField;

/**
 * How a DataFrame is appended to an array or group that exists.
 *
 * @param write the append, begun
 * @param input the columns
 * @param packed for tensors, the dimension of each axis
 * @param indices how dimension columns become indices
 * @param node the arrays
 * @param object shape of the chunk objects by which rows must be clustered, if they must
 */
// Built once, never compared.
@SuppressWarnings("ArrayRecordComponent")
record GrownNodePlan(
    NodeAppend write,
    InputColumns input,
    int[] packed,
    List<DimensionIndex> indices,
    GrownNode node,
    Optional<Shape> object) {

  /** Plans; looks at the rows where only they can tell. */
  static GrownNodePlan of(Dataset<Row> data, WriteOptions options, TargetClaim claim) {
    NodeAppend write = claim.append();
    ExistingNode existing = ExistingNode.read(write, claim.target(), data.schema());
    List<String> dimensions = existing.dimensions();
    InputColumns named = InputColumns.of(data.schema(), options, Optional.of(dimensions));
    Optional<TensorAxes> axes =
        named.isTensors() ? Optional.of(TensorAxes.of(data, named, options)) : Optional.empty();
    InputColumns input = axes.map(TensorAxes::input).orElse(named);
    int[] packed = axes.map(TensorAxes::packed).orElse(new int[0]);
    if (!input.dimensions().equals(dimensions)) {
      throw new ArrayMorphException(
          ErrorCode.SHAPE_MISMATCH,
          "the rows have the dimensions "
              + input.dimensions()
              + ", "
              + claim.target()
              + " has "
              + dimensions,
          "Give the columns of all dimensions of the array, in option dims in its order");
    }
    int axis = axis(options, dimensions);
    Map<String, ZarrArray> variables = existing.variables(input.values(), dimensions.get(axis));
    variables.values().forEach(GrownNodePlan::requireWritable);
    ZarrArray first = variables.values().iterator().next();
    long length = first.schema().shape().length(axis);

    AppendedIndices appended = AppendedIndices.of(data, input, packed, existing, axis);
    Map<String, ObjectNode> documents = new LinkedHashMap<>();
    variables.keySet().forEach(name -> documents.put(name, existing.document(name)));
    GrownNode node = new GrownNode(axis, length, documents, appended.added(), existing.group());
    return new GrownNodePlan(write, input, packed, appended.indices(), node, clusters(axes, first));
  }

  private static int axis(WriteOptions options, List<String> dimensions) {
    if (dimensions.isEmpty()) {
      throw new ArrayMorphException(
          ErrorCode.UNKNOWN_DIMENSION, "a scalar cannot grow", "Write it with mode overwrite");
    }
    if (options.appendDim().isEmpty()) {
      return 0;
    }
    int axis = dimensions.indexOf(options.appendDim().get());
    if (axis < 0) {
      throw new ArrayMorphException(
          ErrorCode.UNKNOWN_DIMENSION,
          "append-dim " + options.appendDim().get() + " is not one of " + dimensions,
          "Name a dimension of the array");
    }
    return axis;
  }

  private static void requireWritable(ZarrArray array) {
    if (!(array.grid() instanceof RegularChunkGrid)) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          array.path() + " has chunks of several sizes",
          "Write it anew with mode overwrite");
    }
    if (array.attributes().has("scale_factor") || array.attributes().has("add_offset")) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          array.path() + " holds scaled numbers (scale_factor, add_offset)",
          "Write it anew with mode overwrite, unscaled");
    }
    String units = array.attributes().path("units").asText("");
    if (units.contains(" since ")
        && !units.equals(ElementType.MICROSECONDS)
        && !units.equals(ElementType.DAYS)) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          array.path() + " holds times in '" + units + "'",
          "Write it anew with mode overwrite");
    }
  }

  private static Optional<Shape> clusters(Optional<TensorAxes> axes, ZarrArray array) {
    Shape object = ((RegularChunkGrid) array.grid()).chunkShape();
    if (axes.isEmpty()) {
      return Optional.of(object);
    }
    Optional<Shape> piece = axes.get().firstPiece();
    for (int d = 0; piece.isPresent() && d < object.rank(); d++) {
      if (object.length(d) > piece.get().length(d)) {
        return Optional.of(object);
      }
    }
    return Optional.empty();
  }

  /** Dimension indices of an append, and what the axis' coordinate array gains. */
  record AppendedIndices(List<DimensionIndex> indices, Optional<GrownNode.NewCoordinates> added) {

    static AppendedIndices of(
        Dataset<Row> data, InputColumns input, int[] packed, ExistingNode existing, int axis) {
      List<RowSurvey.Question> questions = new ArrayList<>();
      List<Optional<StoredCoordinate>> stored = new ArrayList<>();
      for (int d = 0; d < input.dimensions().size(); d++) {
        String name = input.dimensions().get(d);
        StructField field = input.dimensionFields().get(name);
        Optional<StoredCoordinate> coordinate =
            field == null ? Optional.empty() : existing.coordinate(name);
        coordinate.ifPresent(found -> found.require(name, field.dataType()));
        if (field != null && coordinate.isEmpty() && !DimensionKey.isIndex(field.dataType())) {
          throw new ArrayMorphException(
              ErrorCode.TYPE_MISMATCH,
              "dimension column "
                  + name
                  + " has type "
                  + field.dataType().simpleString()
                  + ", the array has no coordinates along it",
              "Give the integer index along " + name);
        }
        stored.add(coordinate);
        int dimension = d;
        boolean isPacked = Arrays.stream(packed).anyMatch(a -> a == dimension);
        if (coordinate.isPresent() && isPacked) {
          NewNodePlan.requireCoordinates(input, name);
        }
        questions.add(
            coordinate.isEmpty()
                ? RowSurvey.Question.NOTHING
                : isPacked ? RowSurvey.Question.PACKED_KEYS : RowSurvey.Question.KEYS);
      }
      RowSurvey survey = RowSurvey.of(data, input, questions);
      List<DimensionIndex> indices = new ArrayList<>();
      Optional<GrownNode.NewCoordinates> added = Optional.empty();
      for (int d = 0; d < stored.size(); d++) {
        String name = input.dimensions().get(d);
        StructField field = input.dimensionFields().get(name);
        if (stored.get(d).isEmpty()) {
          requireNoCoordinate(existing, name, field, d == axis);
          indices.add(field == null ? new DimensionIndex.Origin() : new DimensionIndex.Position());
          continue;
        }
        StoredCoordinate coordinate = stored.get(d).get();
        boolean isPacked = questions.get(d) == RowSurvey.Question.PACKED_KEYS;
        CoordinateMatch match =
            new CoordinateMatch(name, coordinate.keys(), survey.keys(name), isPacked);
        List<Object> keys = coordinate.keys();
        if (d == axis) {
          List<Object> fresh = match.added();
          added =
              Optional.of(
                  new GrownNode.NewCoordinates(
                      name, existing.document(name), coordinate.encode(fresh)));
          keys = new ArrayList<>(keys);
          keys.addAll(fresh);
        } else {
          match.requireKnown();
        }
        indices.add(new DimensionIndex.Lookup(keys));
      }
      return new AppendedIndices(indices, added);
    }

    /** A coordinate array of the axis must grow with it, so its values must be given. */
    private static void requireNoCoordinate(
        ExistingNode existing, String name, StructField field, boolean isAxis) {
      if (isAxis && field == null && existing.coordinate(name).isPresent()) {
        throw new ArrayMorphException(
            ErrorCode.UNKNOWN_DIMENSION,
            "dimension " + name + " has coordinates and no column",
            "Add a column with the coordinate of each row");
      }
    }
  }
}
