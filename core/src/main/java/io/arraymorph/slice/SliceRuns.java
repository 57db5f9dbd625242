package io.arraymorph.slice;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Bytes of an object as regular runs: a first run and, from the outermost level in, how often and
 * at which distance it repeats.
 *
 * <p>Immutable; arrays are copied.
 */
public final class SliceRuns {
  private final long start;
  private final long length;
  private final long[] counts;
  private final long[] strides;

  /**
   * @param start first byte of the first run
   * @param length bytes of each run, at least 1
   * @param counts of the levels, at least 1 each
   * @param strides of the levels in bytes, at least 1 each
   * @throws IllegalArgumentException for runs that make no sense or end beyond 2^62
   */
  public SliceRuns(long start, long length, long[] counts, long[] strides) {
    this.start = start;
    this.length = length;
    this.counts = counts.clone();
    this.strides = strides.clone();
    boolean valid = start >= 0 && length > 0 && counts.length == strides.length;
    valid &= counts.length <= 64 && start < 1L << 62 && length < 1L << 62;
    try {
      for (int level = 0; valid && level < counts.length; level++) {
        valid = counts[level] > 0 && strides[level] > 0;
      }
      if (!valid || end() > 1L << 62 || byteCount() < 0) {
        throw new IllegalArgumentException("runs " + this);
      }
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("runs " + this, e);
    }
  }

  /** The first byte of the first run. */
  public long start() {
    return start;
  }

  /** The bytes of each run. */
  public long length() {
    return length;
  }

  /** How many levels repeat the run. */
  public int levels() {
    return counts.length;
  }

  /** How often a level repeats what is within; level 0 is the outermost. */
  public long count(int level) {
    return counts[level];
  }

  /** The distance in bytes at which a level repeats. */
  public long stride(int level) {
    return strides[level];
  }

  /** One past the last byte. */
  public long end() {
    long end = Math.addExact(start, length);
    for (int level = 0; level < counts.length; level++) {
      end = Math.addExact(end, Math.multiplyExact(counts[level] - 1, strides[level]));
    }
    return end;
  }

  /** The bytes of all runs. */
  public long byteCount() {
    long bytes = length;
    for (long count : counts) {
      bytes = Math.multiplyExact(bytes, count);
    }
    return bytes;
  }

  /** How many {@link #blocks} there are with a bound on gaps. */
  public double blockCount(long gap) {
    int level = counts.length;
    long extent = length;
    while (level > 0 && strides[level - 1] - extent <= gap) {
      level--;
      extent = Math.addExact(extent, (counts[level] - 1) * strides[level]);
    }
    double blocks = 1;
    for (int outer = 0; outer < level; outer++) {
      blocks *= counts[outer];
    }
    return blocks;
  }

  /**
   * The same runs in the same order, as parts without inner gaps above a bound: what lies further
   * apart need not be read.
   *
   * @param gap bytes
   */
  public List<SliceRuns> blocks(long gap) {
    int level = counts.length;
    long extent = length;
    while (level > 0 && strides[level - 1] - extent <= gap) {
      level--;
      extent = Math.addExact(extent, (counts[level] - 1) * strides[level]);
    }
    if (level == 0) {
      return List.of(this);
    }
    long[] innerCounts = Arrays.copyOfRange(counts, level, counts.length);
    long[] innerStrides = Arrays.copyOfRange(strides, level, strides.length);
    List<SliceRuns> blocks = new ArrayList<>();
    long[] index = new long[level];
    long from = start;
    while (true) {
      blocks.add(new SliceRuns(from, length, innerCounts, innerStrides));
      int at = level - 1;
      while (at >= 0 && ++index[at] == counts[at]) {
        from -= (counts[at] - 1) * strides[at];
        index[at--] = 0;
      }
      if (at < 0) {
        return blocks;
      }
      from += strides[at];
    }
  }

  /**
   * Appends all runs.
   *
   * @param source holds the bytes of the object from {@code origin} on
   * @return the position after the last byte appended
   */
  public int append(byte[] source, long origin, byte[] target, int position) {
    long[] index = new long[counts.length];
    long from = start - origin;
    int at = position;
    while (true) {
      System.arraycopy(source, (int) from, target, at, (int) length);
      at += (int) length;
      int level = counts.length - 1;
      while (level >= 0 && ++index[level] == counts[level]) {
        from -= (counts[level] - 1) * strides[level];
        index[level--] = 0;
      }
      if (level < 0) {
        return at;
      }
      from += strides[level];
    }
  }

  @Override
  public String toString() {
    return length
        + " bytes from "
        + start
        + ", "
        + Arrays.toString(counts)
        + " times every "
        + Arrays.toString(strides);
  }
}
