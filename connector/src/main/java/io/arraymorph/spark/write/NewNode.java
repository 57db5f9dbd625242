package io.arraymorph.spark.write;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.dataset.ColumnOrder;
import io.arraymorph.layout.zarr.ChunkShapeChoice;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import io.arraymorph.layout.zarr.ZarrGroupSpec;
import io.arraymorph.layout.zarr.write.NodeDocuments;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An array or a group that is created or takes the place of another: a plain array for one value
 * column without coordinates, else a group of arrays with coordinate arrays.
 */
final class NewNode implements PlannedNode {
  private static final long COORDINATES_IN_A_CHUNK = 1L << 20;

  private final String generation;
  private final List<String> dimensions;
  private final long[] limits;
  private final ChunkShapeChoice grid;
  private final Compression compression;
  private final List<Variable> variables;
  private final List<CoordinateValues> coordinates;
  private final Kind kind;

  /**
   * What becomes of it.
   *
   * @param group true for a group in any case
   * @param declared if there are no rows yet: options of the first append
   */
  record Kind(boolean group, Optional<Map<String, String>> declared) {}

  /**
   * An array of values.
   *
   * @param name of the column
   * @param type how values are stored
   * @param fill text of the fill value, if the user gave one
   */
  record Variable(String name, ElementType type, Optional<String> fill) {}

  /**
   * @param generation uuid of the write
   * @param limits full shape; {@link Long#MAX_VALUE} where it comes from the data
   */
  NewNode(
      String generation,
      List<String> dimensions,
      long[] limits,
      ChunkShapeChoice grid,
      Compression compression,
      List<Variable> variables,
      List<CoordinateValues> coordinates,
      Kind kind) {
    this.generation = generation;
    this.dimensions = dimensions;
    this.limits = limits;
    this.grid = grid;
    this.compression = compression;
    this.variables = variables;
    this.coordinates = coordinates;
    this.kind = kind;
  }

  /** True if it is one plain array. */
  private boolean isArray() {
    return variables.size() == 1 && coordinates.isEmpty() && !kind.group();
  }

  /** The names of its arrays; one empty name if it is an array itself. */
  List<String> members() {
    List<String> members = new ArrayList<>();
    if (isArray()) {
      return List.of("");
    }
    variables.forEach(variable -> members.add(variable.name()));
    coordinates.forEach(coordinate -> members.add(coordinate.dimension()));
    return members;
  }

  @Override
  public List<ArrayJob> arrays() {
    // Until the rows are written the shape of a chunk object stands for an unknown one.
    long[] provisional = new long[limits.length];
    for (int d = 0; d < limits.length; d++) {
      provisional[d] = limits[d] == Long.MAX_VALUE ? grid.object().length(d) : limits[d];
    }
    List<ArrayJob> jobs = new ArrayList<>();
    List<String> members = members();
    specs(Shape.of(provisional))
        .forEach(
            spec -> {
              boolean isValue = jobs.size() < variables.size();
              jobs.add(
                  new ArrayJob(
                      members.get(jobs.size()),
                      spec.toJson(),
                      -1,
                      0,
                      isValue ? limits.clone() : spec.shape().toArray()));
            });
    return jobs;
  }

  @Override
  public List<CoordinatePart> coordinates() {
    List<CoordinatePart> parts = new ArrayList<>();
    for (int c = 0; c < coordinates.size(); c++) {
      parts.add(new CoordinatePart(variables.size() + c, 0, coordinates.get(c).elements()));
    }
    return parts;
  }

  @Override
  public NodeDocuments documents(long[] extent) {
    long[] shape = new long[limits.length];
    for (int d = 0; d < shape.length; d++) {
      shape[d] = limits[d] == Long.MAX_VALUE ? extent[d] : limits[d];
    }
    List<ZarrArraySpec> specs = specs(Shape.of(shape));
    if (isArray()) {
      return NodeDocuments.array(specs.get(0).toJson());
    }
    Map<String, byte[]> documents = new LinkedHashMap<>();
    ObjectNode attributes = marked(JsonNodeFactory.instance.objectNode());
    ColumnOrder.describe(variables.stream().map(Variable::name).toList(), attributes);
    ZarrGroupSpec group = ZarrGroupSpec.of(attributes);
    List<String> members = members();
    for (int i = 0; i < members.size(); i++) {
      documents.put(members.get(i), specs.get(i).toJson());
      group = group.withArray(members.get(i), specs.get(i));
    }
    return NodeDocuments.group(documents, group.toJson());
  }

  private List<ZarrArraySpec> specs(Shape shape) {
    List<ZarrArraySpec> specs = new ArrayList<>();
    for (Variable variable : variables) {
      ObjectNode attributes = marked(JsonNodeFactory.instance.objectNode());
      variable.type().describe(attributes);
      NullValue.describe(variable, attributes);
      specs.add(
          new ZarrArraySpec(
              variable.type().stored(),
              shape,
              grid.chunk(),
              grid.shard(),
              compression,
              variable.type().fill(variable.fill()),
              dimensions,
              attributes));
    }
    for (CoordinateValues coordinate : coordinates) {
      DataType stored = coordinate.stored();
      long length = coordinate.keys().size();
      specs.add(
          new ZarrArraySpec(
              stored,
              Shape.of(length),
              Shape.of(Math.max(1, Math.min(length, COORDINATES_IN_A_CHUNK))),
              Optional.empty(),
              compression,
              ZarrArraySpec.defaultFill(stored),
              List.of(coordinate.dimension()),
              marked(coordinate.attributes())));
    }
    return specs;
  }

  private ObjectNode marked(ObjectNode attributes) {
    ObjectNode own = attributes.putObject("_arraymorph").put("generation", generation);
    kind.declared()
        .ifPresent(
            options -> {
              ObjectNode declared = own.putObject(NodeLayout.DECLARED);
              options.forEach(declared::put);
              declared.put("dims", String.join(",", dimensions));
            });
    return attributes;
  }
}
