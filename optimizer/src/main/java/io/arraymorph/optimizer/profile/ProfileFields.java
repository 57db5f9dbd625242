package io.arraymorph.optimizer.profile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.util.Iterator;
import java.util.Set;
import java.util.TreeSet;

/** Takes the fields of one object of a profile file, strictly: none may be left over. */
final class ProfileFields {
  private final ObjectNode object;
  private final String where;
  private final Set<String> left = new TreeSet<>();

  /**
   * @param where file and field, for messages
   */
  ProfileFields(ObjectNode object, String where) {
    this.object = object;
    this.where = where;
    for (Iterator<String> names = object.fieldNames(); names.hasNext(); ) {
      left.add(names.next());
    }
  }

  String text(String name) {
    JsonNode value = take(name);
    if (!value.isTextual() || value.textValue().isBlank()) {
      throw invalid(where + ": " + name + " is " + value + ", it must be a text");
    }
    return value.textValue();
  }

  double number(String name) {
    JsonNode value = take(name);
    if (!value.isNumber()) {
      throw invalid(where + ": " + name + " is " + value + ", it must be a number");
    }
    return value.doubleValue();
  }

  /** The number, or another if the field is not there. */
  double numberOr(String name, double other) {
    return object.has(name) ? number(name) : other;
  }

  long integer(String name) {
    JsonNode value = take(name);
    if (!value.isIntegralNumber() || !value.canConvertToLong()) {
      throw invalid(where + ": " + name + " is " + value + ", it must be an integer");
    }
    return value.longValue();
  }

  int smallInteger(String name) {
    long value = integer(name);
    if (value != (int) value) {
      throw invalid(where + ": " + name + " is " + value + ", it must be below 2^31");
    }
    return (int) value;
  }

  ProfileFields object(String name) {
    JsonNode value = take(name);
    if (!(value instanceof ObjectNode)) {
      throw invalid(where + ": " + name + " must be an object");
    }
    return new ProfileFields((ObjectNode) value, where + ": " + name);
  }

  /** The field if it is there and not null. */
  ProfileFields objectOrNull(String name) {
    if (!object.hasNonNull(name)) {
      left.remove(name);
      return null;
    }
    return object(name);
  }

  /** Pairs of numbers: an array of arrays of two. */
  double[][] pairs(String name) {
    JsonNode value = take(name);
    boolean valid = value.isArray() && value.size() <= 1000;
    double[][] pairs = new double[valid ? value.size() : 0][];
    for (int i = 0; i < pairs.length; i++) {
      JsonNode pair = value.get(i);
      valid &= pair.isArray() && pair.size() == 2 && pair.get(0).isNumber();
      valid &= valid && pair.get(1).isNumber();
      pairs[i] =
          valid
              ? new double[] {pair.get(0).doubleValue(), pair.get(1).doubleValue()}
              : new double[2];
      valid &= pairs[i][0] == Math.rint(pairs[i][0]) && Math.abs(pairs[i][0]) < 0x1p62;
    }
    if (!valid) {
      throw invalid(where + ": " + name + " must be a list of [integer, number] pairs");
    }
    return pairs;
  }

  private JsonNode take(String name) {
    left.remove(name);
    JsonNode value = object.get(name);
    if (value == null) {
      throw invalid(where + ": " + name + " is missing");
    }
    return value;
  }

  /** Fails if a field was not taken. */
  void end() {
    if (!left.isEmpty()) {
      throw invalid(where + ": unknown fields " + left);
    }
  }

  static ArrayMorphException invalid(String problem) {
    return invalid(problem, null);
  }

  static ArrayMorphException invalid(String problem, Throwable cause) {
    return new ArrayMorphException(
        ErrorCode.PROFILE_INVALID,
        "profile " + problem,
        "Write the profile as docs/spec/profile.md says, or use one that is shipped",
        cause);
  }
}
