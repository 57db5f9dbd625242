package io.arraymorph.array;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * The union of strided ranges as ranges with disjoint spans.
 *
 * <p>Contiguous ranges are merged; what they leave of the strided ones stays strided. Only strided
 * ranges whose spans still overlap with different strides or phases are enumerated, up to {@link
 * #MAX_ENUMERATED} indices.
 */
final class IndexRangeUnion {
  private static final int MAX_ENUMERATED = 1 << 24;

  private IndexRangeUnion() {}

  static IndexSet of(Collection<IndexRange> ranges) {
    List<IndexRange> contiguous = new ArrayList<>();
    List<IndexRange> strided = new ArrayList<>();
    for (IndexRange range : ranges) {
      if (!range.isEmpty()) {
        (range.stride() == 1 ? contiguous : strided).add(range);
      }
    }
    IndexSet.Normalizer merged = new IndexSet.Normalizer();
    mergeContiguous(contiguous, merged);
    IndexSet solid = merged.toSet();
    if (strided.isEmpty()) {
      return solid;
    }
    List<IndexRange> all = new ArrayList<>(solid.ranges());
    for (IndexRange range : strided) {
      all.addAll(IndexSet.of(range).minus(solid).ranges());
    }
    all.sort(IndexSet.BY_START);
    IndexSet.Normalizer out = new IndexSet.Normalizer();
    int from = 0;
    while (from < all.size()) {
      int to = from + 1;
      long stop = all.get(from).stop();
      while (to < all.size() && all.get(to).start() < stop) {
        stop = Math.max(stop, all.get(to).stop());
        to++;
      }
      addOverlapping(all.subList(from, to), stop, out);
      from = to;
    }
    return out.toSet();
  }

  private static void mergeContiguous(List<IndexRange> ranges, IndexSet.Normalizer out) {
    ranges.sort(IndexSet.BY_START);
    int i = 0;
    while (i < ranges.size()) {
      long start = ranges.get(i).start();
      long stop = ranges.get(i).stop();
      for (i++; i < ranges.size() && ranges.get(i).start() <= stop; i++) {
        stop = Math.max(stop, ranges.get(i).stop());
      }
      out.add(IndexRange.of(start, stop));
    }
  }

  private static void addOverlapping(List<IndexRange> ranges, long stop, IndexSet.Normalizer out) {
    IndexRange first = ranges.get(0);
    boolean samePhase = true;
    long count = 0;
    for (IndexRange range : ranges) {
      samePhase &=
          (range.stride() == first.stride() || range.count() == 1)
              && (range.start() - first.start()) % first.stride() == 0;
      count += range.count();
    }
    if (samePhase) {
      out.add(new IndexRange(first.start(), stop, first.stride()));
      return;
    }
    if (count > MAX_ENUMERATED) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          "a union of " + ranges.size() + " strided ranges has " + count + " indices to sort",
          "Select with one stride along a dimension, or with fewer indices");
    }
    long[] indices = new long[(int) count];
    int n = 0;
    for (IndexRange range : ranges) {
      for (long i = range.start(); i < range.stop(); i += range.stride()) {
        indices[n++] = i;
      }
    }
    Arrays.sort(indices);
    addRuns(indices, n, out);
  }

  /** Adds sorted indices as ranges, duplicates dropped: runs of any stride of at least three. */
  static void addRuns(long[] sorted, int count, IndexSet.Normalizer out) {
    int unique = 0;
    for (int i = 0; i < count; i++) {
      if (i == 0 || sorted[i] != sorted[i - 1]) {
        sorted[unique++] = sorted[i];
      }
    }
    int i = 0;
    while (i < unique) {
      int j = i + 1;
      long stride = j < unique ? sorted[j] - sorted[i] : 1;
      while (j < unique && sorted[j] - sorted[j - 1] == stride) {
        j++;
      }
      if (j - i == 2 && stride > 1) {
        j = i + 1;
      }
      out.add(new IndexRange(sorted[i], sorted[j - 1] + 1, stride));
      i = j;
    }
  }
}
