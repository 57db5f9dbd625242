package io.arraymorph.layout.dataset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.layout.ArrayReader;
import io.arraymorph.layout.cf.CfDecoding;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Makes one table: finds the coordinates of chosen arrays and names the columns. */
final class TableAssembly {
  private final List<NamedArray> chosen;
  private final List<NamedArray> neighbours;
  private final DatasetOptions options;
  private final ArrayReader reader;
  private final ColumnNames names = new ColumnNames();
  private final List<String> warnings = new ArrayList<>();

  TableAssembly(
      List<NamedArray> chosen,
      List<NamedArray> neighbours,
      DatasetOptions options,
      ArrayReader reader) {
    this.chosen = chosen;
    this.neighbours = neighbours;
    this.options = options;
    this.reader = reader;
  }

  Dataset assemble(List<TableDescription> tables) {
    checkSameDimensions();
    // Variables are named first: users chose them, and an array keeps the name of its URI.
    List<Variable> variables = variables();
    List<Dimension> dimensions = dimensions();
    List<AuxiliaryCoordinate> auxiliary = auxiliary();
    List<Variable> coordinates = coordinateVariables();
    List<TableDescription> all = tables.isEmpty() ? List.of(description()) : tables;
    return new Dataset(
        chosen.get(0).shape(), dimensions, auxiliary, coordinates, variables, all, warnings);
  }

  private TableDescription description() {
    return new TableDescription(
        chosen.get(0).dimensionNames(),
        chosen.get(0).shape(),
        chosen.stream().map(NamedArray::name).toList());
  }

  private void checkSameDimensions() {
    TableDescription first = description();
    for (NamedArray array : chosen) {
      if (!first.holds(array)) {
        throw new ArrayMorphException(
            ErrorCode.INVALID_OPTION,
            "arrays of different dimensions make no table: "
                + describe(chosen.get(0))
                + " and "
                + describe(array),
            "Choose arrays of one dimension set with option array, and join tables in SQL");
      }
    }
  }

  private static TableDescription describe(NamedArray array) {
    return new TableDescription(array.dimensionNames(), array.shape(), List.of(array.name()));
  }

  private List<Variable> variables() {
    List<Variable> variables = new ArrayList<>();
    for (NamedArray array : chosen) {
      String name = names.takeNear(array.name());
      if (!name.equals(array.name())) {
        warnings.add(
            "variable '" + array.name() + "' is called '" + name + "', for its name is taken");
      }
      variables.add(variable(name, array));
    }
    return variables;
  }

  private Variable variable(String name, NamedArray array) {
    List<String> table = chosen.get(0).dimensionNames();
    boolean all = array.shape().rank() == table.size();
    List<Integer> dimensions = new ArrayList<>();
    for (int d = 0; d < array.shape().rank(); d++) {
      dimensions.add(all ? d : table.indexOf(array.dimensionNames().get(d)));
    }
    return new Variable(name, array.array(), decoding(array), array.attributes(), dimensions);
  }

  /**
   * Coordinates of the chosen arrays along no dimension, or along several but not all: {@code
   * height}, or {@code lat(y, x)} of {@code t(time, y, x)}.
   */
  private List<Variable> coordinateVariables() {
    Set<String> named = AuxiliaryNames.coordinatesOf(chosen);
    List<Variable> coordinates = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (NamedArray array : neighbours) {
      if (named.contains(array.name())
          && !isChosen(array)
          && array.shape().rank() != 1
          && array.shape().rank() < chosen.get(0).shape().rank()
          && isProjection(array)
          && seen.add(array.name())) {
        if (names.take(array.name())) {
          coordinates.add(variable(array.name(), array));
        } else {
          warnings.add("coordinate '" + array.name() + "' is left out, for its name is taken");
        }
      }
    }
    return coordinates;
  }

  /** True if an array's dimensions are some of the table's, each once, in their order. */
  private boolean isProjection(NamedArray array) {
    NamedArray first = chosen.get(0);
    int last = -1;
    for (int d = 0; d < array.shape().rank(); d++) {
      int at = first.dimensionNames().indexOf(array.dimensionNames().get(d));
      boolean once = at == first.dimensionNames().lastIndexOf(array.dimensionNames().get(d));
      if (at <= last || !once || first.shape().length(at) != array.shape().length(d)) {
        return false;
      }
      last = at;
    }
    return true;
  }

