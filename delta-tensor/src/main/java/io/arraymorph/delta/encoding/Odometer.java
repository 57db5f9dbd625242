package io.arraymorph.delta.encoding;

import io.arraymorph.delta.payload.PayloadException;
import io.arraymorph.delta.tensor.Box;

/**
 * A position in a box, counted as one number: the places along some axes, the last fastest.
 *
 * <p>Adding a small distance rarely carries, so decoding a run of positions needs few divisions.
 */
final class Odometer {
  private final int[] axes;
  private final long[] extent;
  private final long[] low;
  private final long[] place;

  /** At place 0 of these axes of a box; {@code axes[from .. to)} of the given order. */
  Odometer(Box box, int[] axisOrder, int from, int to) {
    axes = java.util.Arrays.copyOfRange(axisOrder, from, to);
    extent = new long[axes.length];
    low = new long[axes.length];
    place = new long[axes.length];
    for (int k = 0; k < axes.length; k++) {
      extent[k] = box.extent(axes[k]);
      low[k] = box.low(axes[k]);
    }
  }

  /** The number of positions, or {@link Long#MAX_VALUE} if it does not fit into 63 bits. */
  long range() {
    long range = 1;
    for (long e : extent) {
      if (Math.multiplyHigh(range, e) != 0 || range * e < 0) {
        return Long.MAX_VALUE;
      }
      range *= e;
    }
    return range;
  }

  /** The position of a cell as a number. */
  long number(long[][] columns, int cell) {
    long number = 0;
    for (int k = 0; k < axes.length; k++) {
      number = number * extent[k] + columns[axes[k]][cell] - low[k];
    }
    return number;
  }

  /** Back to place 0. */
  void reset() {
    java.util.Arrays.fill(place, 0);
  }

  /** Moves on; throws {@link PayloadException} if that leaves the box. */
  void advance(long distance) {
    long carry = distance;
    for (int k = axes.length - 1; carry != 0; k--) {
      if (carry < 0 || k < 0) {
        throw new PayloadException("position outside its box");
      }
      long sum = place[k] + carry;
      if (sum >= 0 && sum < extent[k]) {
        place[k] = sum;
        return;
      }
      if (sum < 0) {
        throw new PayloadException("position outside its box");
      }
      carry = divide(sum, extent[k]);
      place[k] = sum - carry * extent[k];
    }
  }

  private static long divide(long a, long b) {
    return (a | b) >>> 31 == 0 ? (int) a / (int) b : a / b;
  }

  /** Writes the indices of the present position into the columns of its axes. */
  void store(long[][] columns, int cell) {
    for (int k = 0; k < axes.length; k++) {
      columns[axes[k]][cell] = low[k] + place[k];
    }
  }

  /**
   * Writes the indices of ascending numbers into the columns of the axes, from a cell on. The
   * numbers are used up.
   */
  void store(long[] numbers, long[][] columns, int from) {
    if (numbers.length > 0 && numbers[numbers.length - 1] >= range()) {
      throw new PayloadException("position outside its box");
    }
    for (int k = axes.length - 1; k >= 0; k--) {
      long[] column = columns[axes[k]];
      long first = low[k];
      long length = extent[k];
      if (length == 1) {
        java.util.Arrays.fill(column, from, from + numbers.length, first);
      } else if (k == 0) {
        for (int i = 0; i < numbers.length; i++) {
          column[from + i] = first + numbers[i];
        }
      } else {
        for (int i = 0; i < numbers.length; i++) {
          long number = numbers[i];
          long above = divide(number, length);
          column[from + i] = first + number - above * length;
          numbers[i] = above;
        }
      }
    }
  }
}
