package io.arraymorph.array;

import io.arraymorph.array.CoordinateIndex.Comparison;
import io.arraymorph.array.OrderedKeys.Bound;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A set of numbers or instants that comparisons with constants describe, in SQL's order: NaN equals
 * NaN and is above every number, -0.0 equals 0.0.
 *
 * <p>Held as ascending disjoint closed intervals of keys: equal values have equal keys, a greater
 * value has a greater key. Immutable and serializable.
 */
public final class ValueSet implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final long NAN_KEY = OrderedKeys.Doubles.keyOf(Double.NaN);
  private static final long INFINITY_KEY = OrderedKeys.Doubles.keyOf(Double.POSITIVE_INFINITY);

  /** What the values are, hence what their keys are. */
  public enum Kind {
    /** Signed integers, truth values (0 and 1) and instants: each is its own key. */
    LONGS,
    /** Unsigned 64-bit integers: the key is their bits with the first one flipped. */
    UNSIGNED_LONGS,
    /** Floating point numbers, binary32 ones widened. */
    DOUBLES;

    private OrderedKeys keys() {
      switch (this) {
        case LONGS:
          return new OrderedKeys.Longs(i -> i);
        case UNSIGNED_LONGS:
          return new OrderedKeys.UnsignedLongs(i -> i);
        default:
          return new OrderedKeys.Doubles(i -> i);
      }
    }
  }

  private final Kind kind;

  /** First and last key of each interval, one after the other. */
  private final long[] bounds;

  private ValueSet(Kind kind, long[] bounds) {
    this.kind = kind;
    this.bounds = bounds;
  }

  /** The set without values. */
  public static ValueSet none(Kind kind) {
    return new ValueSet(kind, new long[0]);
  }

  /** All values of the kind. */
  public static ValueSet all(Kind kind) {
    return new ValueSet(kind, new long[] {Long.MIN_VALUE, Long.MAX_VALUE});
  }

  /**
   * The values that compare so with a constant.
   *
   * @param constant as {@link CoordinateIndex} takes it, not null
   * @throws io.arraymorph.ArrayMorphException TYPE_MISMATCH for a constant of another kind
   */
  public static ValueSet where(Kind kind, Comparison comparison, Object constant) {
    Bound bound =
        kind.keys().bound(constant instanceof Boolean ? ((Boolean) constant ? 1L : 0L) : constant);
    ValueSet atMost =
        bound.isBelow()
            ? none(kind)
            : new ValueSet(kind, new long[] {Long.MIN_VALUE, bound.floor()});
    ValueSet equal =
        bound.isExact()
            ? new ValueSet(kind, new long[] {bound.floor(), bound.floor()})
            : none(kind);
    switch (comparison) {
      case EQ:
        return equal;
      case LE:
        return atMost;
      case LT:
        return atMost.intersect(equal.complement());
      case GT:
        return atMost.complement();
      default:
        return atMost.complement().union(equal);
    }
  }

  /** The kind of the values. */
  public Kind kind() {
    return kind;
  }

  /** True if the set has no value. */
  public boolean isEmpty() {
    return bounds.length == 0;
  }

  /** The number of intervals. */
  public int intervals() {
    return bounds.length / 2;
  }

  /** The first key of an interval. */
  public long first(int interval) {
    return bounds[2 * interval];
  }

  /** The last key of an interval, in the interval. */
  public long last(int interval) {
    return bounds[2 * interval + 1];
  }

  /** True if the value with this key is in the set. */
  public boolean containsKey(long key) {
    int low = 0;
    int high = intervals();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (last(middle) < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < intervals() && first(low) <= key;
  }

  /** The key of a floating point number. */
  public static long keyOf(double value) {
    return OrderedKeys.Doubles.keyOf(value);
  }

  /** DOUBLES: the least number of an interval, NaN if it has none but NaN. */
  public double leastDouble(int interval) {
    long key = first(interval);
    if (key > INFINITY_KEY) {
      return Double.NaN;
    }
    return ofKey(Math.max(key, OrderedKeys.Doubles.keyOf(Double.NEGATIVE_INFINITY)));
  }

  /** DOUBLES: the greatest number of an interval, NaN aside; NaN if all in it are less. */
  public double greatestDouble(int interval) {
    long key = Math.min(last(interval), INFINITY_KEY);
    if (key < OrderedKeys.Doubles.keyOf(Double.NEGATIVE_INFINITY)) {
      return Double.NaN;
    }
    // The key of -0.0 is that of 0.0; no number has the one just below.
    return ofKey(key == -1 ? -2 : key);
  }

  /** DOUBLES: true if NaN is in the interval. */
  public boolean holdsNan(int interval) {
    return first(interval) <= NAN_KEY && NAN_KEY <= last(interval);
  }

  private static double ofKey(long key) {
    return Double.longBitsToDouble(key ^ ((key >> 63) & Long.MAX_VALUE));
  }

  /** The values that are not in this set. */
  public ValueSet complement() {
    List<long[]> gaps = new ArrayList<>();
    long from = Long.MIN_VALUE;
    for (int i = 0; i < intervals(); i++) {
      if (first(i) > from) {
        gaps.add(new long[] {from, first(i) - 1});
      }
      if (last(i) == Long.MAX_VALUE) {
        return of(kind, gaps);
      }
      from = last(i) + 1;
    }
    gaps.add(new long[] {from, Long.MAX_VALUE});
    return of(kind, gaps);
  }

  /** The values in this set, in the other, or in both. */
  public ValueSet union(ValueSet other) {
    List<long[]> sorted = new ArrayList<>();
    addTo(sorted);
    other.addTo(sorted);
    sorted.sort((a, b) -> Long.compare(a[0], b[0]));
    List<long[]> merged = new ArrayList<>();
    for (long[] next : sorted) {
      long[] open = merged.isEmpty() ? null : merged.get(merged.size() - 1);
      if (open != null && (open[1] == Long.MAX_VALUE || next[0] <= open[1] + 1)) {
        open[1] = Math.max(open[1], next[1]);
      } else {
        merged.add(next);
      }
    }
    return of(kind, merged);
  }

  /** The values in both sets. */
  public ValueSet intersect(ValueSet other) {
    return complement().union(other.complement()).complement();
  }

  private void addTo(List<long[]> intervals) {
    for (int i = 0; i < intervals(); i++) {
      intervals.add(new long[] {first(i), last(i)});
    }
  }

  private static ValueSet of(Kind kind, List<long[]> intervals) {
    return new ValueSet(kind, intervals.stream().flatMapToLong(Arrays::stream).toArray());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ValueSet
        && kind == ((ValueSet) other).kind
        && Arrays.equals(bounds, ((ValueSet) other).bounds);
  }

  @Override
  public int hashCode() {
    return 31 * kind.hashCode() + Arrays.hashCode(bounds);
  }

  /** As {@code LONGS[1..5, 7..7]}, in keys. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(kind.name()).append('[');
    for (int i = 0; i < intervals(); i++) {
      text.append(i == 0 ? "" : ", ").append(first(i)).append("..").append(last(i));
    }
    return text.append(']').toString();
  }
}
