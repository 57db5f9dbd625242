package io.arraymorph.layout.dataset;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The names in attributes {@code coordinates}, {@code bounds} and {@code grid_mapping}: arrays that
 * describe others and are no data of their own.
 */
final class AuxiliaryNames {
  private static final List<String> ATTRIBUTES =
      List.of("coordinates", "bounds", "climatology", "grid_mapping");

  private AuxiliaryNames() {}

  /** The names that one array gives. */
  static Set<String> of(NamedArray array) {
    Set<String> names = new HashSet<>();
    for (String attribute : ATTRIBUTES) {
      String text = array.attributes().path(attribute).asText("");
      for (String word : text.split("\\s+")) {
        // A grid mapping may have the form "crs: x y".
        String name = word.endsWith(":") ? word.substring(0, word.length() - 1) : word;
        if (!name.isEmpty()) {
          names.add(name);
        }
      }
    }
    names.remove(array.name());
    return names;
  }

  /** The names that any of these arrays gives. */
  static Set<String> of(List<NamedArray> arrays) {
    Set<String> names = new HashSet<>();
    arrays.forEach(array -> names.addAll(of(array)));
    return names;
  }
}
