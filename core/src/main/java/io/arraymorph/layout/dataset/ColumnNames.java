package io.arraymorph.layout.dataset;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** Hands out column names that differ also without regard to case, as SQL compares them. */
final class ColumnNames {
  private final Set<String> taken = new HashSet<>();

  /** True if the name was free; it is taken now. */
  boolean take(String name) {
    return taken.add(name.toLowerCase(Locale.ROOT));
  }

  /** The name if it is free, else the first free of {@code name_1, name_2, ..}; taken now. */
  String takeNear(String name) {
    String free = name;
    for (int n = 1; !take(free); n++) {
      free = name + "_" + n;
    }
    return free;
  }
}
