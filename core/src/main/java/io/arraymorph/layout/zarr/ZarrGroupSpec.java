package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A group to be written in Zarr v3, with the metadata of all nodes below it. Immutable. */
public final class ZarrGroupSpec {
  private final ObjectNode attributes;
  private final NavigableMap<String, ObjectNode> nodes;

  private ZarrGroupSpec(ObjectNode attributes, NavigableMap<String, ObjectNode> nodes) {
    this.attributes = attributes;
    this.nodes = nodes;
  }

  /** A group without nodes. */
  public static ZarrGroupSpec of(ObjectNode attributes) {
    return new ZarrGroupSpec(attributes.deepCopy(), new TreeMap<>());
  }

  /** With an array at a path relative to the group, as {@code a/b}. */
  public ZarrGroupSpec withArray(String path, ZarrArraySpec array) {
    return with(path, array.document());
  }

  /** With a group below; its own document has no consolidated metadata. */
  public ZarrGroupSpec withGroup(String path, ObjectNode groupAttributes) {
    return with(path, of(groupAttributes).plainDocument());
  }

  /** With a node whose {@code zarr.json} has these bytes. */
  public ZarrGroupSpec withNode(String path, byte[] zarrJson) {
    return with(path, MetadataJson.parse(zarrJson, path + "/zarr.json"));
  }

  private ZarrGroupSpec with(String path, ObjectNode document) {
    if (!NodeNames.isPath(path)) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          "'" + path + "' is no name of a Zarr node",
          "Use names without leading underscores, dots alone, backslashes or control characters");
    }
    TreeMap<String, ObjectNode> more = new TreeMap<>(nodes);
    more.put(path, document);
    return new ZarrGroupSpec(attributes, more);
  }

  private ObjectNode plainDocument() {
    ObjectNode node = MetadataJson.object();
    node.put("zarr_format", 3).put("node_type", "group");
    node.set("attributes", attributes.deepCopy());
    return node;
  }

  /** The exact bytes of {@code zarr.json}, with consolidated metadata if there are nodes. */
  public byte[] toJson() {
    ObjectNode node = plainDocument();
    if (!nodes.isEmpty()) {
      ObjectNode consolidated = node.putObject("consolidated_metadata");
      consolidated.put("kind", "inline").put("must_understand", false);
      ObjectNode metadata = consolidated.putObject("metadata");
      for (Map.Entry<String, ObjectNode> entry : nodes.entrySet()) {
        metadata.set(entry.getKey(), entry.getValue());
      }
    }
    return MetadataJson.write(node);
  }
}
