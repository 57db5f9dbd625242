package io.arraymorph.layout.zarr.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What the claim object says ({@code docs/spec/writing.md}, section 3).
 *
 * @param uuid names the write
 * @param writer who, for people
 * @param operation what is being done, for people
 * @param time when the claim was last renewed by the writer's clock, for people
 * @param sequence counts renewals
 */
record ClaimRecord(String uuid, String writer, String operation, String time, long sequence) {

  ClaimRecord renewed(String now) {
    return new ClaimRecord(uuid, writer, operation, now, sequence + 1);
  }

  byte[] toBytes() {
    ObjectNode json = TargetObjects.object();
    json.put("arraymorph", 1);
    json.put("uuid", uuid);
    json.put("writer", writer);
    json.put("operation", operation);
    json.put("time", time);
    json.put("sequence", sequence);
    return TargetObjects.bytes(json);
  }

  static ClaimRecord parse(JsonNode json) {
    return new ClaimRecord(
        json.path("uuid").asText(),
        json.path("writer").asText("unknown"),
        json.path("operation").asText("unknown"),
        json.path("time").asText("an unknown time"),
        json.path("sequence").asLong());
  }
}
