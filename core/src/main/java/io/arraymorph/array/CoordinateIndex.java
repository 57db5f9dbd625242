package io.arraymorph.array;

import io.arraymorph.array.OrderedKeys.Bound;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntToLongFunction;
import java.util.function.LongPredicate;

/**
 * The values along one dimension, answering which indices satisfy a comparison: exactly what SQL
 * answers row by row.
 *
 * <p>Order is that of Spark: NaN equals NaN and is above every number, -0.0 equals 0.0, NULL
 * satisfies no comparison, texts compare by unsigned bytes. Numbers of different types compare by
 * their exact value; where SQL would first cast the coordinate to double, compare through {@link
 * #asDouble()}. A coordinate in ascending or descending order without NULLs answers by binary
 * search, any other by a scan.
 *
 * <p>Constants are Long, Integer, Short, Byte, BigInteger, BigDecimal, Double or Float for numbers;
 * Long microseconds for instants; Boolean; String or byte[]. Another type fails with TYPE_MISMATCH.
 *
 * <p>Immutable and thread-safe. Values are read through the functions given, which must keep
 * answering the same.
 */
public final class CoordinateIndex {

  /** How a coordinate compares with a constant. */
  public enum Comparison {
    EQ,
    LT,
    LE,
    GT,
    GE
  }

  /** How the values follow each other. */
  public enum Order {
    /** Each value is at least the one before; no NULL. */
    ASCENDING,
    /** Each value is at most the one before, and not all are equal; no NULL. */
    DESCENDING,
    /** Anything else. */
    UNORDERED
  }

  private final long length;
  private final OrderedKeys keys;
  private final LongPredicate isNull;
  private final Order order;

  private CoordinateIndex(long length, OrderedKeys keys, LongPredicate isNull, Order order) {
    this.length = length;
    this.keys = keys;
    this.isNull = isNull;
    this.order = order;
  }

  private static CoordinateIndex of(int length, OrderedKeys keys, IntPredicate isNull) {
    LongPredicate isNullAt = i -> isNull.test((int) i);
    return new CoordinateIndex(length, keys, isNullAt, orderOf(length, keys, isNullAt));
  }

  /** The indices themselves, {@code 0 .. length - 1}: a dimension without coordinate. */
  public static CoordinateIndex ofRange(long length) {
    return new CoordinateIndex(
        length, new OrderedKeys.Longs(i -> i), CoordinateIndex::never, Order.ASCENDING);
  }

  /** Signed integers or instants; {@code isNull} tells which indices hold NULL. */
  public static CoordinateIndex ofLongs(int length, IntToLongFunction values, IntPredicate isNull) {
    return of(length, new OrderedKeys.Longs(i -> values.applyAsLong((int) i)), isNull);
  }

  /** Signed integers or instants, none NULL. */
  public static CoordinateIndex ofLongs(long... values) {
    return ofLongs(values.length, i -> values[i], CoordinateIndex::never);
  }

  /** Unsigned 64-bit integers given as their bits. */
  public static CoordinateIndex ofUnsignedLongs(
      int length, IntToLongFunction bits, IntPredicate isNull) {
    return of(length, new OrderedKeys.UnsignedLongs(i -> bits.applyAsLong((int) i)), isNull);
  }

  /** Floating point numbers; binary32 is widened by the caller, which loses nothing. */
  public static CoordinateIndex ofDoubles(
      int length, IntToDoubleFunction values, IntPredicate isNull) {
    return of(length, new OrderedKeys.Doubles(i -> values.applyAsDouble((int) i)), isNull);
  }

  /** Floating point numbers, none NULL. */
  public static CoordinateIndex ofDoubles(double... values) {
    return ofDoubles(values.length, i -> values[i], CoordinateIndex::never);
  }

  /** Truth values; false is below true. */
  public static CoordinateIndex ofBooleans(int length, IntPredicate values, IntPredicate isNull) {
    return ofLongs(length, i -> values.test(i) ? 1 : 0, isNull);
  }

  /** Texts in UTF-8, or bytes. */
  public static CoordinateIndex ofBytes(
      int length, IntFunction<byte[]> values, IntPredicate isNull) {
    return of(length, new TextKeys(length, values, isNull), isNull);
  }

  /** The number of indices. */
  public long length() {
    return length;
  }

  /** How the values follow each other. */
  public Order order() {
    return order;
  }

  /**
   * The same numbers as SQL compares them after {@code CAST(.. AS DOUBLE)}: integers above 2^53
   * rounded to nearest. Fails for texts.
   */
  public CoordinateIndex asDouble() {
    // Rounding keeps the order, if not every difference.
    return keys instanceof OrderedKeys.Doubles
        ? this
        : new CoordinateIndex(length, keys.asDouble(), isNull, order);
  }

  /** The indices whose value compares so with the constant; none for a null constant. */
  public IndexSet where(Comparison comparison, Object constant) {
    if (constant == null) {
      return IndexSet.EMPTY;
    }
    Bound bound = keys.bound(normalised(constant));
    long floor = bound.floor();
    switch (comparison) {
      case EQ:
        return bound.isExact() ? between(floor, floor) : IndexSet.EMPTY;
      case LE:
        return bound.isBelow() ? IndexSet.EMPTY : between(Long.MIN_VALUE, floor);
      case LT:
        if (bound.isBelow() || (bound.isExact() && floor == Long.MIN_VALUE)) {
          return IndexSet.EMPTY;
        }
        return between(Long.MIN_VALUE, bound.isExact() ? floor - 1 : floor);
      case GE:
        if (bound.isBelow() || bound.isExact()) {
          return between(bound.isBelow() ? Long.MIN_VALUE : floor, Long.MAX_VALUE);
        }
        return above(floor);
      default:
        return bound.isBelow() ? isNotNull() : above(floor);
    }
  }

