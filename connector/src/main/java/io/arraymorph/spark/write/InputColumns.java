package io.arraymorph.spark.write;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * What the columns of a DataFrame that is to be written are: cells (dimension columns and value
 * columns) or tensor rows (dimension columns and tensor columns), told apart by their types.
 *
 * @param isTensors true if rows are tensors
 * @param dimensions names in axis order
 * @param dimensionFields the column of each dimension; none for one that every tensor row spans
 *     from its start
 * @param values the value or tensor columns
 * @param coordinates the column {@code _coords} of tensor rows, if there is one
 */
record InputColumns(
    boolean isTensors,
    List<String> dimensions,
    Map<String, StructField> dimensionFields,
    List<StructField> values,
    Optional<StructField> coordinates) {
  private static final String COORDINATES = "_coords";
  private static final Set<String> METADATA = Set.of(COORDINATES, "_index", "_chunk");

  /**
   * Tells the columns apart.
   *
   * @param existing dimension names of the array that is appended to or replaced
   * @throws ArrayMorphException UNKNOWN_DIMENSION, INVALID_OPTION or UNSUPPORTED_TYPE
   */
  static InputColumns of(StructType schema, WriteOptions options, Optional<List<String>> existing) {
    List<StructField> fields =
        Arrays.stream(schema.fields()).filter(f -> !METADATA.contains(f.name())).toList();
    List<StructField> tensors = fields.stream().filter(f -> isTensor(f.dataType())).toList();
    if (tensors.isEmpty()) {
      return cells(fields, options, existing);
    }
    Optional<StructField> coordinates =
        Arrays.stream(schema.fields()).filter(f -> f.name().equals(COORDINATES)).findFirst();
    return tensors(fields, tensors, options, existing, coordinates);
  }

  private static InputColumns cells(
      List<StructField> fields, WriteOptions options, Optional<List<String>> existing) {
    List<String> dims =
        options
            .dims()
            .or(() -> existing.filter(names -> hasAll(fields, names)))
            .orElseGet(() -> leading(fields, options));
    Map<String, StructField> dimensionFields = new LinkedHashMap<>();
    for (String dim : dims) {
      dimensionFields.put(dim, require(fields, dim));
    }
    List<StructField> values =
        fields.stream().filter(field -> !dimensionFields.containsValue(field)).toList();
    if (values.isEmpty()) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          "all columns " + names(fields) + " are dimensions, none holds values",
          "Give the dimension columns in option dims, and at least one column more");
    }
    return new InputColumns(false, dims, dimensionFields, values, Optional.empty());
  }

  /**
   * The columns that are dimensions though nobody said so: all but the last, or as many as sizes.
   */
  private static List<String> leading(List<StructField> fields, WriteOptions options) {
    int count =
        options.shape().or(options::chunks).map(sizes -> sizes.rank()).orElse(fields.size() - 1);
    if (count < 0 || count >= fields.size()) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          "the columns " + names(fields) + " are too few for " + count + " dimensions and a value",
          "Give the dimension columns in option dims");
    }
    boolean guessed = options.shape().or(options::chunks).isEmpty();
    for (StructField field : fields.subList(0, count)) {
      boolean floating =
          field.dataType().equals(DataTypes.DoubleType)
              || field.dataType().equals(DataTypes.FloatType);
      if (guessed && floating) {
        throw new ArrayMorphException(
            ErrorCode.INVALID_OPTION,
            "column " + field.name() + " of " + names(fields) + " may be a dimension or a value",
            "Give the dimension columns in option dims, as time,lat,lon");
      }
    }
    return fields.subList(0, count).stream().map(StructField::name).toList();
  }

  private static InputColumns tensors(
      List<StructField> fields,
      List<StructField> tensors,
      WriteOptions options,
      Optional<List<String>> existing,
      Optional<StructField> coordinates) {
    List<String> leading =
        fields.stream()
            .takeWhile(field -> !isTensor(field.dataType()))
            .map(StructField::name)
            .toList();
    List<String> dims =
        options
            .dims()
            .or(() -> existing.filter(names -> names.containsAll(leading)))
            .or(() -> arrayDimensions(tensors.get(0)))
            .orElse(leading);
    Map<String, StructField> dimensionFields = new LinkedHashMap<>();
    for (String dim : dims) {
      find(fields, dim).ifPresent(field -> dimensionFields.put(dim, field));
    }
    for (StructField field : fields) {
      if (!isTensor(field.dataType()) && !dimensionFields.containsValue(field)) {
        throw new ArrayMorphException(
            ErrorCode.INVALID_OPTION,
            "column "
                + field.name()
                + " is neither one of the dimensions "
                + dims
                + " nor a tensor",
            "Drop the column, or name all dimensions in option dims");
      }
    }
    return new InputColumns(true, dims, dimensionFields, tensors, coordinates);
  }

  /** The dimensions of the array that a tensor column was read from, all in axis order. */
  private static Optional<List<String>> arrayDimensions(StructField tensor) {
    return tensor.metadata().contains("array_dimensions")
        ? Optional.of(List.of(tensor.metadata().getStringArray("array_dimensions")))
        : Optional.empty();
  }

  /** The dimensions that a tensor column's own axes are, if it says so. */
  Optional<List<String>> packed() {
    StructField tensor = values.get(0);
    return isTensors && tensor.metadata().contains("dimension_names")
        ? Optional.of(List.of(tensor.metadata().getStringArray("dimension_names")))
        : Optional.empty();
  }

  /** Makes the dimensions known by names for tensor axes that have none. */
  InputColumns withDimensions(List<String> all) {
    return new InputColumns(isTensors, all, dimensionFields, values, coordinates);
  }

  /** The type of the values, of the elements for tensors. */
  static DataType elementType(StructField value) {
    return isTensor(value.dataType())
        ? ((ArrayType) ((StructType) value.dataType()).apply("data").dataType()).elementType()
        : value.dataType();
  }

  /** True if a value or an element of a tensor may be NULL. */
  static boolean hasNulls(StructField value) {
    return isTensor(value.dataType())
        ? ((ArrayType) ((StructType) value.dataType()).apply("data").dataType()).containsNull()
        : value.nullable();
  }

  /** True for {@code STRUCT<data: ARRAY<..>, shape: ARRAY<INT>>}. */
  static boolean isTensor(DataType type) {
    if (!(type instanceof StructType) || ((StructType) type).fields().length != 2) {
      return false;
    }
    List<String> names = List.of(((StructType) type).fieldNames());
    if (!names.contains("data") || !names.contains("shape")) {
      return false;
    }
    DataType data = ((StructType) type).apply("data").dataType();
    DataType shape = ((StructType) type).apply("shape").dataType();
    return data instanceof ArrayType
        && shape instanceof ArrayType
        && (((ArrayType) shape).elementType().equals(DataTypes.IntegerType)
            || ((ArrayType) shape).elementType().equals(DataTypes.LongType));
  }

  private static boolean hasAll(List<StructField> fields, List<String> names) {
    return names.stream().allMatch(name -> find(fields, name).isPresent());
  }

  private static Optional<StructField> find(List<StructField> fields, String name) {
    Optional<StructField> exact = fields.stream().filter(f -> f.name().equals(name)).findFirst();
    return exact.or(() -> fields.stream().filter(f -> f.name().equalsIgnoreCase(name)).findFirst());
  }

  private static StructField require(List<StructField> fields, String dim) {
    return find(fields, dim)
        .orElseThrow(
            () ->
                new ArrayMorphException(
                    ErrorCode.UNKNOWN_DIMENSION,
                    "dimension " + dim + " is not among the columns " + names(fields),
                    "Name columns of the DataFrame in option dims"));
  }

  private static List<String> names(List<StructField> fields) {
    return new ArrayList<>(fields.stream().map(StructField::name).toList());
  }
}
