package io.arraymorph.spark.read;

import io.arraymorph.array.DatePart;
import io.arraymorph.array.IndexSet;
import java.time.ZoneId;
import java.util.Optional;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.NumericType;

/**
 * A part of the instants of a coordinate, as {@code year(time)}, in the session's time zone.
 *
 * @param part which part; {@link DatePart#EPOCH_DAY} stands for {@code CAST(time AS DATE)}
 * @param type what Spark takes the part for: INT, or DATE
 */
record DatePartColumn(CoordinateColumn instants, DatePart part, ZoneId zone, DataType type)
    implements IndexedColumn {

  @Override
  public int dimension() {
    return instants.dimension();
  }

  @Override
  public long length() {
    return instants.length();
  }

  @Override
  public IndexSet nulls() {
    return instants.nulls();
  }

  @Override
  public Optional<IndexSet> matching(Comparison comparison, Object constant, DataType type) {
    boolean whole =
        constant instanceof Integer
            || constant instanceof Long
            || constant instanceof Short
            || constant instanceof Byte;
    boolean comparable =
        this.type instanceof IntegerType ? type instanceof NumericType : type instanceof DateType;
    if (!whole || !comparable) {
      return Optional.empty();
    }
    long wanted = ((Number) constant).longValue();
    return Optional.of(
        instants
            .index()
            .get()
            .wherePart(part, zone, value -> holds(comparison, Long.compare(value, wanted))));
  }

  private static boolean holds(Comparison comparison, int sign) {
    switch (comparison) {
      case EQ:
        return sign == 0;
      case LT:
        return sign < 0;
      case LE:
        return sign <= 0;
      case GT:
        return sign > 0;
      default:
        return sign >= 0;
    }
  }

  /** The part that Spark's EXTRACT names so, if it is a whole number here. */
  static Optional<DatePart> named(String field) {
    switch (field) {
      case "YEAR":
      case "YEAR_OF_WEEK":
      case "QUARTER":
      case "MONTH":
      case "WEEK":
      case "DAY":
      case "DAY_OF_YEAR":
      case "DAY_OF_WEEK":
      case "HOUR":
      case "MINUTE":
      case "SECOND":
        return Optional.of(DatePart.valueOf(field));
      default:
        return Optional.empty();
    }
  }
}
