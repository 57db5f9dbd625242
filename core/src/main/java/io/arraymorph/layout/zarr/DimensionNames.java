package io.arraymorph.layout.zarr;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Makes one unique name for each dimension from what metadata tell. */
final class DimensionNames {
  private DimensionNames() {}

  /**
   * Names for all dimensions: absent, empty and repeated ones become {@code dim_<number>}, with
   * underscores appended if that is taken.
   *
   * @param told one entry a dimension, or none at all
   */
  static List<String> complete(List<Optional<String>> told, int rank) {
    Set<String> taken = new HashSet<>();
    told.forEach(name -> name.ifPresent(taken::add));
    Set<String> used = new HashSet<>();
    List<String> names = new ArrayList<>();
    for (int d = 0; d < rank; d++) {
      Optional<String> name = d < told.size() ? told.get(d) : Optional.empty();
      if (name.isPresent() && !name.get().isEmpty() && used.add(name.get())) {
        names.add(name.get());
        continue;
      }
      String made = "dim_" + d;
      while (taken.contains(made) || !used.add(made)) {
        made += "_";
      }
      names.add(made);
    }
    return names;
  }
}
