package io.arraymorph.spark.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrNode;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.layout.zarr.write.NodeAppend;
import io.arraymorph.store.StorePath;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The array or group that is appended to, as it is under the claim. */
final class ExistingNode {
  private final StorePath target;
  private final Map<String, ObjectNode> documents;
  private final Map<String, ZarrArray> arrays;
  private final Optional<ObjectNode> group;
  private final Map<String, StoredCoordinate> coordinates = new LinkedHashMap<>();
  private final List<String> dimensions;

  private ExistingNode(
      StorePath target,
      Map<String, ObjectNode> documents,
      Map<String, ZarrArray> arrays,
      Optional<ObjectNode> group,
      StructType schema) {
    this.target = target;
    this.documents = documents;
    this.arrays = arrays;
    this.group = group;
    this.dimensions = dimensionsOf(schema);
  }

  /** Reads metadata. */
  static ExistingNode read(NodeAppend write, StorePath target, StructType schema) {
    JsonNode root =
        write
            .document("")
            .orElseThrow(
                () ->
                    new ArrayMorphException(
                        ErrorCode.UNSUPPORTED_FEATURE,
                        target + " is of Zarr v2, to which nothing is appended",
                        "Write it anew with mode overwrite, which makes it v3"));
    Map<String, ObjectNode> documents = new LinkedHashMap<>();
    Map<String, ZarrArray> arrays = new LinkedHashMap<>();
    if (!root.path("node_type").asText().equals("group")) {
      documents.put("", (ObjectNode) root);
      arrays.put("", ZarrNodes.openArray(target));
      return new ExistingNode(target, documents, arrays, Optional.empty(), schema);
    }
    for (ZarrNode child : ZarrNodes.openGroup(target).children()) {
      if (child instanceof ZarrArray) {
        // The member's own document counts; the group's copy may be old.
        write
            .document(child.name())
            .ifPresent(
                document -> {
                  documents.put(child.name(), (ObjectNode) document);
                  arrays.put(child.name(), ZarrNodes.openArray(child.path()));
                });
      }
    }
    return new ExistingNode(target, documents, arrays, Optional.of((ObjectNode) root), schema);
  }

  private List<String> dimensionsOf(StructType schema) {
    if (group.isEmpty()) {
      return arrays.get("").schema().dimensionNames();
    }
    List<String> columns = Arrays.asList(schema.fieldNames());
    return arrays.entrySet().stream()
        .filter(array -> columns.contains(array.getKey()) && !isCoordinate(array.getKey()))
        .map(array -> array.getValue().schema().dimensionNames())
        .findFirst()
        .orElseThrow(
            () ->
                new ArrayMorphException(
                    ErrorCode.UNKNOWN_ARRAY,
                    "none of the columns " + columns + " is an array of " + target,
                    "Name the columns as the arrays " + arrays.keySet()));
  }

  private boolean isCoordinate(String name) {
    return arrays.get(name).schema().dimensionNames().equals(List.of(name));
  }

  /** The dimensions of the arrays that the rows hold values of. */
  List<String> dimensions() {
    return dimensions;
  }

  /** The group's metadata, if it is a group. */
  Optional<ObjectNode> group() {
    return group;
  }

  /** The metadata of an array; not to be changed. */
  ObjectNode document(String name) {
    return documents.get(name);
  }

  /** The coordinates along a dimension, if there are any; read at the first call. */
  Optional<StoredCoordinate> coordinate(String dimension) {
    if (group.isEmpty() || !arrays.containsKey(dimension) || !isCoordinate(dimension)) {
      return Optional.empty();
    }
    return Optional.of(
        coordinates.computeIfAbsent(dimension, name -> StoredCoordinate.read(arrays.get(name))));
  }

  /**
   * The array of each value column, in order.
   *
   * @throws ArrayMorphException UNKNOWN_ARRAY, SHAPE_MISMATCH, or INVALID_OPTION if arrays that
   *     have the axis are not given
   */
  Map<String, ZarrArray> variables(List<StructField> values, String axis) {
    Map<String, ZarrArray> variables = new LinkedHashMap<>();
    if (group.isEmpty()) {
      if (values.size() != 1) {
        throw new ArrayMorphException(
            ErrorCode.UNKNOWN_ARRAY,
            target + " is one array, the rows have " + values.size() + " value columns",
            "Give one value column");
      }
      return arrays;
    }
    for (StructField value : values) {
      ZarrArray array = arrays.get(value.name());
      if (array == null) {
        throw new ArrayMorphException(
            ErrorCode.UNKNOWN_ARRAY,
            "column " + value.name() + " is not an array of " + target,
            "Name the columns as the arrays " + arrays.keySet());
      }
      variables.put(value.name(), array);
    }
    Shape shape = variables.values().iterator().next().schema().shape();
    variables.forEach(
        (name, array) -> {
          if (!array.schema().dimensionNames().equals(dimensions)
              || !array.schema().shape().equals(shape)) {
            throw new ArrayMorphException(
                ErrorCode.SHAPE_MISMATCH,
                "the arrays " + variables.keySet() + " of " + target + " differ in shape",
                "Append only to arrays of the same dimensions at once");
          }
        });
    List<String> forgotten =
        arrays.entrySet().stream()
            .filter(array -> array.getValue().schema().dimensionNames().contains(axis))
            .map(Map.Entry::getKey)
            .filter(name -> !variables.containsKey(name) && !name.equals(axis))
            .toList();
    if (!forgotten.isEmpty()) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          "the arrays " + forgotten + " of " + target + " have dimension " + axis + " too",
          "Give a column for each of them, so that they grow together");
    }
    return variables;
  }
}
