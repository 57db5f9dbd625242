package io.arraymorph.array;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.function.LongToDoubleFunction;
import java.util.function.LongUnaryOperator;

/**
 * The values along an axis as longs in the order of SQL: equal values have equal keys, a greater
 * value has a greater key.
 */
interface OrderedKeys {

  /** The key of value {@code i}, which is not NULL. */
  long key(long i);

  /** Where a constant lies among the keys of all values of the type. */
  Bound bound(Object constant);

  /** The same values cast to double, as SQL casts: rounded to nearest. */
  OrderedKeys asDouble();

  /**
   * A constant among keys.
   *
   * @param isBelow the constant is less than every value of the type; {@code floor} is meaningless
   * @param floor the key of the greatest value that is not above the constant
   * @param isExact that value equals the constant
   */
  record Bound(boolean isBelow, long floor, boolean isExact) {
    static final Bound BELOW_ALL = new Bound(true, 0, false);

    static Bound exact(long key) {
      return new Bound(false, key, true);
    }

    static Bound inexact(long floor) {
      return new Bound(false, floor, false);
    }
  }

  /** Signed integers and instants: each is its own key. */
  record Longs(LongUnaryOperator values) implements OrderedKeys {
    private static final BigDecimal MIN = BigDecimal.valueOf(Long.MIN_VALUE);
    private static final BigDecimal MAX = BigDecimal.valueOf(Long.MAX_VALUE);

    @Override
    public long key(long i) {
      return values.applyAsLong(i);
    }

    @Override
    public Bound bound(Object constant) {
      if (isIntegral(constant)) {
        return Bound.exact(((Number) constant).longValue());
      }
      return integerBound(constant, MIN, MAX, BigInteger::longValueExact, Long.MAX_VALUE);
    }

    @Override
    public OrderedKeys asDouble() {
      return new Doubles(i -> (double) values.applyAsLong(i));
    }
  }

  /** Unsigned 64-bit integers, given as their bits. */
  record UnsignedLongs(LongUnaryOperator bits) implements OrderedKeys {
    private static final BigDecimal MAX =
        new BigDecimal(BigInteger.TWO.pow(64).subtract(BigInteger.ONE));

    @Override
    public long key(long i) {
      return bits.applyAsLong(i) ^ Long.MIN_VALUE;
    }

    @Override
    public Bound bound(Object constant) {
      return integerBound(
          constant,
          BigDecimal.ZERO,
          MAX,
          value -> value.longValue() ^ Long.MIN_VALUE,
          Long.MAX_VALUE);
    }

    @Override
    public OrderedKeys asDouble() {
      return new Doubles(i -> toDouble(bits.applyAsLong(i)));
    }

    /** Rounds to nearest, ties to even: halving keeps the lost bit as a sticky bit. */
    private static double toDouble(long bits) {
      return bits >= 0 ? (double) bits : 2.0 * (double) ((bits >>> 1) | (bits & 1));
    }
  }

  /** Floating point numbers: -0.0 equals 0.0, NaN equals NaN and is above all others. */
  record Doubles(LongToDoubleFunction values) implements OrderedKeys {

    @Override
    public long key(long i) {
      return keyOf(values.applyAsDouble(i));
    }

    static long keyOf(double value) {
      long bits = Double.doubleToLongBits(value + 0.0);
      return bits ^ ((bits >> 63) & Long.MAX_VALUE);
    }

    @Override
    public Bound bound(Object constant) {
      if (constant instanceof Double || constant instanceof Float) {
        return Bound.exact(keyOf(((Number) constant).doubleValue()));
      }
      BigDecimal exact = decimal(constant);
      double nearest = exact.doubleValue();
      if (nearest == Double.NEGATIVE_INFINITY) {
        return Bound.inexact(keyOf(nearest));
      }
      if (nearest == Double.POSITIVE_INFINITY) {
        return Bound.inexact(keyOf(Double.MAX_VALUE));
      }
      int order = new BigDecimal(nearest).compareTo(exact);
      if (order == 0) {
        return Bound.exact(keyOf(nearest));
      }
      return Bound.inexact(keyOf(order < 0 ? nearest : Math.nextDown(nearest)));
    }

    @Override
    public OrderedKeys asDouble() {
      return this;
    }
  }

  private static boolean isIntegral(Object constant) {
    return constant instanceof Long
        || constant instanceof Integer
        || constant instanceof Short
        || constant instanceof Byte;
  }

  private static BigDecimal decimal(Object constant) {
    if (constant instanceof BigDecimal) {
      return (BigDecimal) constant;
    }
    if (constant instanceof BigInteger) {
      return new BigDecimal((BigInteger) constant);
    }
    if (isIntegral(constant)) {
      return BigDecimal.valueOf(((Number) constant).longValue());
    }
    throw mismatch(constant, "a number");
  }

  private static Bound integerBound(
      Object constant,
      BigDecimal min,
      BigDecimal max,
      java.util.function.ToLongFunction<BigInteger> key,
      long greatestKey) {
    BigDecimal exact;
    if (constant instanceof Double || constant instanceof Float) {
      double value = ((Number) constant).doubleValue();
      if (Double.isNaN(value) || value == Double.POSITIVE_INFINITY) {
        return Bound.inexact(greatestKey);
      }
      if (value == Double.NEGATIVE_INFINITY) {
        return Bound.BELOW_ALL;
      }
      exact = new BigDecimal(value);
    } else {
      exact = decimal(constant);
    }
    if (exact.compareTo(min) < 0) {
      return Bound.BELOW_ALL;
    }
    if (exact.compareTo(max) > 0) {
      return Bound.inexact(greatestKey);
    }
    BigInteger floor = exact.setScale(0, java.math.RoundingMode.FLOOR).toBigInteger();
    boolean isExact = new BigDecimal(floor).compareTo(exact) == 0;
    return new Bound(false, key.applyAsLong(floor), isExact);
  }

  /** The failure for a constant that cannot be compared with the values. */
  static ArrayMorphException mismatch(Object constant, String wanted) {
    return new ArrayMorphException(
        ErrorCode.TYPE_MISMATCH,
        "constant " + constant + " (" + constant.getClass().getSimpleName() + ") is not " + wanted,
        "Cast the constant to the type of the coordinate");
  }
}