  /** The indices whose value equals one of the constants; nulls among them match nothing. */
  public IndexSet in(Collection<?> constants) {
    long[] wanted =
        constants.stream()
            .filter(c -> c != null)
            .map(c -> keys.bound(normalised(c)))
            .filter(Bound::isExact)
            .mapToLong(Bound::floor)
            .sorted()
            .distinct()
            .toArray();
    if (order == Order.UNORDERED) {
      return matching(i -> !isNull.test(i) && Arrays.binarySearch(wanted, keys.key(i)) >= 0);
    }
    List<IndexRange> ranges = new ArrayList<>();
    for (long key : wanted) {
      ranges.addAll(between(key, key).ranges());
    }
    return IndexSet.of(ranges);
  }

  /** The indices that hold NULL. */
  public IndexSet isNull() {
    return order == Order.UNORDERED ? matching(isNull) : IndexSet.EMPTY;
  }

  /** The indices that hold a value. */
  public IndexSet isNotNull() {
    return order == Order.UNORDERED ? matching(isNull.negate()) : IndexSet.all(length);
  }

  /**
   * The indices whose instant has a date part that satisfies the predicate, as {@code year(time) =
   * 2020}; for coordinates of microseconds since 1970.
   *
   * @param zone the session's time zone for instants; UTC for times of no zone
   */
  public IndexSet wherePart(DatePart part, ZoneId zone, LongPredicate predicate) {
    if (!(keys instanceof OrderedKeys.Longs)) {
      throw new IllegalStateException("only instants have date parts");
    }
    return matching(i -> !isNull.test(i) && predicate.test(part.of(keys.key(i), zone)));
  }

  /** These ascending indices, none of which holds NULL, in ascending order of their values. */
  public long[] ascending(long... indices) {
    long[] sorted = indices.clone();
    if (order == Order.DESCENDING) {
      for (int i = 0; i < sorted.length; i++) {
        sorted[i] = indices[indices.length - 1 - i];
      }
    } else if (order == Order.UNORDERED) {
      Long[] boxed = Arrays.stream(indices).boxed().toArray(Long[]::new);
      Arrays.sort(boxed, (a, b) -> Long.compare(keys.key(a), keys.key(b)));
      Arrays.setAll(sorted, i -> boxed[i]);
    }
    return sorted;
  }

  /** True if two indices, none of which holds NULL, hold equal values. */
  public boolean isEqual(long one, long other) {
    return keys.key(one) == keys.key(other);
  }

  /** The first index of the least value, if any value is not NULL. */
  public OptionalLong indexOfMinimum() {
    return extreme(1);
  }

  /** The first index of the greatest value (NaN if there is one), if any value is not NULL. */
  public OptionalLong indexOfMaximum() {
    return extreme(-1);
  }

  private OptionalLong extreme(int sign) {
    if (order != Order.UNORDERED && length > 0) {
      return firstEqualTo((order == Order.ASCENDING) == (sign > 0) ? 0 : length - 1);
    }
    long best = -1;
    for (long i = 0; i < length; i++) {
      if (!isNull.test(i) && (best < 0 || sign * Long.compare(keys.key(i), keys.key(best)) < 0)) {
        best = i;
      }
    }
    return best < 0 ? OptionalLong.empty() : OptionalLong.of(best);
  }

  private OptionalLong firstEqualTo(long i) {
    long key = keys.key(i);
    return OptionalLong.of(between(key, key).first());
  }

  private static boolean never(long i) {
    return false;
  }

  private static Object normalised(Object constant) {
    return constant instanceof Boolean ? ((Boolean) constant ? 1L : 0L) : constant;
  }

  private IndexSet above(long key) {
    return key == Long.MAX_VALUE ? IndexSet.EMPTY : between(key + 1, Long.MAX_VALUE);
  }

  /** The indices whose key is in {@code [low, high]}, both included. */
  private IndexSet between(long low, long high) {
    switch (order) {
      case ASCENDING:
        return range(firstWhere(i -> keys.key(i) >= low), firstWhere(i -> keys.key(i) > high));
      case DESCENDING:
        return range(firstWhere(i -> keys.key(i) <= high), firstWhere(i -> keys.key(i) < low));
      default:
        return matching(
            i -> {
              if (isNull.test(i)) {
                return false;
              }
              long key = keys.key(i);
              return low <= key && key <= high;
            });
    }
  }

  private static IndexSet range(long from, long to) {
    return IndexSet.of(List.of(IndexRange.of(from, to)));
  }

  /** The first index for which a condition holds that stays true once it is true. */
  private long firstWhere(LongPredicate condition) {
    long low = 0;
    long high = length;
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (condition.test(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private IndexSet matching(LongPredicate condition) {
    IndexRuns runs = new IndexRuns();
    for (long i = 0; i < length; i++) {
      if (condition.test(i)) {
        runs.add(i);
      }
    }
    return IndexSet.of(runs.ranges());
  }

  private static Order orderOf(int length, OrderedKeys keys, LongPredicate isNull) {
    boolean ascending = true;
    boolean descending = true;
    for (int i = 0; i < length; i++) {
      if (isNull.test(i)) {
        return Order.UNORDERED;
      }
      if (i > 0) {
        int step = Long.compare(keys.key(i), keys.key(i - 1));
        ascending &= step >= 0;
        descending &= step <= 0;
      }
    }
    if (ascending) {
      return Order.ASCENDING;
    }
    return descending ? Order.DESCENDING : Order.UNORDERED;
  }
}