  private List<Dimension> dimensions() {
    NamedArray first = chosen.get(0);
    List<Dimension> dimensions = new ArrayList<>();
    for (int d = 0; d < first.shape().rank(); d++) {
      String stored = first.dimensionNames().get(d);
      String name = stored;
      if (!names.take(name)) {
        name = names.takeNear("dim_" + d);
        warnings.add("dimension '" + stored + "' is called '" + name + "', for its name is taken");
      }
      long length = first.shape().length(d);
      dimensions.add(new Dimension(name, stored, length, coordinate(stored, length)));
    }
    return dimensions;
  }

  private Optional<Coordinate> coordinate(String dimension, long length) {
    for (NamedArray array : neighbours) {
      if (array.name().equals(dimension) && !isChosen(array)) {
        if (array.lies(dimension, length)) {
          Optional<Coordinate> coordinate = coordinate(array);
          if (coordinate.isPresent()) {
            return coordinate;
          }
        } else if (array.isCoordinateVariable()) {
          warnings.add(
              "array '"
                  + dimension
                  + "' has length "
                  + array.shape().length(0)
                  + " and is no coordinate of the dimension of length "
                  + length);
        }
      }
    }
    return Optional.empty();
  }

  private Optional<Coordinate> coordinate(NamedArray array) {
    CfDecoding decoding = decoding(array);
    if (!Coordinate.isPossible(array.array(), decoding)) {
      warnings.add(
          "array '"
              + array.name()
              + "' of "
              + array.shape().elementCount()
              + " "
              + array.array().schema().dataType().zarrName()
              + " cannot be a coordinate (at most "
              + Coordinate.LONGEST
              + " values, no structures)");
      return Optional.empty();
    }
    return Optional.of(new Coordinate(array.array(), decoding, reader));
  }

  private boolean isChosen(NamedArray array) {
    return chosen.stream().anyMatch(c -> isSame(c, array));
  }

  private static boolean isSame(NamedArray a, NamedArray b) {
    return a.array().path().equals(b.array().path());
  }

  private List<AuxiliaryCoordinate> auxiliary() {
    NamedArray first = chosen.get(0);
    List<AuxiliaryCoordinate> auxiliary = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (NamedArray array : neighbours) {
      int d =
          array.shape().rank() == 1
              ? first.dimensionNames().indexOf(array.dimensionNames().get(0))
              : -1;
      boolean fits =
          d >= 0
              && array.lies(first.dimensionNames().get(d), first.shape().length(d))
              && !array.isCoordinateVariable()
              && !isChosen(array)
              && isAuxiliary(array, first);
      if (fits && seen.add(array.name())) {
        if (!names.take(array.name())) {
          warnings.add(
              "auxiliary coordinate '" + array.name() + "' is left out, for its name is taken");
          continue;
        }
        coordinate(array)
            .ifPresent(
                c ->
                    auxiliary.add(new AuxiliaryCoordinate(array.name(), indexOf(array, first), c)));
      }
    }
    return auxiliary;
  }

  private static int indexOf(NamedArray array, NamedArray first) {
    return first.dimensionNames().indexOf(array.dimensionNames().get(0));
  }

  /** On a 1-D table other 1-D arrays are variables of their own, unless one names them. */
  private boolean isAuxiliary(NamedArray array, NamedArray first) {
    return first.shape().rank() > 1
        || chosen.stream().anyMatch(c -> AuxiliaryNames.of(c).contains(array.name()));
  }

  private CfDecoding decoding(NamedArray array) {
    DataType type = array.array().schema().dataType();
    boolean isMissing = options.v2Fill() == DatasetOptions.V2Fill.MISSING;
    CfDecoding decoding =
        options.decode()
            ? CfDecoding.of(
                type, withUnitsOfParent(array), isMissing ? array.v2Fill() : Optional.empty())
            : CfDecoding.raw(type);
    decoding.warnings().forEach(w -> warnings.add("array '" + array.name() + "': " + w));
    return decoding.named(array.array().path().toString());
  }

  /** Bounds have the units and calendar of the variable whose bounds they are. */
  private JsonNode withUnitsOfParent(NamedArray array) {
    if (!array.attributes().has("units")) {
      for (NamedArray parent : neighbours) {
        if (parent.attributes().path("bounds").asText("").equals(array.name())
            && parent.attributes().has("units")
            && array.attributes() instanceof ObjectNode) {
          ObjectNode merged = ((ObjectNode) array.attributes()).deepCopy();
          merged.set("units", parent.attributes().get("units"));
          if (parent.attributes().has("calendar") && !merged.has("calendar")) {
            merged.set("calendar", parent.attributes().get("calendar"));
          }
          return merged;
        }
      }
    }
    return array.attributes();
  }
}
