package io.arraymorph.array;

import java.io.Serializable;
import java.math.BigInteger;

/**
 * A strided half-open interval of indices along one dimension: {@code start, start + stride, ..}
 * below {@code stop}.
 *
 * <p>Immutable and normalised: {@code stop} is one past the last index contained, a range of one
 * index has stride 1, and every empty range is {@code [0, 0)} with stride 1, so that equal sets of
 * indices are equal values.
 *
 * @param start first index, at least 0
 * @param stop one past the last index contained
 * @param stride distance of neighbouring indices, at least 1
 */
public record IndexRange(long start, long stop, long stride) implements Serializable {

  /** The range without indices. */
  public static final IndexRange EMPTY = new IndexRange(0, 0, 1);

  /**
   * Normalises; throws {@link IllegalArgumentException} for a negative start or a stride below 1.
   */
  public IndexRange {
    if (start < 0 || stride < 1) {
      throw new IllegalArgumentException(
          "index range needs start >= 0 and stride >= 1: " + start + ":" + stop + ":" + stride);
    }
    if (stop <= start) {
      start = 0;
      stop = 0;
      stride = 1;
    } else {
      long count = (stop - 1 - start) / stride + 1;
      stop = start + (count - 1) * stride + 1;
      if (count == 1) {
        stride = 1;
      }
    }
  }

  /** The contiguous range {@code [start, stop)}. */
  public static IndexRange of(long start, long stop) {
    return new IndexRange(start, stop, 1);
  }

  /** The range of one index. */
  public static IndexRange single(long index) {
    return new IndexRange(index, index + 1, 1);
  }

  /** The number of indices. */
  public long count() {
    return stop == start ? 0 : (stop - 1 - start) / stride + 1;
  }

  /** True if no index is contained. */
  public boolean isEmpty() {
    return stop == start;
  }

  /** The last index contained; the range must not be empty. */
  public long last() {
    return stop - 1;
  }

  /** True if the index is in the range. */
  public boolean contains(long index) {
    return index >= start && index < stop && (index - start) % stride == 0;
  }

  /** The indices of this range that lie in {@code [from, to)}. */
  public IndexRange clip(long from, long to) {
    if (from <= start && to >= stop) {
      return this;
    }
    long first = start;
    if (from > start) {
      long steps = (from - start + stride - 1) / stride;
      first = start + steps * stride;
    }
    return first >= Math.min(stop, to) ? EMPTY : new IndexRange(first, Math.min(stop, to), stride);
  }

  /** The indices in this range and the other: again one strided range. */
  public IndexRange intersect(IndexRange other) {
    if (other.stride == 1) {
      return clip(other.start, other.stop);
    }
    if (stride == 1) {
      return other.clip(start, stop);
    }
    long from = Math.max(start, other.start);
    long to = Math.min(stop, other.stop);
    if (from >= to) {
      return EMPTY;
    }
    // Solve start + i * stride = other.start + j * other.stride (Chinese remainder theorem).
    long divisor = gcd(stride, other.stride);
    long distance = other.start - start;
    if (distance % divisor != 0) {
      return EMPTY;
    }
    long modulus = other.stride / divisor;
    BigInteger steps =
        modulus == 1
            ? BigInteger.ZERO
            : BigInteger.valueOf(distance / divisor)
                .multiply(
                    BigInteger.valueOf(stride / divisor).modInverse(BigInteger.valueOf(modulus)))
                .mod(BigInteger.valueOf(modulus));
    BigInteger period = BigInteger.valueOf(stride).multiply(BigInteger.valueOf(modulus));
    BigInteger first = BigInteger.valueOf(start).add(steps.multiply(BigInteger.valueOf(stride)));
    BigInteger behind = BigInteger.valueOf(from).subtract(first);
    if (behind.signum() > 0) {
      BigInteger[] periods = behind.divideAndRemainder(period);
      long extra = periods[1].signum() == 0 ? 0 : 1;
      first = first.add(period.multiply(periods[0].add(BigInteger.valueOf(extra))));
    }
    if (first.compareTo(BigInteger.valueOf(to)) >= 0) {
      return EMPTY;
    }
    long only = first.longValueExact();
    return period.bitLength() > 62
        ? single(only)
        : new IndexRange(only, to, period.longValueExact());
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /**
   * This range and a later one as one range, or null if they do not make one; the other starts at
   * or after this range's stop.
   */
  IndexRange joinIfAdjacent(IndexRange later) {
    long gap = later.start - last();
    long joined = count() == 1 ? gap : stride;
    boolean fits = gap == joined && (later.count() == 1 || later.stride == joined);
    // Two lone indices stay apart unless they touch: a stride made of them would hide later runs.
    boolean lone = count() == 1 && later.count() == 1 && gap > 1;
    return fits && !lone ? new IndexRange(start, later.stop, joined) : null;
  }

  /** This range moved by {@code offset} (may be negative as long as start stays at least 0). */
  public IndexRange shift(long offset) {
    return isEmpty() ? EMPTY : new IndexRange(start + offset, stop + offset, stride);
  }

  /** As {@code 10:20} or {@code 0:97:4}. */
  @Override
  public String toString() {
    return start + ":" + stop + (stride == 1 ? "" : ":" + stride);
  }
}
