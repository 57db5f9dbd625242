package io.arraymorph.spark.write;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;

/** The physical types in which Spark holds values of fixed width. */
enum SourceType {
  BOOLEAN(1),
  BYTE(1),
  SHORT(2),
  INT(4),
  LONG(8),
  FLOAT(4),
  DOUBLE(8),
  /** {@code DECIMAL(20,0)}: an unsigned 64-bit integer. */
  DECIMAL(16);

  private final int byteWidth;

  SourceType(int byteWidth) {
    this.byteWidth = byteWidth;
  }

  /** Bytes of one value in Spark's arrays. */
  int byteWidth() {
    return byteWidth;
  }

  static SourceType of(DataType type) {
    if (type.equals(DataTypes.BooleanType)) {
      return BOOLEAN;
    } else if (type.equals(DataTypes.ByteType)) {
      return BYTE;
    } else if (type.equals(DataTypes.ShortType)) {
      return SHORT;
    } else if (type.equals(DataTypes.IntegerType) || type.equals(DataTypes.DateType)) {
      return INT;
    } else if (type.equals(DataTypes.FloatType)) {
      return FLOAT;
    } else if (type.equals(DataTypes.DoubleType)) {
      return DOUBLE;
    } else if (type instanceof DecimalType) {
      return DECIMAL;
    }
    return LONG;
  }
}
