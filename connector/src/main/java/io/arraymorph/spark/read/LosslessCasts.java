package io.arraymorph.spark.read;

import io.arraymorph.array.CoordinateIndex;
import java.util.Optional;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;

/** Casts of a column that a comparison above them may look through. */
final class LosslessCasts {
  private static final long EXACT_IN_DOUBLE = 1L << 53;
  private static final long EXACT_IN_FLOAT = 1L << 24;

  private LosslessCasts() {}

  /**
   * A column that compares with constants as the cast column does; empty unless the cast changes no
   * value, or changes it in a way that is known here (large integers to DOUBLE).
   */
  static Optional<IndexedColumn> through(IndexedColumn column, DataType to) {
    if (column.type().equals(to)) {
      return Optional.of(column);
    }
    if (column instanceof IndexColumn) {
      return Optional.of(column).filter(c -> holds(to, c.length()));
    }
    if (column instanceof CoordinateColumn && to instanceof DoubleType && isLarge(column.type())) {
      CoordinateColumn c = (CoordinateColumn) column;
      return Optional.of(
          new CoordinateColumn(c.dimension(), c.length(), to, () -> asDouble(c.index().get())));
    }
    return Optional.of(column).filter(c -> keepsValues(c.type(), to));
  }

  private static CoordinateIndex asDouble(CoordinateIndex index) {
    return index.asDouble();
  }

  private static boolean isLarge(DataType type) {
    return type instanceof LongType || type instanceof DecimalType;
  }

  /** True if a type holds every integer below {@code end}. */
  private static boolean holds(DataType type, long end) {
    if (type instanceof DoubleType) {
      return end <= EXACT_IN_DOUBLE;
    }
    if (type instanceof FloatType) {
      return end <= EXACT_IN_FLOAT;
    }
    if (type instanceof IntegerType) {
      return end <= Integer.MAX_VALUE;
    }
    return type instanceof DecimalType
        && wholeDigits((DecimalType) type) >= Long.toString(end).length();
  }

  /** True if every value of a type is the same value in another. */
  static boolean keepsValues(DataType from, DataType to) {
    if (from instanceof FloatType) {
      return to instanceof DoubleType;
    }
    if (from instanceof DecimalType) {
      return to instanceof DecimalType
          && wholeDigits((DecimalType) to) >= wholeDigits((DecimalType) from)
          && ((DecimalType) to).scale() >= ((DecimalType) from).scale();
    }
    int digits = digits(from);
    if (digits == 0) {
      return false;
    }
    if (to instanceof DecimalType) {
      return wholeDigits((DecimalType) to) >= digits;
    }
    if (to instanceof DoubleType) {
      return digits <= 10;
    }
    if (to instanceof FloatType) {
      return digits <= 5;
    }
    return digits(to) >= digits;
  }

  private static int wholeDigits(DecimalType type) {
    return type.precision() - type.scale();
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
