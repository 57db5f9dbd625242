package io.arraymorph.layout.dataset;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The names in attributes {@code coordinates}, {@code bounds} and {@code grid_mapping}: arrays that
 * describe others and are no data of their own.
 */
final class AuxiliaryNames {
  private static final String COORDINATES = "coordinates";
  private static final List<String> ATTRIBUTES =
      List.of(COORDINATES, "bounds", "climatology", "grid_mapping");

  private AuxiliaryNames() {}

  /** The names that one array gives. */
  static Set<String> of(NamedArray array) {
    Set<String> names = new HashSet<>();
    ATTRIBUTES.forEach(attribute -> addNames(array, attribute, names));
    return names;
  }

  /** The names that any of these arrays gives. */
  static Set<String> of(List<NamedArray> arrays) {
    Set<String> names = new HashSet<>();
    arrays.forEach(array -> names.addAll(of(array)));
    return names;
  }

  /** The names that any of these arrays gives to its coordinates. */
  static Set<String> coordinatesOf(List<NamedArray> arrays) {
    Set<String> names = new HashSet<>();
    arrays.forEach(array -> addNames(array, COORDINATES, names));
    return names;
  }

  private static void addNames(NamedArray array, String attribute, Set<String> names) {
    String text = array.attributes().path(attribute).asText("");
    for (String word : text.split("\\s+")) {
      // A grid mapping may have the form "crs: x y".
      String name = word.endsWith(":") ? word.substring(0, word.length() - 1) : word;
      if (!name.isEmpty() && !name.equals(array.name())) {
        names.add(name);
      }
    }
  }
}
