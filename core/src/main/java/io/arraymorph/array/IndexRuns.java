package io.arraymorph.array;

import java.util.ArrayList;
import java.util.List;

/**
 * Collects ascending indices as few strided ranges, in memory of the ranges.
 *
 * <p>Greedy: two indices far apart are joined into a stride only if a third follows in step.
 */
final class IndexRuns {
  private final List<IndexRange> ranges = new ArrayList<>();
  private long start;
  private long last;
  private long stride;
  private long count;

  void add(long index) {
    if (count == 1) {
      stride = index - last;
    } else if (count > 1 && index - last != stride) {
      if (count == 2 && stride > 1) {
        ranges.add(IndexRange.single(start));
        start = last;
        stride = index - last;
        last = index;
        return;
      }
      flush();
    }
    if (count == 0) {
      start = index;
    }
    last = index;
    count++;
  }

  /** The ranges of all indices added. */
  List<IndexRange> ranges() {
    flush();
    return ranges;
  }

  private void flush() {
    if (count == 2 && stride > 1) {
      ranges.add(IndexRange.single(start));
      ranges.add(IndexRange.single(last));
    } else if (count > 0) {
      ranges.add(new IndexRange(start, last + 1, count == 1 ? 1 : stride));
    }
    count = 0;
  }
}
