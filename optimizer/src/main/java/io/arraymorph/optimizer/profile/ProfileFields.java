package io.arraymorph.optimizer.profile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/** Takes the fields of one object of a profile file, strictly: none may be left over. */
final class ProfileFields {
  private static final int SHOWN = 100;
  private static final int SHOWN_FIELDS = 5;

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

  /**
   * A text that stands in plans and logs.
   *
   * @param most characters
   */
  String text(String name, int most) {
    JsonNode value = take(name);
    String text = value.textValue();
    if (text == null
        || text.isBlank()
        || text.length() > most
        || text.chars().anyMatch(Character::isISOControl)) {
      throw wrong(name, value, "a text of one line and at most " + most + " characters");
    }
    return text;
  }

  double number(String name) {
    JsonNode value = take(name);
    if (!value.isNumber()) {
      throw wrong(name, value, "a number");
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
      throw wrong(name, value, "an integer");
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

  /** True if the field is there and an object. */
  boolean isObject(String name) {
    return object.get(name) instanceof ObjectNode;
  }

  ProfileFields object(String name) {
    JsonNode value = take(name);
    if (!(value instanceof ObjectNode)) {
      throw wrong(name, value, "an object");
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
      throw wrong(name, value, "a list of at most 1000 pairs [integer, number]");
    }
    return pairs;
  }

  private ArrayMorphException wrong(String name, JsonNode value, String must) {
    // Only the start of a value is shown: files are not trusted to be short.
    return invalid(where + ": " + name + " is " + cut(value.toString()) + ", it must be " + must);
  }

  private JsonNode take(String name) {
    left.remove(name);
    JsonNode value = object.get(name);
    if (value == null) {
      throw invalid(where + ": " + name + " is missing");
    }
    return value;
  }

  private void end() {
    if (!left.isEmpty()) {
      List<String> some = left.stream().limit(SHOWN_FIELDS).map(ProfileFields::cut).toList();
      throw invalid(
          where
              + ": "
              + left.size()
              + (left.size() == 1 ? " field is" : " fields are")
              + " not known, as "
              + some);
    }
  }

  /**
   * What these fields make.
   *
   * @throws ArrayMorphException with PROFILE_INVALID and the place if they make no sense together
   */
  <T> T make(Supplier<T> made) {
    try {
      T all = made.get();
      end();
      return all;
    } catch (IllegalArgumentException e) {
      throw invalid(where + ": " + e.getMessage(), e);
    }
  }

  private static String cut(String text) {
    return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "..";
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
