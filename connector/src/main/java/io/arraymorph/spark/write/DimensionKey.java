package io.arraymorph.spark.write;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;

/**
 * The values of a dimension column as they are compared: whole numbers, floating point numbers or
 * text; times are microseconds since 1970 (as a whole number).
 */
enum DimensionKey {
  LONG,
  DOUBLE,
  TEXT;

  /** True for types whose values are positions where there is no coordinate. */
  static boolean isIndex(DataType type) {
    return type instanceof ByteType
        || type instanceof ShortType
        || type instanceof IntegerType
        || type instanceof LongType;
  }

  /**
   * The kind of keys of a column type.
   *
   * @throws ArrayMorphException UNSUPPORTED_TYPE for types that cannot be a coordinate
   */
  static DimensionKey of(String dimension, DataType type) {
    if (isIndex(type)
        || type.equals(DataTypes.TimestampType)
        || type.equals(DataTypes.TimestampNTZType)
        || type.equals(DataTypes.DateType)) {
      return LONG;
    } else if (type.equals(DataTypes.FloatType) || type.equals(DataTypes.DoubleType)) {
      return DOUBLE;
    } else if (type instanceof StringType) {
      return TEXT;
    }
    throw new ArrayMorphException(
        ErrorCode.UNSUPPORTED_TYPE,
        "dimension column " + dimension + " has type " + type.simpleString(),
        "Give an integer index, or coordinates that are numbers, text, dates or timestamps");
  }

  /** The SQL expression of the key of a value that another expression gives. */
  static String expression(String value, DataType type) {
    if (isIndex(type)) {
      return "CAST(" + value + " AS BIGINT)";
    } else if (type.equals(DataTypes.TimestampType)) {
      return "unix_micros(" + value + ")";
    } else if (type.equals(DataTypes.DateType)) {
      return "(unix_date(" + value + ") * 86400000000L)";
    } else if (type.equals(DataTypes.TimestampNTZType)) {
      // No function counts from 1970 without a time zone; the parts of the time do.
      return String.format(
          "(unix_date(CAST(%1$s AS DATE)) * 86400000000L + hour(%1$s) * 3600000000L"
              + " + minute(%1$s) * 60000000L"
              + " + CAST(extract(SECOND FROM %1$s) * 1000000 AS BIGINT))",
          value);
    } else if (type instanceof StringType) {
      return value;
    }
    // Adding zero makes -0.0 and 0.0 one key.
    return "(CAST(" + value + " AS DOUBLE) + 0D)";
  }
}
