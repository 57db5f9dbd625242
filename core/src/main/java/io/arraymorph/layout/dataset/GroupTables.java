package io.arraymorph.layout.dataset;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Sorts the arrays of a group into tables. */
final class GroupTables {

  private GroupTables() {}

  /**
   * The tables of a group, the one shown first first. Coordinate variables and arrays that others
   * name as their coordinates, bounds or grid mapping are no data, unless nothing else is there.
   */
  static List<TableDescription> of(List<NamedArray> arrays) {
    Set<String> auxiliary = AuxiliaryNames.of(arrays);
    List<TableDescription> tables =
        grouped(
            arrays.stream()
                .filter(a -> !a.isCoordinateVariable() && !auxiliary.contains(a.name()))
                .toList());
    return tables.isEmpty() ? grouped(arrays) : tables;
  }

  private static List<TableDescription> grouped(List<NamedArray> arrays) {
    Map<TableDescription, List<String>> sets = new LinkedHashMap<>();
    for (NamedArray array : arrays) {
      TableDescription key = new TableDescription(array.dimensionNames(), array.shape(), List.of());
      sets.computeIfAbsent(key, k -> new ArrayList<>()).add(array.name());
    }
    List<TableDescription> tables = new ArrayList<>();
    sets.forEach(
        (set, variables) -> {
          variables.sort(null);
          tables.add(new TableDescription(set.dimensionNames(), set.shape(), variables));
        });
    tables.sort(TableDescription.PREFERENCE);
    return tables;
  }
}
