package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.StorePath;

/**
 * The document that stands in place of a node's {@code zarr.json} while the node is being replaced,
 * so that nobody reads a mix of old and new chunks ({@code docs/spec/writing.md}, section 2).
 *
 * <p>It is neither an array nor a group to any Zarr reader.
 *
 * @param uuid names the write that replaces the node
 * @param writer who writes, for people
 * @param time when it began, for people
 * @param target key of the replaced node, of which this one may be a member
 */
public record ReplacementMarker(String uuid, String writer, String time, String target) {
  private static final String NODE_TYPE = "arraymorph_replacement";

  /** True if a {@code zarr.json} is a marker. */
  public static boolean isMarker(JsonNode zarrJson) {
    return NODE_TYPE.equals(zarrJson.path("node_type").asText());
  }

  /** Throws ARRAY_BEING_REPLACED if the {@code zarr.json} found at {@code node} is a marker. */
  public static void refuse(JsonNode zarrJson, StorePath node) {
    if (isMarker(zarrJson)) {
      throw parse(zarrJson).beingReplaced(node);
    }
  }

  /** The marker in a document for which {@link #isMarker} holds. */
  public static ReplacementMarker parse(JsonNode zarrJson) {
    JsonNode body = zarrJson.path("arraymorph");
    return new ReplacementMarker(
        body.path("uuid").asText(),
        body.path("writer").asText(),
        body.path("time").asText(),
        body.path("target").asText());
  }

  /** The document to store. */
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("zarr_format", 3);
    json.put("node_type", NODE_TYPE);
    ObjectNode body = json.putObject("arraymorph");
    body.put("uuid", uuid);
    body.put("writer", writer);
    body.put("time", time);
    body.put("target", target);
    return json;
  }

  /** What a reader of {@code node} is told. */
  public ArrayMorphException beingReplaced(StorePath node) {
    return new ArrayMorphException(
        ErrorCode.ARRAY_BEING_REPLACED,
        node + " is being replaced by " + writer + " since " + time,
        "Read it again when that write has ended; if it has died, the next write or repair of "
            + new StorePath(node.store(), target)
            + " finishes it");
  }
}
