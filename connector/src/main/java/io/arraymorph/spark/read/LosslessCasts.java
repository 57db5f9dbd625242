package io.arraymorph.spark.read;

import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;

/** Which casts of a column change no value, so that a comparison above them may look through. */
final class LosslessCasts {
  private static final long EXACT_IN_DOUBLE = 1L << 53;

  private LosslessCasts() {}

  /**
   * True if every value of a column becomes the same number in the other type.
   *
   * @param length for a BIGINT index column, one more than its greatest value
   */
  static boolean keepsOrder(DataType from, DataType to, long length) {
    if (from.equals(to)) {
      return true;
    }
    if (from instanceof FloatType) {
      return to instanceof DoubleType;
    }
    int digits = digits(from);
    if (digits == 0) {
      return false;
    }
    if (to instanceof DecimalType) {
      DecimalType decimal = (DecimalType) to;
      return decimal.precision() - decimal.scale() >= digits;
    }
    if (to instanceof DoubleType) {
      return digits <= 10;
    }
    if (to instanceof FloatType) {
      return digits <= 5;
    }
    return digits(to) >= digits && length < EXACT_IN_DOUBLE;
  }

  /** Decimal digits of an integer type, 0 for others. */
  private static int digits(DataType type) {
    if (type instanceof ByteType) {
      return 3;
    }
    if (type instanceof ShortType) {
      return 5;
    }
    if (type instanceof IntegerType) {
      return 10;
    }
    return type instanceof LongType ? 19 : 0;
  }
}
