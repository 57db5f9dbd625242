package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Set;

/**
 * A named thing with a configuration, as Zarr v3 writes data types, codecs, grids and key
 * encodings: {@code {"name": .., "configuration": {..}}} or the bare name.
 *
 * @param name what it is
 * @param configuration its parameters, empty if there are none
 */
record Extension(String name, MetadataReader configuration) {
  private static final Set<String> MEMBERS = Set.of("name", "configuration", "must_understand");

  /** Reads one; {@code what} names it in messages, as {@code codec}. */
  static Extension of(JsonNode node, String what, String where) {
    if (node.isTextual()) {
      return new Extension(
          node.textValue(),
          new MetadataReader(
              where + " " + what + " '" + node.textValue() + "'", MetadataJson.object()));
    }
    if (!(node instanceof ObjectNode)) {
      throw MetadataJson.invalid(
          where, what + " is neither a name nor an object: " + MetadataReader.shown(node));
    }
    MetadataReader reader = new MetadataReader(where + " " + what, (ObjectNode) node);
    String name = reader.requiredText("name");
    for (Map.Entry<String, JsonNode> member : node.properties()) {
      if (!MEMBERS.contains(member.getKey())) {
        throw reader.invalid("unknown member '" + member.getKey() + "' beside '" + name + "'");
      }
    }
    return new Extension(
        name,
        new MetadataReader(
            where + " " + what + " '" + name + "'", reader.objectOrEmpty("configuration")));
  }

  /** Refuses parameters that are not known, because they may change the meaning. */
  void refuseUnknown(String... known) {
    Set<String> names = Set.of(known);
    for (Map.Entry<String, JsonNode> member : configuration.node().properties()) {
      if (!names.contains(member.getKey())) {
        throw configuration.invalid("unknown parameter '" + member.getKey() + "'");
      }
    }
  }
}
