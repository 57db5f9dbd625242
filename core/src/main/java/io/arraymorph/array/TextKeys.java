package io.arraymorph.array;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/**
 * Texts or bytes by rank among the distinct values of the axis, in the order of unsigned bytes
 * (which is that of code points for UTF-8).
 */
final class TextKeys implements OrderedKeys {
  private final byte[][] distinct;
  private final int[] rank;

  TextKeys(int length, IntFunction<byte[]> values, IntPredicate isNull) {
    byte[][] all = new byte[length][];
    int present = 0;
    for (int i = 0; i < length; i++) {
      if (!isNull.test(i)) {
        all[present++] = values.apply(i);
      }
    }
    byte[][] sorted = Arrays.copyOf(all, present);
    Arrays.sort(sorted, Arrays::compareUnsigned);
    int unique = 0;
    for (int i = 0; i < present; i++) {
      if (i == 0 || !Arrays.equals(sorted[i], sorted[unique - 1])) {
        sorted[unique++] = sorted[i];
      }
    }
    this.distinct = Arrays.copyOf(sorted, unique);
    this.rank = new int[length];
    for (int i = 0; i < length; i++) {
      rank[i] =
          isNull.test(i)
              ? -1
              : Arrays.binarySearch(distinct, values.apply(i), Arrays::compareUnsigned);
    }
  }

  @Override
  public long key(long i) {
    return rank[(int) i];
  }

  @Override
  public Bound bound(Object constant) {
    byte[] bytes;
    if (constant instanceof String) {
      bytes = ((String) constant).getBytes(StandardCharsets.UTF_8);
    } else if (constant instanceof byte[]) {
      bytes = (byte[]) constant;
    } else {
      throw OrderedKeys.mismatch(constant, "a text");
    }
    int found = Arrays.binarySearch(distinct, bytes, Arrays::compareUnsigned);
    if (found >= 0) {
      return Bound.exact(found);
    }
    int floor = -found - 2;
    return floor < 0 ? Bound.BELOW_ALL : Bound.inexact(floor);
  }

  @Override
  public OrderedKeys asDouble() {
    throw new UnsupportedOperationException("texts have no order as numbers");
  }
}
