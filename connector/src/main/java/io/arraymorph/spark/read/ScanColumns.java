package io.arraymorph.spark.read;

import io.arraymorph.layout.dataset.AuxiliaryCoordinate;
import io.arraymorph.layout.dataset.Coordinate;
import io.arraymorph.layout.dataset.Dataset;
import io.arraymorph.layout.dataset.Dimension;
import io.arraymorph.layout.dataset.Variable;
import io.arraymorph.spark.RowMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Where each column of a pruned schema comes from, and which variables must be read for it.
 *
 * @param outputs one per column
 * @param variables those whose elements are needed; {@link OutputColumn.Value#variable()} counts
 *     these
 */
record ScanColumns(List<OutputColumn> outputs, List<Variable> variables) {

  /** The plan of columns for what Spark asks for; reads the coordinates that are among them. */
  static ScanColumns of(ArrayTable table, StructType schema) {
    return new Resolver(table).resolve(schema);
  }

  /** The column along one dimension that an expression names, if it is one. */
  static Optional<OutputColumn.Along> along(ArrayTable table, Expression expression) {
    if (!(expression instanceof NamedReference)) {
      return Optional.empty();
    }
    String[] names = ((NamedReference) expression).fieldNames();
    StructType columns = table.columns().schema();
    boolean known = names.length == 1 && List.of(columns.fieldNames()).contains(names[0]);
    if (!known || table.columns().variable(names[0]).isPresent()) {
      return Optional.empty();
    }
    StructType one = DataTypes.createStructType(List.of(columns.apply(names[0])));
    return Optional.of((OutputColumn.Along) of(table, one).outputs().get(0));
  }

  private static final class Resolver {
    private final ArrayTable table;
    private final Dataset dataset;
    private final List<Variable> variables = new ArrayList<>();

    Resolver(ArrayTable table) {
      this.table = table;
      this.dataset = table.dataset();
    }

    ScanColumns resolve(StructType schema) {
      loadCoordinates(schema);
      List<OutputColumn> outputs = new ArrayList<>();
      for (StructField field : schema.fields()) {
        outputs.add(column(field));
      }
      return new ScanColumns(outputs, variables);
    }

    /** All coordinates at once, instead of one after the other. */
    private void loadCoordinates(StructType schema) {
      Set<String> wanted = new TreeSet<>(List.of(schema.fieldNames()));
      List<Coordinate> coordinates = new ArrayList<>();
      for (Dimension dimension : dataset.dimensions()) {
        boolean listed =
            wanted.contains(TableColumns.COORDINATES)
                && List.of(structFields(schema)).contains(dimension.name());
        if (wanted.contains(dimension.name()) || listed) {
          dimension.coordinate().ifPresent(coordinates::add);
        }
      }
      for (AuxiliaryCoordinate auxiliary : dataset.auxiliary()) {
        if (wanted.contains(auxiliary.name())) {
          coordinates.add(auxiliary.coordinate());
        }
      }
      Coordinate.loadAll(coordinates);
    }

    private static String[] structFields(StructType schema) {
      return ((StructType) schema.apply(TableColumns.COORDINATES).dataType()).fieldNames();
    }

    private OutputColumn column(StructField field) {
      String name = field.name();
      Optional<Integer> dimension = dimension(name);
      if (dimension.isPresent()) {
        return along(dimension.get());
      }
      for (AuxiliaryCoordinate auxiliary : dataset.auxiliary()) {
        if (auxiliary.name().equals(name)) {
          return OutputColumn.Along.values(auxiliary.dimension(), auxiliary.coordinate().values());
        }
      }
      Optional<Variable> variable = table.columns().variable(name);
      if (variable.isPresent()) {
        return ofVariable(variable.get(), field);
      }
      switch (name) {
        case TableColumns.INDEX:
          StructType index = (StructType) field.dataType();
          return new OutputColumn.IndexStruct(fields(index, OutputColumn.Along::index), index);
        case TableColumns.COORDINATES:
          StructType lists = (StructType) field.dataType();
          return new OutputColumn.CoordinatesStruct(fields(lists, this::along), lists);
        case TableColumns.CHUNK:
          return new OutputColumn.ChunkName();
        default:
          throw new IllegalArgumentException("no column " + name);
      }
    }

    private OutputColumn ofVariable(Variable variable, StructField field) {
      if (table.options().rows() instanceof RowMode.Cells) {
        return new OutputColumn.Value(read(variable), field.dataType());
      }
      StructType type = (StructType) field.dataType();
      boolean data = List.of(type.fieldNames()).contains("data");
      return new OutputColumn.Tensor(data ? read(variable) : -1, variable.type(), type);
    }

    private int read(Variable variable) {
      int known = variables.indexOf(variable);
      if (known >= 0) {
        return known;
      }
      variables.add(variable);
      return variables.size() - 1;
    }

    private List<OutputColumn.Along> fields(
        StructType type, java.util.function.IntFunction<OutputColumn.Along> ofDimension) {
      List<OutputColumn.Along> fields = new ArrayList<>();
      for (String name : type.fieldNames()) {
        fields.add(ofDimension.apply(dimension(name).orElseThrow()));
      }
      return fields;
    }

    private Optional<Integer> dimension(String column) {
      List<Dimension> dimensions = dataset.dimensions();
      for (int d = 0; d < dimensions.size(); d++) {
        if (dimensions.get(d).name().equals(column)) {
          return Optional.of(d);
        }
      }
      return Optional.empty();
    }

    private OutputColumn.Along along(int dimension) {
      return dataset
          .dimensions()
          .get(dimension)
          .coordinate()
          .map(c -> OutputColumn.Along.values(dimension, c.values()))
          .orElseGet(() -> OutputColumn.Along.index(dimension));
    }
  }
}
