package io.arraymorph.delta.tensor;

import java.util.Arrays;

/**
 * Sorts non-negative numbers whose lower bits say what they stand for, stably and in linear time:
 * by 11 bits at a time, least significant first.
 */
public final class PackedSort {
  static final int DIGIT = 11;

  /** With fewer numbers, counting digits costs more than comparing. */
  private static final int FEW = 512;

  private static final int MANY = 1 << 13;
  private static final int SHORT_DIGIT = 8;

  private PackedSort() {}

  /** True if each of the first {@code count} numbers is greater than the one before, shifted. */
  public static boolean isAscending(long[] numbers, int count, int shift) {
    for (int i = 1; i < count; i++) {
      if (numbers[i - 1] >>> shift >= numbers[i] >>> shift) {
        return false;
      }
    }
    return true;
  }

  /**
   * The first {@code count} numbers in the order of their bits {@code [from, to)}, in a new array.
   *
   * @param numbers used up
   */
  public static long[] sorted(long[] numbers, int count, int from, int to) {
    if (to == from) {
      return Arrays.copyOf(numbers, count);
    }
    if (count < FEW && to - from + 32 - Integer.numberOfLeadingZeros(count) <= 63) {
      return few(numbers, count, from, to);
    }
    int digit = count < MANY ? SHORT_DIGIT : DIGIT;
    int passes = (to - from + digit - 1) / digit;
    long[] current = numbers;
    long[] other = passes > 1 ? PieceScratch.get().second(count) : null;
    for (int p = 0; p < passes; p++) {
      int low = from + (int) ((long) (to - from) * p / passes);
      int high = from + (int) ((long) (to - from) * (p + 1) / passes);
      long[] next = p == passes - 1 ? new long[count] : other;
      pass(current, next, count, low, high);
      other = current;
      current = next;
    }
    return current;
  }

  private static long[] few(long[] numbers, int count, int from, int to) {
    // What is compared first, then where it came from: no two are equal, and the order is stable.
    long[] keys = new long[count];
    int bits = 32 - Integer.numberOfLeadingZeros(count);
    long mask = (1L << (to - from)) - 1;
    for (int i = 0; i < count; i++) {
      keys[i] = (numbers[i] >>> from & mask) << bits | i;
    }
    Arrays.sort(keys);
    int index = (1 << bits) - 1;
    for (int i = 0; i < count; i++) {
      keys[i] = numbers[(int) keys[i] & index];
    }
    return keys;
  }

  /** One pass by the bits {@code [low, high)}. */
  static void pass(long[] current, long[] next, int count, int low, int high) {
    int mask = (1 << (high - low)) - 1;
    int[] starts = new int[mask + 2];
    for (int i = 0; i < count; i++) {
      starts[((int) (current[i] >>> low) & mask) + 1]++;
    }
    for (int b = 0; b <= mask; b++) {
      starts[b + 1] += starts[b];
    }
    for (int i = 0; i < count; i++) {
      long number = current[i];
      next[starts[(int) (number >>> low) & mask]++] = number;
    }
  }
}
