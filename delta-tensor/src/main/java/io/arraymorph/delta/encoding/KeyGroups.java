package io.arraymorph.delta.encoding;

import io.arraymorph.delta.tensor.PackedSort;
import io.arraymorph.delta.tensor.PieceScratch;
import io.arraymorph.delta.tensor.StoredCells;
import java.util.stream.IntStream;

/**
 * Cells by the upper bits of their keys: each with its key and, in the lower bits, its number.
 *
 * <p>Cells of one group follow each other in the order in which they came. Keys are made, counted
 * and placed by several threads, each for a part of the cells.
 */
final class KeyGroups {
  private static final int SOME = 1 << 14;
  private static final int MOST_GROUPS = 1 << 14;

  private final long[] numbers;
  private final int count;
  private final int indexBits;
  private final boolean ascending;

  private KeyGroups(long[] numbers, int indexBits, boolean ascending) {
    this.numbers = numbers;
    this.count = numbers.length;
    this.indexBits = indexBits;
    this.ascending = ascending;
  }

  /**
   * Groups cells.
   *
   * @param low the keys' bits from this one on make the group; they and the number of a cell have
   *     at most 63
   */
  static KeyGroups of(StoredCells cells, int count, CellKeys keys, int low, boolean parallel) {
    int indexBits = indexBits(count);
    long[] numbers = new long[count];
    boolean[] inOrder = new boolean[(int) ((count + SOME - 1L) / SOME)];
    parts(inOrder.length, parallel)
        .forEach(k -> inOrder[k] = number(cells, keys, k * SOME, indexBits, numbers));
    boolean ascending = true;
    for (int k = 0; k < inOrder.length; k++) {
      int from = k * SOME;
      boolean follows = k == 0 || numbers[from - 1] >>> indexBits < numbers[from] >>> indexBits;
      ascending &= inOrder[k] && follows;
    }
    int high = keys.placeBits() + keys.blockBits();
    if (ascending || high <= low) {
      return new KeyGroups(numbers, indexBits, ascending);
    }
    long[] grouped =
        high - low > Integer.numberOfTrailingZeros(MOST_GROUPS)
            ? PackedSort.sorted(numbers, count, indexBits + low, indexBits + high)
            : placed(numbers, indexBits + low, 1 << (high - low), parallel);
    return new KeyGroups(grouped, indexBits, false);
  }

  /** The bits of the number of a cell. */
  static int indexBits(int count) {
    return 32 - Integer.numberOfLeadingZeros(count);
  }

  private static IntStream parts(int count, boolean parallel) {
    IntStream parts = IntStream.range(0, count);
    return parallel ? parts.parallel() : parts;
  }

  /** Numbers some cells; true if they ascend. */
  private static boolean number(
      StoredCells cells, CellKeys keys, int from, int indexBits, long[] numbers) {
    int to = from + Math.min(SOME, numbers.length - from);
    long[] some = PieceScratch.get().first(to - from);
    keys.of(cells, from, to, some);
    for (int i = 0; i < to - from; i++) {
      numbers[from + i] = some[i] << indexBits | (from + i);
    }
    return PackedSort.isAscending(some, to - from, 0);
  }

  private static long[] placed(long[] numbers, int low, int groups, boolean parallel) {
    int n = numbers.length;
    int parts = parallel ? 2 * Runtime.getRuntime().availableProcessors() : 1;
    int[][] starts = new int[parts][];
    parts(parts, parallel)
        .forEach(
            p ->
                starts[p] =
                    counts(numbers, begin(n, p, parts), begin(n, p + 1, parts), low, groups));
    int at = 0;
    for (int g = 0; g < groups; g++) {
      for (int[] start : starts) {
        int some = start[g];
        start[g] = at;
        at += some;
      }
    }
    long[] placed = new long[n];
    parts(parts, parallel)
        .forEach(
            p -> {
              int[] next = starts[p];
              int to = begin(n, p + 1, parts);
              for (int i = begin(n, p, parts); i < to; i++) {
                long number = numbers[i];
                placed[next[(int) (number >>> low)]++] = number;
              }
            });
    return placed;
  }

  private static int begin(int count, int part, int parts) {
    return (int) ((long) count * part / parts);
  }

  private static int[] counts(long[] numbers, int from, int to, int low, int groups) {
    int[] counts = new int[groups];
    for (int i = from; i < to; i++) {
      counts[(int) (numbers[i] >>> low)]++;
    }
    return counts;
  }

  /** Sorts the cells of each group, those that agree from a bit of the key on. */
  void sort(CellKeys keys, int low, boolean parallel) {
    if (!ascending) {
      int[] cuts = cuts(low);
      parts(cuts.length - 1, parallel).forEach(g -> sort(keys, low, cuts[g], cuts[g + 1]));
    }
  }

  private void sort(CellKeys keys, int low, int from, int to) {
    int n = to - from;
    long[] own = PieceScratch.get().first(n);
    System.arraycopy(numbers, from, own, 0, n);
    long[] sorted = sorted(own, n, indexBits, keys.inOrderBits(), low);
    System.arraycopy(sorted, 0, numbers, from, n);
  }

  /** Sorts by the bits of a key above the lowest {@code ownBits} ones; keys are used up. */
  static long[] sorted(long[] packed, int n, int ownBits, int inOrderBits, int keyBits) {
    if (PackedSort.isAscending(packed, n, ownBits)) {
      return packed;
    }
    long[] sorted = packed;
    if (inOrderBits < keyBits) {
      sorted = PackedSort.sorted(packed, n, ownBits + inOrderBits, ownBits + keyBits);
      if (PackedSort.isAscending(sorted, n, ownBits)) {
        return sorted;
      }
    }
    return PackedSort.sorted(sorted, n, ownBits, ownBits + keyBits);
  }

  /** Where groups begin that differ from a bit of the key on, and at last the number of cells. */
  int[] cuts(int low) {
    int shift = indexBits + low;
    IntStream.Builder cuts = IntStream.builder();
    for (int i = 0; i < count; i++) {
      if (i == 0 || numbers[i] >>> shift != numbers[i - 1] >>> shift) {
        cuts.add(i);
      }
    }
    return cuts.add(count).build().toArray();
  }

  /** The key of the i-th cell. */
  long key(int i) {
    return numbers[i] >>> indexBits;
  }

  /** The number that the i-th cell came with. */
  int cell(int i) {
    return (int) numbers[i] & (int) ((1L << indexBits) - 1);
  }
}
