package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Shape;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Takes members out of one JSON object of metadata; every failure names where it was. */
final class MetadataReader {
  private static final int MAX_RANK = 64;

  private final String where;
  private final ObjectNode node;

  /**
   * @param where the object's URI and the member within, for messages
   */
  MetadataReader(String where, ObjectNode node) {
    this.where = where;
    this.node = node;
  }

  String where() {
    return where;
  }

  ObjectNode node() {
    return node;
  }

  ArrayMorphException invalid(String problem) {
    return MetadataJson.invalid(where, problem);
  }

  ArrayMorphException unsupported(ErrorCode code, String problem) {
    return MetadataJson.unsupported(code, where, problem);
  }

  /** A member that must exist; may be JSON null. */
  JsonNode required(String name) {
    JsonNode value = node.get(name);
    if (value == null) {
      throw invalid("member '" + name + "' is missing");
    }
    return value;
  }

  /** A member, unless it is absent or null. */
  Optional<JsonNode> optional(String name) {
    return Optional.ofNullable(node.get(name)).filter(v -> !v.isNull());
  }

  String requiredText(String name) {
    JsonNode value = required(name);
    if (!value.isTextual()) {
      throw invalid("'" + name + "' is no text: " + shown(value));
    }
    return value.textValue();
  }

  /** A member that is an object, or an empty one if it is absent. */
  ObjectNode objectOrEmpty(String name) {
    JsonNode value = node.get(name);
    if (value == null) {
      return MetadataJson.object();
    }
    if (!(value instanceof ObjectNode)) {
      throw invalid("'" + name + "' is no object: " + shown(value));
    }
    return (ObjectNode) value;
  }

  /** A list of non-negative lengths. */
  Shape requiredShape(String name) {
    long[] lengths = requiredLongs(name);
    for (long length : lengths) {
      if (length < 0) {
        throw invalid("'" + name + "' has a negative length: " + shown(required(name)));
      }
    }
    return Shape.of(lengths);
  }

  /** A list of lengths that are positive and as many as {@code rank}. */
  Shape requiredChunkShape(String name, int rank) {
    Shape shape = requiredShape(name);
    if (shape.rank() != rank || shape.isEmpty()) {
      throw invalid("'" + name + "' " + shape + " is not " + rank + " positive lengths");
    }
    return shape;
  }

  private long[] requiredLongs(String name) {
    JsonNode list = required(name);
    if (!list.isArray()) {
      throw invalid("'" + name + "' is no list: " + shown(list));
    }
    if (list.size() > MAX_RANK) {
      throw unsupported(
          ErrorCode.UNSUPPORTED_FEATURE, "more than " + MAX_RANK + " dimensions in '" + name + "'");
    }
    long[] values = new long[list.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = toLong(name, list.get(i));
    }
    return values;
  }

  /** An integer of 64 bits. */
  long toLong(String name, JsonNode value) {
    if (!value.isIntegralNumber() || !value.canConvertToLong()) {
      throw invalid("'" + name + "' is no 64-bit integer: " + shown(value));
    }
    return value.longValue();
  }

  /** An integer member within bounds, or a default if it is absent or null. */
  int intOr(String name, int absent, int min, int max) {
    Optional<JsonNode> value = optional(name);
    if (value.isEmpty()) {
      return absent;
    }
    long number = toLong(name, value.get());
    if (number < min || number > max) {
      throw invalid("'" + name + "' is " + number + ", expected " + min + " to " + max);
    }
    return (int) number;
  }

  /** A boolean member, or a default if it is absent. */
  boolean booleanOr(String name, boolean absent) {
    Optional<JsonNode> value = optional(name);
    if (value.isPresent() && !value.get().isBoolean()) {
      throw invalid("'" + name + "' is neither true nor false: " + shown(value.get()));
    }
    return value.map(JsonNode::booleanValue).orElse(absent);
  }

  /**
   * Refuses members that are not known, unless they are objects that say {@code "must_understand":
   * false} (Zarr v3 core specification, "Extension points").
   */
  void refuseUnknown(Set<String> known) {
    for (Map.Entry<String, JsonNode> member : node.properties()) {
      JsonNode value = member.getValue();
      boolean ignorable =
          value.isObject()
              && value.path("must_understand").isBoolean()
              && !value.path("must_understand").booleanValue();
      if (!known.contains(member.getKey()) && !ignorable) {
        throw unsupported(
            ErrorCode.UNSUPPORTED_FEATURE, "unknown member '" + member.getKey() + "'");
      }
    }
  }

  /** An integer from JSON, exactly; also a float without a fraction ({@code 3.0}). */
  static Optional<BigInteger> integer(JsonNode value) {
    if (value.isIntegralNumber()) {
      return Optional.of(value.bigIntegerValue());
    }
    if (value.isFloatingPointNumber()) {
      double number = value.doubleValue();
      if (number == Math.rint(number) && Math.abs(number) <= 1L << 53) {
        return Optional.of(BigInteger.valueOf((long) number));
      }
    }
    return Optional.empty();
  }

  /** A value for messages, cut to a line. */
  static String shown(JsonNode value) {
    String text = value.toString();
    return text.length() <= 80 ? text : text.substring(0, 77) + "...";
  }
}
