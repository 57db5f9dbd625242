package io.arraymorph.spark.read;

import java.util.Arrays;

/** Parts of sums in some groups, in the order they were put aside. One thread. */
final class SpilledSums {
  private int[] groups = new int[8];
  private long[] sums = new long[8];
  private int size;

  void add(int group, long sum) {
    if (size == groups.length) {
      groups = Arrays.copyOf(groups, 2 * size);
      sums = Arrays.copyOf(sums, 2 * size);
    }
    groups[size] = group;
    sums[size++] = sum;
  }

  int size() {
    return size;
  }

  int group(int i) {
    return groups[i];
  }

  long sum(int i) {
    return sums[i];
  }
}
