package io.arraymorph.delta.payload;

import io.arraymorph.delta.tensor.ElementBuffer;
import io.arraymorph.delta.tensor.IntegerElements;
import java.util.function.LongUnaryOperator;

/**
 * Values most of which are one and the same, as counts often are: that value, and for each other
 * one a byte that says how many of the common value come before it and what it is.
 *
 * <p>Where a byte a value would take a bit of the page's Huffman code at least, the common value
 * takes less; and there is less to decode.
 */
final class MajorityValues {
  /** What others may be of all, for the common value to be worth leaving out. */
  private static final double MOST_OTHERS = 0.4;

  private static final int VALUE_BITS = 2;
  private static final int LONG_VALUE = (1 << VALUE_BITS) - 1;
  private static final int LONG_GAP = 63;

  private MajorityValues() {}

  /**
   * Appends values after a code byte, or nothing if too few of them are the same.
   *
   * @param signed how values compare
   */
  static boolean write(long[] values, boolean signed, int code, PayloadWriter out) {
    long common = candidate(values);
    int others = 0;
    long least = 0;
    for (long value : values) {
      if (value != common) {
        boolean less = signed ? value < least : Long.compareUnsigned(value, least) < 0;
        least = others++ == 0 || less ? value : least;
      }
    }
    if (values.length == 0 || others > MOST_OTHERS * values.length) {
      return false;
    }
    out.writeByte(code);
    out.writeVarint(common << 1 ^ common >> 63);
    out.writeVarint(least << 1 ^ least >> 63);
    out.writeVarint(others);
    PayloadWriter rest = new PayloadWriter();
    int gap = 0;
    for (long value : values) {
      if (value == common) {
        gap++;
        continue;
      }
      long above = value - least;
      int low = above >= 0 && above < LONG_VALUE ? (int) above : LONG_VALUE;
      out.writeByte(Math.min(gap, LONG_GAP) << VALUE_BITS | low);
      if (gap >= LONG_GAP) {
        rest.writeVarint(gap - LONG_GAP);
      }
      if (low == LONG_VALUE) {
        rest.writeVarint(above - LONG_VALUE);
      }
      gap = 0;
    }
    out.writeAll(rest);
    return true;
  }

  /** The value that more than half of all have, if there is one. */
  private static long candidate(long[] values) {
    long candidate = 0;
    int lead = 0;
    for (long value : values) {
      if (lead == 0) {
        candidate = value;
      }
      lead += value == candidate ? 1 : -1;
    }
    return candidate;
  }

  /**
   * Reads {@code n} values, behind the code byte, and appends them.
   *
   * @param bits the bits of a value's element
   */
  static void read(PayloadReader in, int n, LongUnaryOperator bits, ElementBuffer out) {
    long common = unzigzag(in.readVarint());
    long least = unzigzag(in.readVarint());
    int others = in.readCount(Math.min(n, in.remaining()));
    int from = in.skip(others);
    int width = out.type().byteWidth();
    int start = out.extend(n);
    byte[] bytes = out.bytes();
    fill(bytes, start, n, width, bits.applyAsLong(common));
    long[] elements = new long[LONG_VALUE];
    for (int i = 0; i < LONG_VALUE; i++) {
      elements[i] = bits.applyAsLong(least + i);
    }
    byte[] tokens = in.array();
    long next = 0;
    for (int i = 0; i < others; i++) {
      int token = tokens[from + i] & 0xFF;
      int gap = token >>> VALUE_BITS;
      int low = token & LONG_VALUE;
      next += gap == LONG_GAP ? LONG_GAP + in.readCount(n) : gap;
      if (next >= n) {
        throw new PayloadException("value " + next + " of " + n);
      }
      long element =
          low == LONG_VALUE
              ? bits.applyAsLong(least + LONG_VALUE + in.readVarint())
              : elements[low];
      IntegerElements.write(bytes, start + (int) next * width, width, element);
      next++;
    }
  }

  private static void fill(byte[] bytes, int start, int n, int width, long element) {
    for (int i = 0, at = start; i < n; i++, at += width) {
      IntegerElements.write(bytes, at, width, element);
    }
  }

  private static long unzigzag(long value) {
    return value >>> 1 ^ -(value & 1);
  }
}
