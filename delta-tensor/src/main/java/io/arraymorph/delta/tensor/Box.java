package io.arraymorph.delta.tensor;

import java.util.Arrays;

/**
 * A contiguous box of cells by its two corners, <em>both included</em>: what the columns {@code
 * lo_d} and {@code hi_d} of a table row say. Immutable, never empty.
 */
public final class Box {
  private final long[] low;
  private final long[] high;

  private Box(long[] low, long[] high) {
    this.low = low;
    this.high = high;
  }

  /**
   * The box with these corners, copied.
   *
   * @throws IllegalArgumentException if ranks differ or a side is empty or negative
   */
  public static Box of(long[] low, long[] high) {
    boolean valid = low.length == high.length;
    for (int d = 0; valid && d < low.length; d++) {
      valid = low[d] >= 0 && low[d] <= high[d];
    }
    if (!valid) {
      throw new IllegalArgumentException(Arrays.toString(low) + " to " + Arrays.toString(high));
    }
    return new Box(low.clone(), high.clone());
  }

  /** The number of dimensions. */
  public int rank() {
    return low.length;
  }

  /** The first index along a dimension. */
  public long low(int dimension) {
    return low[dimension];
  }

  /** The last index along a dimension. */
  public long high(int dimension) {
    return high[dimension];
  }

  /** The number of indices along a dimension. */
  public long extent(int dimension) {
    return high[dimension] - low[dimension] + 1;
  }

  /** The number of cells, or {@link Long#MAX_VALUE} if that is more than 2^63-1. */
  public long volume() {
    long volume = 1;
    for (int d = 0; d < low.length; d++) {
      if (Math.multiplyHigh(volume, extent(d)) != 0 || volume * extent(d) < 0) {
        return Long.MAX_VALUE;
      }
      volume *= extent(d);
    }
    return volume;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Box
        && Arrays.equals(low, ((Box) other).low)
        && Arrays.equals(high, ((Box) other).high);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(low) + Arrays.hashCode(high);
  }

  /** As {@code [0..3, 5..9]}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("[");
    for (int d = 0; d < low.length; d++) {
      text.append(d == 0 ? "" : ", ").append(low[d]).append("..").append(high[d]);
    }
    return text.append(']').toString();
  }
}
