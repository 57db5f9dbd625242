package io.arraymorph.spark.read;

import io.arraymorph.layout.column.ColumnType.Scalar;
import java.io.Serializable;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * One aggregate that is computed on the buffers of chunks.
 *
 * @param kind what is computed
 * @param input position among the inputs of the plan, -1 if none is needed
 * @param type of the input's values, null if none is needed
 */
record Measure(Kind kind, int input, Scalar type) implements Serializable {

  /** The aggregate functions. */
  enum Kind {
    /** COUNT(*), or of a column that is never NULL. */
    COUNT_ALL,
    /** COUNT of a column. */
    COUNT,
    SUM,
    MIN,
    MAX
  }

  /** The number of cells. */
  static final Measure COUNT_ALL = new Measure(Kind.COUNT_ALL, -1, null);

  /** True if values are accumulated as double, false if as long. */
  boolean isFloating() {
    return type == Scalar.FLOAT || type == Scalar.DOUBLE;
  }

  /** True if longs are unsigned 64-bit integers. */
  boolean isUnsigned() {
    return type == Scalar.DECIMAL20;
  }

  /** True if the result is a number of cells, which is never NULL. */
  boolean isCount() {
    return kind == Kind.COUNT_ALL || kind == Kind.COUNT;
  }

  /** True if this function can be computed here for values of a type, with the result of Spark. */
  static boolean isPossible(Kind kind, Scalar type) {
    switch (kind) {
      case COUNT_ALL:
      case COUNT:
        return true;
      case SUM:
        return type == Scalar.BYTE
            || type == Scalar.SHORT
            || type == Scalar.INT
            || type == Scalar.LONG
            || type == Scalar.DECIMAL20
            || type == Scalar.FLOAT
            || type == Scalar.DOUBLE;
      default:
        return type.byteWidth() > 0 && type != Scalar.BOOLEAN;
    }
  }

  /** The type of the partial result, which Spark aggregates further. */
  DataType resultType() {
    switch (kind) {
      case COUNT_ALL:
      case COUNT:
        return DataTypes.LongType;
      case SUM:
        return isFloating()
            ? DataTypes.DoubleType
            : isUnsigned() ? SparkTypes.of(type) : DataTypes.LongType;
      default:
        return SparkTypes.of(type);
    }
  }
}
