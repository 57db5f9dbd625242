package io.arraymorph.layout.zarr.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/**
 * What the claim object says ({@code docs/spec/writing.md}, section 3).
 *
 * @param uuid names the write
 * @param writer who, for people
 * @param operation what is being done
 * @param time when the claim was last renewed by the writer's clock, for people
 * @param members the arrays written, relative to the target; one empty name if it is the array
 * @param sequence counts renewals
 */
record ClaimRecord(
    String uuid,
    String writer,
    Operation operation,
    String time,
    List<String> members,
    long sequence) {

  ClaimRecord {
    members = List.copyOf(members);
  }

  /** What a claim is held for. */
  enum Operation {
    CREATE,
    APPEND,
    REPLACE,
    REPAIR;

    String text() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }

    static Operation parse(String text) {
      for (Operation operation : values()) {
        if (operation.text().equals(text)) {
          return operation;
        }
      }
      return REPAIR;
    }
  }

  ClaimRecord renewed(String now) {
    return new ClaimRecord(uuid, writer, operation, now, members, sequence + 1);
  }

  byte[] toBytes() {
    ObjectNode json = TargetObjects.object();
    json.put("arraymorph", 1);
    json.put("uuid", uuid);
    json.put("writer", writer);
    json.put("operation", operation.text());
    json.put("time", time);
    ArrayNode names = json.putArray("members");
    members.forEach(names::add);
    json.put("sequence", sequence);
    return TargetObjects.bytes(json);
  }

  static ClaimRecord parse(JsonNode json) {
    List<String> members = new ArrayList<>();
    json.path("members").forEach(name -> members.add(name.asText()));
    return new ClaimRecord(
        json.path("uuid").asText(),
        json.path("writer").asText("unknown"),
        Operation.parse(json.path("operation").asText()),
        json.path("time").asText("an unknown time"),
        members,
        json.path("sequence").asLong());
  }
}
