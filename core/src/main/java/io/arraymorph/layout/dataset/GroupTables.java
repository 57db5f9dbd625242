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
   * name as their coordinates, bounds or grid mapping are no data, unless nothing else is there;
   * but coordinates on the very dimensions of a table, as {@code lat(y, x)}, are its last columns.
   */
  static List<TableDescription> of(List<NamedArray> arrays) {
    Set<String> auxiliary = AuxiliaryNames.of(arrays);
    List<NamedArray> data =
        arrays.stream()
            .filter(a -> !a.isCoordinateVariable() && !auxiliary.contains(a.name()))
            .toList();
    if (data.isEmpty()) {
      return grouped(arrays);
    }
    return grouped(data).stream().map(table -> withCoordinates(table, data, arrays)).toList();
  }

  private static TableDescription withCoordinates(
      TableDescription table, List<NamedArray> data, List<NamedArray> arrays) {
    Set<String> named = AuxiliaryNames.coordinatesOf(data.stream().filter(table::holds).toList());
    List<String> variables = new ArrayList<>(table.variables());
    arrays.stream()
        .filter(a -> table.holds(a) && named.contains(a.name()) && !variables.contains(a.name()))
        .map(NamedArray::name)
        .sorted()
        .forEach(variables::add);
    return new TableDescription(table.dimensionNames(), table.shape(), variables);
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
