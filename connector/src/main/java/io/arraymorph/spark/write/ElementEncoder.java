package io.arraymorph.spark.write;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import io.arraymorph.array.TimeUnit64;
import io.arraymorph.layout.zarr.write.OpenChunk;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StringType;

/**
 * Turns Spark's values of one column into elements, one by one or an array at a time, without
 * boxing.
 */
abstract class ElementEncoder {
  private final String column;

  ElementEncoder(String column) {
    this.column = column;
  }

  /** Whether values of a Spark type can be stored as elements of a type, each checked to fit. */
  static boolean fits(org.apache.spark.sql.types.DataType type, DataType stored) {
    if (stored instanceof DataType.Bool) {
      return type.equals(DataTypes.BooleanType);
    } else if (stored instanceof DataType.Int) {
      return ((DataType.Int) stored).bits() >= 8 && isInteger(type);
    } else if (stored instanceof DataType.Float) {
      FloatFormat format = ((DataType.Float) stored).format();
      return format == FloatFormat.FLOAT64
          ? type.equals(DataTypes.DoubleType) || type.equals(DataTypes.FloatType)
          : format == FloatFormat.FLOAT32 && type.equals(DataTypes.FloatType);
    } else if (stored instanceof DataType.VariableString) {
      return type instanceof StringType;
    } else if (stored instanceof DataType.VariableBytes) {
      return type.equals(DataTypes.BinaryType);
    } else if (stored instanceof DataType.DateTime64) {
      DataType.DateTime64 time = (DataType.DateTime64) stored;
      return type.equals(DataTypes.TimestampNTZType)
          && time.unit() == TimeUnit64.MICROSECOND
          && time.scale() == 1;
    } else if (stored instanceof DataType.TimeDelta64) {
      DataType.TimeDelta64 time = (DataType.TimeDelta64) stored;
      return type instanceof DayTimeIntervalType
          && time.unit() == TimeUnit64.MICROSECOND
          && time.scale() == 1;
    }
    return false;
  }

  private static boolean isInteger(org.apache.spark.sql.types.DataType type) {
    return type.equals(DataTypes.ByteType)
        || type.equals(DataTypes.ShortType)
        || type.equals(DataTypes.IntegerType)
        || type.equals(DataTypes.LongType)
        || type.equals(DataTypes.DateType)
        || type.equals(DataTypes.TimestampType)
        || isUnsigned(type);
  }

  private static boolean isUnsigned(org.apache.spark.sql.types.DataType type) {
    return type instanceof DecimalType
        && ((DecimalType) type).scale() == 0
        && ((DecimalType) type).precision() == 20;
  }

  /**
   * The encoder of a column.
   *
   * @throws ArrayMorphException TYPE_MISMATCH if values of that type cannot be stored so
   */
  static ElementEncoder of(
      String column, org.apache.spark.sql.types.DataType type, DataType stored) {
    if (!fits(type, stored)) {
      throw new ArrayMorphException(
          ErrorCode.TYPE_MISMATCH,
          "column "
              + column
              + " has type "
              + type.simpleString()
              + ", the array has "
              + stored.zarrName(),
          "Cast the column to the type of the array");
    }
    if (stored.isFixedWidth()) {
      return new FixedWidthEncoder(column, SourceType.of(type), stored);
    }
    return new TextEncoder(column, stored);
  }

  /** The name of the column, for messages. */
  String column() {
    return column;
  }

  /** Stores a value that is not NULL in a cell. */
  abstract void set(SpecializedGetters row, int ordinal, OpenChunk chunk, int offset);

  /** All values of an array, none of which is NULL, as elements of a shape. */
  abstract Elements elements(ArrayData values, Shape shape);

  /** As {@link #elements}, with {@code fill} (one element) for each NULL. */
  abstract Elements elementsOr(ArrayData values, Shape shape, Elements fill);
}
