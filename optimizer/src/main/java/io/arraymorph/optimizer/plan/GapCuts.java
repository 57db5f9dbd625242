package io.arraymorph.optimizer.plan;

import java.util.Arrays;
import java.util.Comparator;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What reading spans by ranges amounts to for each bound on gaps, if no range is divided. Found
 * once for all bounds, by closing gap after gap from the smallest on. Immutable.
 */
final class GapCuts {
  /** The sizes of gaps, ascending. */
  private final long[] sizes;

  /** What is left if the gaps of so many sizes are closed. */
  private final RangeOptions.Cut[] cuts;

  private GapCuts(long[] sizes, RangeOptions.Cut[] cuts) {
    this.sizes = sizes;
    this.cuts = cuts;
  }

  /**
   * The cuts between these spans.
   *
   * @param starts ascending, at least one
   * @param ends of the same spans; each before the next start
   */
  static GapCuts of(long[] starts, long[] ends) {
    int spans = starts.length;
    Integer[] bySize = new Integer[spans - 1];
    Arrays.setAll(bySize, i -> i);
    Arrays.sort(bySize, Comparator.comparingLong(i -> starts[i + 1] - ends[i]));
    long bytes = 0;
    long longest = 0;
    for (int i = 0; i < spans; i++) {
      bytes += ends[i] - starts[i];
      longest = Math.max(longest, ends[i] - starts[i]);
    }
    // Of the first span of a range its last one, and of the last its first.
    int[] lastOf = new int[spans];
    int[] firstOf = new int[spans];
    Arrays.setAll(lastOf, i -> i);
    Arrays.setAll(firstOf, i -> i);
    long[] sizes = new long[spans - 1];
    RangeOptions.Cut[] cuts = new RangeOptions.Cut[spans];
    cuts[0] = new RangeOptions.Cut(spans, bytes, longest);
    int count = 0;
    for (int closed = 0; closed < bySize.length; closed++) {
      int before = bySize[closed];
      long size = starts[before + 1] - ends[before];
      int first = firstOf[before];
      int last = lastOf[before + 1];
      lastOf[first] = last;
      firstOf[last] = first;
      bytes += size;
      longest = Math.max(longest, ends[last] - starts[first]);
      if (count == 0 || sizes[count - 1] != size) {
        sizes[count++] = size;
      }
      cuts[count] = new RangeOptions.Cut(spans - closed - 1, bytes, longest);
    }
    return new GapCuts(Arrays.copyOf(sizes, count), Arrays.copyOf(cuts, count + 1));
  }

  /** What ranges amount to of which those above a bound are cut. */
  RangeOptions.Cut cut(long gap) {
    int at = Arrays.binarySearch(sizes, gap);
    return cuts[at >= 0 ? at + 1 : -at - 1];
  }

  /** The sizes of gaps. */
  SortedSet<Long> sizes() {
    SortedSet<Long> all = new TreeSet<>();
    for (long size : sizes) {
      all.add(size);
    }
    return all;
  }
}
