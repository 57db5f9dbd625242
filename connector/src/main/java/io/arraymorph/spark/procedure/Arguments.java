package io.arraymorph.spark.procedure;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.StorePath;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The arguments of a call by parameter; null and blank texts count as not given. */
public final class Arguments {
  private final Map<String, Object> values;
  private final Function<String, StorePath> places;

  /**
   * @param values String, Boolean or Long, by name of the parameter
   * @param places opens a URI, or a name of the catalog if there is one
   */
  public Arguments(Map<String, Object> values, Function<String, StorePath> places) {
    this.values = new HashMap<>(values);
    this.places = places;
  }

  Optional<String> text(String name) {
    return Optional.ofNullable((String) values.get(name))
        .map(String::trim)
        .filter(text -> !text.isEmpty());
  }

  /** The place that an argument names. */
  StorePath place(String name) {
    return places.apply(
        text(name).orElseThrow(() -> invalid(name, "", "Give a URI, or a name of this catalog")));
  }

  boolean flag(String name) {
    return Boolean.TRUE.equals(values.get(name));
  }

  /** A whole number from {@code least} on. */
  long number(String name, long least) {
    Long value = (Long) values.get(name);
    if (value == null || value < least) {
      throw invalid(name, String.valueOf(value), "Give a whole number from " + least + " on");
    }
    return value;
  }

  static ArrayMorphException invalid(String name, String value, String remedy) {
    return new ArrayMorphException(
        ErrorCode.INVALID_OPTION, "argument " + name + " is '" + value + "'", remedy);
  }
}
