package io.arraymorph.layout.zarr.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.store.WriteCondition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Says that a staging area is complete and how to publish it ({@code docs/spec/writing.md}, section
 * 2).
 *
 * @param operation APPEND or REPLACE
 * @param time when it was made, for people
 * @param move chunk objects that take the place of existing ones (append only)
 * @param metadata documents in order of publication, the root last
 */
record CommitRecord(
    String uuid, Operation operation, String time, List<Successor> move, List<Successor> metadata) {

  /**
   * An object that takes a place.
   *
   * @param key final key, relative to the target
   * @param etag the version it replaces; empty if there is none
   */
  record Successor(String key, Optional<String> etag) {

    /** Under which the place may be taken. */
    WriteCondition condition() {
      return etag.map(WriteCondition::ifMatch).orElse(WriteCondition.IF_ABSENT);
    }
  }

  /** How a staging area is published. */
  enum Operation {
    APPEND,
    REPLACE;

    String text() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }

    static Operation parse(String text) {
      return text.equals(APPEND.text()) ? APPEND : REPLACE;
    }
  }

  CommitRecord {
    move = List.copyOf(move);
    metadata = List.copyOf(metadata);
  }

  byte[] toBytes() {
    ObjectNode json = TargetObjects.object();
    json.put("arraymorph", 1);
    json.put("uuid", uuid);
    json.put("operation", operation.text());
    json.put("time", time);
    write(json.putArray("move"), move);
    write(json.putArray("metadata"), metadata);
    return TargetObjects.bytes(json);
  }

  static CommitRecord parse(JsonNode json) {
    return new CommitRecord(
        json.path("uuid").asText(),
        Operation.parse(json.path("operation").asText()),
        json.path("time").asText(),
        read(json.path("move")),
        read(json.path("metadata")));
  }

  private static void write(ArrayNode list, List<Successor> successors) {
    for (Successor successor : successors) {
      list.addObject().put("key", successor.key()).put("etag", successor.etag().orElse(null));
    }
  }

  private static List<Successor> read(JsonNode list) {
    List<Successor> successors = new ArrayList<>();
    for (JsonNode item : list) {
      JsonNode etag = item.path("etag");
      successors.add(
          new Successor(
              item.path("key").asText(),
              etag.isTextual() ? Optional.of(etag.asText()) : Optional.empty()));
    }
    return successors;
  }
}
