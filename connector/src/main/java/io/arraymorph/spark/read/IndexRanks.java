package io.arraymorph.spark.read;

import io.arraymorph.array.IndexRange;
import io.arraymorph.array.IndexSet;
import java.util.List;

/**
 * Ranks in an index set: how many indices lie below one, and which is the k-th.
 *
 * <p>Both take the logarithm of the number of ranges; memory follows that number, never the number
 * of indices. Immutable.
 */
final class IndexRanks {
  private final List<IndexRange> ranges;
  private final long[] before;

  IndexRanks(IndexSet set) {
    this.ranges = set.ranges();
    this.before = new long[ranges.size() + 1];
    for (int r = 0; r < ranges.size(); r++) {
      before[r + 1] = before[r] + ranges.get(r).count();
    }
  }

  /** The number of indices in the set. */
  long count() {
    return before[before.length - 1];
  }

  /** The number of indices of the set that are less than {@code index}. */
  long below(long index) {
    int low = 0;
    int high = ranges.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ranges.get(middle).start() < index) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == 0) {
      return 0;
    }
    IndexRange range = ranges.get(low - 1);
    long inside = Math.min(range.count(), (index - 1 - range.start()) / range.stride() + 1);
    return before[low - 1] + inside;
  }

  /** The {@code rank}-th index of the set, from 0; it must exist. */
  long at(long rank) {
    int low = 0;
    int high = ranges.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (before[middle] <= rank) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    IndexRange range = ranges.get(low);
    return range.start() + (rank - before[low]) * range.stride();
  }
}
