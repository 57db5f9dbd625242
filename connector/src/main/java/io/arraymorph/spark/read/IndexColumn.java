package io.arraymorph.spark.read;

import io.arraymorph.array.IndexRange;
import io.arraymorph.array.IndexSet;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Optional;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;

/**
 * The BIGINT position along a dimension: the column of a dimension without coordinate, and a field
 * of {@code _index}.
 */
record IndexColumn(int dimension, long length) implements IndexedColumn {

  @Override
  public DataType type() {
    return DataTypes.LongType;
  }

  @Override
  public IndexSet nulls() {
    return IndexSet.EMPTY;
  }

  @Override
  public Optional<IndexSet> matching(Comparison comparison, Object constant, DataType type) {
    if (constant instanceof Double || constant instanceof Float) {
      double value = ((Number) constant).doubleValue();
      if (Double.isNaN(value) || Double.isInfinite(value)) {
        // NaN is above every number.
        boolean below = value != Double.NEGATIVE_INFINITY;
        boolean less = comparison == Comparison.LT || comparison == Comparison.LE;
        boolean all = comparison != Comparison.EQ && less == below;
        return Optional.of(all ? IndexSet.all(length) : IndexSet.EMPTY);
      }
      return Optional.of(compare(comparison, new BigDecimal(value)));
    }
    if (constant instanceof Decimal) {
      return Optional.of(compare(comparison, ((Decimal) constant).toJavaBigDecimal()));
    }
    boolean integral =
        constant instanceof Long
            || constant instanceof Integer
            || constant instanceof Short
            || constant instanceof Byte;
    return integral
        ? Optional.of(compare(comparison, BigDecimal.valueOf(((Number) constant).longValue())))
        : Optional.empty();
  }

  private IndexSet compare(Comparison comparison, BigDecimal value) {
    BigInteger floor = value.setScale(0, RoundingMode.FLOOR).toBigIntegerExact();
    BigInteger ceiling = value.setScale(0, RoundingMode.CEILING).toBigIntegerExact();
    switch (comparison) {
      case EQ:
        return floor.equals(ceiling) ? range(floor, floor.add(BigInteger.ONE)) : IndexSet.EMPTY;
      case LT:
        return range(BigInteger.ZERO, ceiling);
      case LE:
        return range(BigInteger.ZERO, floor.add(BigInteger.ONE));
      case GT:
        return range(floor.add(BigInteger.ONE), BigInteger.valueOf(length));
      default:
        return range(ceiling, BigInteger.valueOf(length));
    }
  }

  private IndexSet range(BigInteger from, BigInteger to) {
    BigInteger limit = BigInteger.valueOf(length);
    long first = from.max(BigInteger.ZERO).min(limit).longValueExact();
    long end = to.max(BigInteger.ZERO).min(limit).longValueExact();
    return IndexSet.of(IndexRange.of(first, end));
  }
}
