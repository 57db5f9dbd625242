package io.arraymorph.array;

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
public record IndexRange(long start, long stop, long stride) {

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
