package io.arraymorph.spark.write;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.array.Elements;
import io.arraymorph.layout.zarr.write.NodeDocuments;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An array, or the arrays of a group, that grow along one axis. */
final class GrownNode implements PlannedNode {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final int axis;
  private final long length;
  private final Map<String, ObjectNode> variables;
  private final Optional<NewCoordinates> coordinates;
  private final Optional<ObjectNode> group;

  /**
   * What is added to the coordinate array of the axis.
   *
   * @param name of the array
   * @param document its metadata
   * @param values the new ones
   */
  record NewCoordinates(String name, ObjectNode document, Elements values) {}

  /**
   * @param axis which dimension of the variables grows
   * @param length how many indices it has now
   * @param variables metadata of the arrays that grow, by name; one empty name for a plain array
   * @param group metadata of the group, if it is one
   */
  GrownNode(
      int axis,
      long length,
      Map<String, ObjectNode> variables,
      Optional<NewCoordinates> coordinates,
      Optional<ObjectNode> group) {
    this.axis = axis;
    this.length = length;
    this.variables = variables;
    this.coordinates = coordinates;
    this.group = group;
  }

  @Override
  public List<ArrayJob> arrays() {
    List<ArrayJob> jobs = new ArrayList<>();
    variables.forEach((name, document) -> jobs.add(job(name, document, axis, Long.MAX_VALUE)));
    coordinates.ifPresent(
        added -> jobs.add(job(added.name(), added.document(), 0, length + added.values().count())));
    return jobs;
  }

  private ArrayJob job(String name, ObjectNode document, int grown, long limit) {
    ArrayNode shape = (ArrayNode) document.get("shape");
    long[] limits = new long[shape.size()];
    for (int d = 0; d < limits.length; d++) {
      limits[d] = d == grown ? limit : shape.get(d).asLong();
    }
    return new ArrayJob(name, bytes(document), grown, length, limits);
  }

  @Override
  public List<CoordinatePart> coordinates() {
    return coordinates
        .map(added -> List.of(new CoordinatePart(variables.size(), length, added.values())))
        .orElse(List.of());
  }

  @Override
  public NodeDocuments documents(long[] extent) {
    long grown =
        coordinates
            .map(added -> length + added.values().count())
            .orElse(Math.max(length, extent[axis]));
    Map<String, byte[]> documents = new LinkedHashMap<>();
    Map<String, ObjectNode> changed = new LinkedHashMap<>();
    coordinates.ifPresent(
        added -> changed.put(added.name(), withLength(added.document(), 0, grown)));
    variables.forEach((name, document) -> changed.put(name, withLength(document, axis, grown)));
    changed.forEach((name, document) -> documents.put(name, bytes(document)));
    if (group.isEmpty()) {
      return NodeDocuments.array(documents.get(""));
    }
    ObjectNode root = group.get().deepCopy();
    if (root.path("consolidated_metadata").path("metadata").isObject()) {
      ObjectNode metadata = (ObjectNode) root.get("consolidated_metadata").get("metadata");
      changed.forEach(metadata::set);
    }
    return NodeDocuments.group(documents, bytes(root));
  }

  private static ObjectNode withLength(ObjectNode document, int dimension, long length) {
    ObjectNode changed = document.deepCopy();
    ((ArrayNode) changed.get("shape")).set(dimension, length);
    return changed;
  }

  private static byte[] bytes(ObjectNode document) {
    try {
      return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(document);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
