package io.arraymorph.spark.read;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.layout.JsonTree;
import io.arraymorph.layout.dataset.AuxiliaryCoordinate;
import io.arraymorph.layout.dataset.Coordinate;
import io.arraymorph.layout.dataset.Dataset;
import io.arraymorph.layout.dataset.Dimension;
import io.arraymorph.layout.dataset.Variable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** The Spark columns of a dataset: dimensions, auxiliary coordinates, variables, and metadata. */
public final class TableColumns {
  /** The metadata column of positions. */
  static final String INDEX = "_index";

  /** The metadata column of all coordinates of a tensor row. */
  static final String COORDINATES = "_coords";

  /** The metadata column that names a chunk. */
  static final String CHUNK = "_chunk";

  private final Dataset dataset;
  private final boolean cells;
  private final List<Boolean> packed;

  /**
   * @param cells true if a variable's column is the value of one cell, false if it is a tensor
   * @param packed for each dimension whether a row spans it
   */
  TableColumns(Dataset dataset, boolean cells, List<Boolean> packed) {
    this.dataset = dataset;
    this.cells = cells;
    this.packed = List.copyOf(packed);
  }

  /** The columns of {@code SELECT *}. */
  public StructType schema() {
    List<StructField> fields = new ArrayList<>();
    for (Dimension dimension : dataset.dimensions()) {
      boolean nullable = dimension.coordinate().map(Coordinate::isNullable).orElse(false);
      fields.add(
          DataTypes.createStructField(
              dimension.name(),
              SparkTypes.of(dimension.type()),
              nullable,
              dimensionMetadata(dimension)));
    }
    for (AuxiliaryCoordinate auxiliary : dataset.auxiliary()) {
      Coordinate coordinate = auxiliary.coordinate();
      fields.add(
          DataTypes.createStructField(
              auxiliary.name(),
              SparkTypes.of(coordinate.type()),
              coordinate.isNullable(),
              auxiliaryMetadata(auxiliary)));
    }
    if (cells) {
      dataset.coordinateVariables().forEach(coordinate -> fields.add(cellField(coordinate)));
    }
    for (Variable variable : dataset.variables()) {
      fields.add(cells ? cellField(variable) : tensorField(variable));
    }
    return DataTypes.createStructType(fields);
  }

  private static StructField field(String name, DataType type, boolean nullable) {
    return DataTypes.createStructField(name, type, nullable);
  }

  /** Says that values are coordinates, where the type (an integer) does not: writing needs that. */
  private static Metadata dimensionMetadata(Dimension dimension) {
    return dimension
        .coordinate()
        .map(
            coordinate ->
                new MetadataBuilder()
                    .putString("coordinate", coordinate.array().path().toString())
                    .build())
        .orElse(Metadata.empty());
  }

  /** Says along which dimension the values lie and where they are stored. */
  private Metadata auxiliaryMetadata(AuxiliaryCoordinate auxiliary) {
    return new MetadataBuilder()
        .putString("along", dataset.dimensions().get(auxiliary.dimension()).name())
        .putString("auxiliary", auxiliary.coordinate().array().path().toString())
        .build();
  }

  private static StructField cellField(Variable variable) {
    return field(variable.name(), SparkTypes.of(variable.type()), variable.decoding().isNullable());
  }

  /** The type of a tensor column over cells of a type. */
  private static StructType tensorType(Variable variable) {
    ArrayType data =
        DataTypes.createArrayType(SparkTypes.of(variable.type()), variable.decoding().isNullable());
    return DataTypes.createStructType(
        List.of(
            field("data", data, false),
            field("shape", DataTypes.createArrayType(DataTypes.IntegerType, false), false)));
  }

  private StructField tensorField(Variable variable) {
    ArraySchema schema = variable.array().schema();
    String[] names = packedNames().toArray(String[]::new);
    Metadata metadata =
        new MetadataBuilder()
            .putString("ARROW:extension:name", "arrow.variable_shape_tensor")
            .putString("ARROW:extension:metadata", dimensionNamesJson(names))
            .putString("dtype", schema.dataType().zarrName())
            .putStringArray("dimension_names", names)
            .putStringArray(
                "array_dimensions",
                dataset.dimensions().stream().map(Dimension::name).toArray(String[]::new))
            .putLongArray("array_shape", schema.shape().toArray())
            .putString("attributes", JsonTree.text(variable.attributes()))
            .putLongArray("chunk_shape", variable.array().readChunkShape().toArray())
            .putString("fill_value", fillText(variable))
            .build();
    return DataTypes.createStructField(variable.name(), tensorType(variable), false, metadata);
  }

  private static String dimensionNamesJson(String[] names) {
    StringBuilder json = new StringBuilder("{\"dim_names\":[");
    for (int i = 0; i < names.length; i++) {
      json.append(i == 0 ? "" : ",").append('"');
      json.append(names[i].replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
    }
    return json.append("]}").toString();
  }

  /** The fill value as a cell that was never written has it, before decoding. */
  private static String fillText(Variable variable) {
    try {
      Object fill =
          io.arraymorph.layout.cf.CfDecoding.raw(variable.array().schema().dataType())
              .decode(variable.array().schema().fill())
              .valueAt(0);
      return fill instanceof byte[] ? Arrays.toString((byte[]) fill) : String.valueOf(fill);
    } catch (io.arraymorph.ArrayMorphException e) {
      return ""; // A time beyond what SQL can hold is still no reason not to read the array.
    }
  }

  /** The names of the packed dimensions, in order. */
  List<String> packedNames() {
    List<String> names = new ArrayList<>();
    for (int d = 0; d < packed.size(); d++) {
      if (packed.get(d)) {
        names.add(dataset.dimensions().get(d).name());
      }
    }
    return names;
  }

  /** The columns that are there when asked for by name. */
  public MetadataColumn[] metadataColumns() {
    List<MetadataColumn> columns = new ArrayList<>();
    List<StructField> positions = new ArrayList<>();
    List<StructField> coordinates = new ArrayList<>();
    for (Dimension dimension : dataset.dimensions()) {
      positions.add(field(dimension.name(), DataTypes.LongType, false));
      if (packedNames().contains(dimension.name())) {
        ArrayType list = DataTypes.createArrayType(SparkTypes.of(dimension.type()), true);
        coordinates.add(field(dimension.name(), list, false));
      }
    }
    if (!positions.isEmpty()) {
      columns.add(
          new Column(
              INDEX,
              DataTypes.createStructType(positions),
              "position of the row's first cell along each dimension"));
    }
    if (!coordinates.isEmpty()) {
      columns.add(
          new Column(
              COORDINATES,
              DataTypes.createStructType(coordinates),
              "coordinates of the row's cells along each packed dimension"));
    }
    columns.add(new Column(CHUNK, DataTypes.StringType, "chunk that holds the row's first cell"));
    return columns.toArray(MetadataColumn[]::new);
  }

  /** What is read for columns: in rows of cells also coordinates along several dimensions. */
  List<Variable> variables() {
    List<Variable> variables = new ArrayList<>(dataset.variables());
    if (cells) {
      variables.addAll(dataset.coordinateVariables());
    }
    return variables;
  }

  /** The variable of a column, if it is one. */
  Optional<Variable> variable(String column) {
    return variables().stream().filter(v -> v.name().equals(column)).findFirst();
  }

  private record Column(String name, DataType dataType, String comment) implements MetadataColumn {
    @Override
    public boolean isNullable() {
      return false;
    }
  }
}
