package io.arraymorph.spark.delta;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.TimeUnit64;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * What the columns of a DataFrame mean when it is saved as a tensor.
 *
 * @param dimensions names of the dimension columns, in axis order
 * @param value name of the value column
 * @param valueType its Spark type; of the elements if {@code tensors}
 * @param tensors true if values are tensors, {@code STRUCT<data, shape>}
 */
record TensorInput(
    List<String> dimensions,
    String value,
    org.apache.spark.sql.types.DataType valueType,
    boolean tensors)
    implements Serializable {

  static TensorInput of(StructType schema, Optional<List<String>> dims) {
    List<String> names = Arrays.asList(schema.fieldNames());
    List<String> dimensions =
        new ArrayList<>(dims.orElse(names.subList(0, Math.max(0, names.size() - 1))));
    List<String> values = new ArrayList<>(names);
    values.removeAll(dimensions);
    if (values.size() != 1 || names.size() != dimensions.size() + 1) {
      throw new ArrayMorphException(
          ErrorCode.SHAPE_MISMATCH,
          "columns " + names + " with dimensions " + dimensions + " do not leave one value column",
          "Select the dimensions and one value; option dims names the dimensions");
    }
    for (String dimension : dimensions) {
      org.apache.spark.sql.types.DataType type = schema.apply(dimension).dataType();
      if (!type.equals(DataTypes.LongType)
          && !type.equals(DataTypes.IntegerType)
          && !type.equals(DataTypes.ShortType)
          && !type.equals(DataTypes.ByteType)) {
        throw new ArrayMorphException(
            ErrorCode.TYPE_MISMATCH,
            "dimension " + dimension + " is of type " + type.catalogString(),
            "Cells of a tensor are placed by integer indices from 0");
      }
    }
    StructField value = schema.apply(values.get(0));
    boolean tensors = isTensor(value.dataType());
    org.apache.spark.sql.types.DataType element =
        tensors
            ? ((ArrayType) ((StructType) value.dataType()).apply("data").dataType()).elementType()
            : value.dataType();
    elementType(element, value.name());
    return new TensorInput(dimensions, value.name(), element, tensors);
  }

  private static boolean isTensor(org.apache.spark.sql.types.DataType type) {
    if (!(type instanceof StructType)) {
      return false;
    }
    List<String> fields = Arrays.asList(((StructType) type).fieldNames());
    return fields.equals(List.of("data", "shape"))
        && ((StructType) type).apply("data").dataType() instanceof ArrayType;
  }

  /** The element type in the table. */
  DataType elementType() {
    return elementType(valueType, value);
  }

  private static DataType elementType(org.apache.spark.sql.types.DataType type, String name) {
    switch (type.catalogString()) {
      case "boolean":
        return new DataType.Bool();
      case "tinyint":
        return new DataType.Int(8, true);
      case "smallint":
        return new DataType.Int(16, true);
      case "int":
        return new DataType.Int(32, true);
      case "bigint":
        return new DataType.Int(64, true);
      case "float":
        return new DataType.Float(FloatFormat.FLOAT32);
      case "double":
        return new DataType.Float(FloatFormat.FLOAT64);
      case "string":
        return new DataType.VariableString();
      case "binary":
        return new DataType.VariableBytes();
      case "timestamp":
      case "timestamp_ntz":
        return new DataType.DateTime64(TimeUnit64.MICROSECOND, 1);
      default:
        throw new ArrayMorphException(
            ErrorCode.UNSUPPORTED_TYPE,
            "column " + name + " is of type " + type.catalogString(),
            "Cast it to a number, boolean, timestamp, string or binary");
    }
  }
}
