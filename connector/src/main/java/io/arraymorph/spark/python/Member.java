package io.arraymorph.spark.python;

import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.layout.column.ColumnType;
import io.arraymorph.layout.dataset.AuxiliaryCoordinate;
import io.arraymorph.layout.dataset.Coordinate;
import io.arraymorph.layout.dataset.Dataset;
import io.arraymorph.layout.dataset.Dimension;
import io.arraymorph.layout.dataset.Variable;
import io.arraymorph.layout.zarr.ZarrArray;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An array that Python can name: a variable, or the coordinate of a dimension.
 *
 * @param variable the array and its decoding
 * @param kind what it is in its table
 * @param table the table it belongs to
 * @param axes for each of its dimensions which dimension of the table that is
 */
record Member(Variable variable, Kind kind, Dataset table, List<Integer> axes) {
  /** What an array is in its table. */
  enum Kind {
    /** Data along all dimensions of the table. */
    VARIABLE,
    /** The values of the dimension of its name. */
    COORDINATE,
    /** Further values along one dimension, several or none. */
    AUXILIARY
  }

  /** All arrays of some tables by name, variables first; of one name the first counts. */
  static Map<String, Member> of(List<Dataset> tables) {
    Map<String, Member> members = new LinkedHashMap<>();
    Set<String> along = new HashSet<>();
    for (Dataset table : tables) {
      table.auxiliary().forEach(a -> along.add(a.name()));
      table.coordinateVariables().forEach(c -> along.add(c.name()));
    }
    for (Dataset table : tables) {
      List<Integer> all =
          java.util.stream.IntStream.range(0, table.dimensions().size()).boxed().toList();
      for (Variable variable : table.variables()) {
        if (!along.contains(variable.name())) {
          members.putIfAbsent(variable.name(), new Member(variable, Kind.VARIABLE, table, all));
        }
      }
    }
    for (Dataset table : tables) {
      for (int d = 0; d < table.dimensions().size(); d++) {
        Dimension dimension = table.dimensions().get(d);
        int axis = d;
        dimension
            .coordinate()
            .ifPresent(c -> add(members, dimension.name(), c, Kind.COORDINATE, table, axis));
      }
      for (AuxiliaryCoordinate a : table.auxiliary()) {
        add(members, a.name(), a.coordinate(), Kind.AUXILIARY, table, a.dimension());
      }
      for (Variable c : table.coordinateVariables()) {
        members.putIfAbsent(c.name(), new Member(c, Kind.AUXILIARY, table, c.dimensions()));
      }
    }
    return members;
  }

  private static void add(
      Map<String, Member> members,
      String name,
      Coordinate coordinate,
      Kind kind,
      Dataset table,
      int axis) {
    ZarrArray array = (ZarrArray) coordinate.array();
    Variable variable =
        new Variable(name, array, coordinate.decoding(), array.attributes(), List.of(axis));
    members.putIfAbsent(name, new Member(variable, kind, table, List.of(axis)));
  }

  /** The stored array. */
  ZarrArray array() {
    return (ZarrArray) variable.array();
  }

  /** The dimensions of the array. */
  List<Dimension> dimensions() {
    return axes.stream().map(axis -> table.dimensions().get(axis)).toList();
  }

  /** True if its values are texts or bytes of any length, of which numpy makes objects. */
  boolean isText(boolean decoded) {
    if (!array().schema().dataType().isFixedWidth()) {
      return true;
    }
    CfDecoding decoding = variable.decoding();
    return decoded
        && !decoding.isWideningOnly()
        && (decoding.type() == ColumnType.Scalar.STRING
            || decoding.type() == ColumnType.Scalar.BINARY);
  }

  /** All its cells. */
  OrthogonalSelection all() {
    return OrthogonalSelection.all(array().schema().shape());
  }
}
