package io.arraymorph.spark.read;

import io.arraymorph.array.CoordinateIndex;
import io.arraymorph.array.IndexSet;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A column of coordinate values: that of a dimension, or an auxiliary coordinate along one.
 *
 * @param index answers comparisons; the values are read when it is first asked for
 */
record CoordinateColumn(int dimension, long length, DataType type, Supplier<CoordinateIndex> index)
    implements IndexedColumn {

  @Override
  public IndexSet nulls() {
    return index.get().isNull();
  }

  @Override
  public Optional<IndexSet> matching(Comparison comparison, Object constant, DataType type) {
    boolean comparable =
        type.equals(this.type) || (type instanceof NumericType && this.type instanceof NumericType);
    return comparable
        ? Optional.of(index.get().where(inCore(comparison), inCore(constant)))
        : Optional.empty();
  }

  /** Spark's internal form of a constant as {@link CoordinateIndex} takes it. */
  static Object inCore(Object constant) {
    if (constant instanceof Decimal) {
      return ((Decimal) constant).toJavaBigDecimal();
    }
    return constant instanceof UTF8String ? ((UTF8String) constant).getBytes() : constant;
  }

  private static CoordinateIndex.Comparison inCore(Comparison comparison) {
    return CoordinateIndex.Comparison.valueOf(comparison.name());
  }
}
