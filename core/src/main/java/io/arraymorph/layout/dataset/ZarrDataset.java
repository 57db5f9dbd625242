package io.arraymorph.layout.dataset;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.layout.ArrayReader;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrGroup;
import io.arraymorph.layout.zarr.ZarrNode;
import java.util.ArrayList;
import java.util.List;

/**
 * Opens a {@link Dataset} from Zarr metadata.
 *
 * <p>Requests beside those that opened the node: for a group without consolidated metadata, one
 * listing and the metadata of its children. For an array opened by its own path and with named
 * dimensions, the metadata of the group it lies in (v3 one object, v2 two at once); if that is a
 * group without consolidated metadata, those of each array named as a dimension (v3 one object, v2
 * two), all at once. An array without named dimensions needs none. No chunk is read.
 */
public final class ZarrDataset {

  private ZarrDataset() {}

  /**
   * The table of a node: of an array its cells; of a group all variables of one dimension set (the
   * one with most dimensions, then most variables, then the first name), or those that {@code
   * options.array()} names.
   *
   * @throws ArrayMorphException NOT_AN_ARRAY for a group without arrays, UNKNOWN_ARRAY for a name
   *     that the node does not have, INVALID_OPTION for arrays that make no table, UNSUPPORTED_TYPE
   */
  public static Dataset open(ZarrNode node, DatasetOptions options, ArrayReader reader) {
    return node instanceof ZarrArray
        ? ofArray((ZarrArray) node, options, reader)
        : ofGroup((ZarrGroup) node, options, reader);
  }

  /**
   * The tables of all arrays directly in a group, the one that {@link #open} shows first first;
   * empty if there are no arrays.
   */
  public static List<TableDescription> tables(ZarrGroup group) {
    return GroupTables.of(GroupArrays.of(group));
  }

  /**
   * All tables of a node, the one that {@link #open} shows first; an array, and a choice of arrays
   * by {@code options.array()}, are one table. Requests as for one table.
   *
   * @throws ArrayMorphException as {@link #open}
   */
  public static List<Dataset> openAll(ZarrNode node, DatasetOptions options, ArrayReader reader) {
    if (node instanceof ZarrArray || !options.array().isBlank()) {
      return List.of(open(node, options, reader));
    }
    ZarrGroup group = (ZarrGroup) node;
    List<NamedArray> arrays = GroupArrays.of(group);
    List<TableDescription> tables = GroupTables.of(arrays);
    if (tables.isEmpty()) {
      throw noArrays(group);
    }
    List<Dataset> datasets = new ArrayList<>();
    for (TableDescription table : tables) {
      datasets.add(ofTable(group, table, arrays, tables, options, reader));
    }
    return List.copyOf(datasets);
  }

  private static Dataset ofArray(ZarrArray array, DatasetOptions options, ArrayReader reader) {
    NamedArray chosen = NamedArray.of(columnName(array), array);
    if (!options.array().isBlank()
        && !options.array().strip().equals(chosen.name())
        && !options.array().strip().equals(array.name())) {
      throw new ArrayMorphException(
          ErrorCode.UNKNOWN_ARRAY,
          array.path() + " is one array and has no array '" + options.array() + "'",
          "Leave out option array, or open the group that holds both");
    }
    return Dataset.of(
        List.of(chosen), GroupArrays.around(array, chosen), List.of(), options, reader);
  }

  /** The last segment without {@code .zarr}; {@code data} for an array at the root of a store. */
  private static String columnName(ZarrArray array) {
    String path = array.path().toString();
    String last = path.substring(path.lastIndexOf('/') + 1);
    String name = last.endsWith(".zarr") ? last.substring(0, last.length() - 5) : last;
    return name.isEmpty() ? "data" : name;
  }

  private static Dataset ofGroup(ZarrGroup group, DatasetOptions options, ArrayReader reader) {
    if (!options.array().isBlank()) {
      return ofNames(group, options, reader);
    }
    List<NamedArray> arrays = GroupArrays.of(group);
    List<TableDescription> tables = GroupTables.of(arrays);
    if (tables.isEmpty()) {
      throw noArrays(group);
    }
    return ofTable(group, tables.get(0), arrays, tables, options, reader);
  }

  private static Dataset ofTable(
      ZarrGroup group,
      TableDescription shown,
      List<NamedArray> arrays,
      List<TableDescription> tables,
      DatasetOptions options,
      ArrayReader reader) {
    List<NamedArray> chosen = new ArrayList<>();
    for (String name : shown.variables()) {
      arrays.stream().filter(a -> a.name().equals(name) && shown.holds(a)).forEach(chosen::add);
    }
    return Dataset.of(
        ColumnOrder.sorted(chosen, group.attributes()), arrays, tables, options, reader);
  }

  private static ArrayMorphException noArrays(ZarrGroup group) {
    return new ArrayMorphException(
        ErrorCode.NOT_AN_ARRAY,
        "group " + group.path() + " holds no array that can be read",
        "Open one of its groups, or name an array as group/array with option array; it holds "
            + first(group.childNames()));
  }

  private static Dataset ofNames(ZarrGroup group, DatasetOptions options, ArrayReader reader) {
    List<NamedArray> chosen = new ArrayList<>();
    List<NamedArray> neighbours = new ArrayList<>();
    List<String> looked = new ArrayList<>();
    for (String name : names(group, options.array())) {
      ZarrNode node = group.child(name);
      int slash = name.lastIndexOf('/');
      if (node instanceof ZarrArray) {
        chosen.add(NamedArray.of(name.substring(slash + 1), (ZarrArray) node));
      } else if (name.equals(options.array().strip())) {
        return ofGroup((ZarrGroup) node, options.withArray(""), reader);
      } else {
        throw new ArrayMorphException(
            ErrorCode.UNKNOWN_ARRAY,
            "'" + name + "' in " + group.path() + " is a group, not an array",
            "Name arrays as group/array");
      }
      String parent = slash < 0 ? "" : name.substring(0, slash);
      if (!looked.contains(parent)) {
        looked.add(parent);
        neighbours.addAll(GroupArrays.nearestFirst(group, parent));
      }
    }
    return Dataset.of(chosen, neighbours, List.of(), options, reader);
  }

  /** The names in the option, separated by commas. */
  private static List<String> names(ZarrGroup group, String option) {
    List<String> names = new ArrayList<>();
    for (String name : option.split(",", -1)) {
      String stripped = name.strip().replaceAll("^/+|/+$", "");
      if (stripped.isEmpty()) {
        throw new ArrayMorphException(
            ErrorCode.INVALID_OPTION,
            "option array '" + option + "' has an empty name",
            "It holds " + first(group.childNames()));
      }
      if (names.contains(stripped)) {
        throw new ArrayMorphException(
            ErrorCode.INVALID_OPTION,
            "option array '" + option + "' names '" + stripped + "' twice",
            "Name each array once");
      }
      names.add(stripped);
    }
    return names;
  }

  private static List<String> first(List<String> names) {
    return names.subList(0, Math.min(20, names.size()));
  }
}
