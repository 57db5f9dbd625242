package io.arraymorph.array;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A set of indices along one dimension: strided ranges in ascending order whose spans do not
 * overlap.
 *
 * <p>Immutable and thread-safe. Size follows the number of ranges, not of indices: all operations
 * work on ranges. Two sets are equal if they hold the same indices, however they are cut into
 * ranges. A result that would need more than {@value #MAX_RANGES} ranges fails with TOO_LARGE.
 */
public final class IndexSet implements Serializable {
  /** The most ranges a set may have. */
  public static final int MAX_RANGES = 1 << 24;

  /** The set without indices. */
  public static final IndexSet EMPTY = new IndexSet(List.of());

  private final List<IndexRange> ranges;

  private IndexSet(List<IndexRange> ranges) {
    this.ranges = ranges;
  }

  /** All indices of a dimension: {@code [0, length)}. */
  public static IndexSet all(long length) {
    return of(IndexRange.of(0, length));
  }

  /** The indices of one range. */
  public static IndexSet of(IndexRange range) {
    return range.isEmpty() ? EMPTY : new IndexSet(List.of(range));
  }

  /** The union of ranges in any order, which may overlap. */
  public static IndexSet of(Collection<IndexRange> ranges) {
    return IndexRangeUnion.of(ranges);
  }

  /** The set of these indices, in any order, duplicates allowed; runs and strides are found. */
  public static IndexSet ofIndices(long... indices) {
    long[] sorted = indices.clone();
    Arrays.sort(sorted);
    Normalizer out = new Normalizer();
    IndexRangeUnion.addRuns(sorted, sorted.length, out);
    return out.toSet();
  }

  /** The ranges, ascending, none empty, spans disjoint. */
  public List<IndexRange> ranges() {
    return ranges;
  }

  /** The number of indices. */
  public long count() {
    long count = 0;
    for (IndexRange range : ranges) {
      count = Math.addExact(count, range.count());
    }
    return count;
  }

  /** True if no index is contained. */
  public boolean isEmpty() {
    return ranges.isEmpty();
  }

  /** The least index; the set must not be empty. */
  public long first() {
    return ranges.get(0).start();
  }

  /** The greatest index; the set must not be empty. */
  public long last() {
    return ranges.get(ranges.size() - 1).last();
  }

  /** True if the index is in the set. */
  public boolean contains(long index) {
    int at = rangeEndingAfter(index);
    return at < ranges.size() && ranges.get(at).contains(index);
  }

  /** The least index of the set that is at least {@code index}, or -1 if there is none. */
  public long ceiling(long index) {
    int at = rangeEndingAfter(index);
    return at == ranges.size() ? -1 : ranges.get(at).clip(index, Long.MAX_VALUE).start();
  }

  /** The position of the first range whose last index is at least {@code index}. */
  private int rangeEndingAfter(long index) {
    int low = 0;
    int high = ranges.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (ranges.get(middle).stop() <= index) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The indices in this set or the other. */
  public IndexSet union(IndexSet other) {
    if (isEmpty() || other.isEmpty()) {
      return isEmpty() ? other : this;
    }
    List<IndexRange> both = new ArrayList<>(ranges);
    both.addAll(other.ranges);
    return of(both);
  }

  /** The indices in this set and the other. */
  public IndexSet intersect(IndexSet other) {
    Normalizer out = new Normalizer();
    int i = 0;
    int j = 0;
    while (i < ranges.size() && j < other.ranges.size()) {
      IndexRange a = ranges.get(i);
      IndexRange b = other.ranges.get(j);
      out.add(a.intersect(b));
      if (a.stop() <= b.stop()) {
        i++;
      }
      if (b.stop() <= a.stop()) {
        j++;
      }
    }
    return out.toSet();
  }

  /** The indices of {@code [0, length)} that are not in this set. */
  public IndexSet complement(long length) {
    Normalizer out = new Normalizer();
    long from = 0;
    for (IndexRange range : ranges) {
      if (range.start() >= length) {
        break;
      }
      out.add(IndexRange.of(from, range.start()));
      IndexRange clipped = range.clip(0, length);
      out.addGaps(clipped);
      from = clipped.stop();
    }
    out.add(IndexRange.of(from, Math.max(from, length)));
    return out.toSet();
  }

  /** The indices of this set that are not in the other. */
  public IndexSet minus(IndexSet other) {
    if (isEmpty() || other.isEmpty() || other.first() > last() || first() > other.last()) {
      return this;
    }
    return intersect(other.complement(last() + 1));
  }

  /** The indices of this set in {@code [from, to)}. */
  public IndexSet clip(long from, long to) {
    if (isEmpty() || (from <= first() && to > last())) {
      return this;
    }
    Normalizer out = new Normalizer();
    for (int i = rangeEndingAfter(from); i < ranges.size() && ranges.get(i).start() < to; i++) {
      out.add(ranges.get(i).clip(from, to));
    }
    return out.toSet();
  }

  /** The indices at the positions {@code [from, to)} of this set in ascending order. */
  public IndexSet slice(long from, long to) {
    Normalizer out = new Normalizer();
    long position = 0;
    for (IndexRange range : ranges) {
      long first = Math.max(from, position) - position;
      long last = Math.min(to, position + range.count()) - position - 1;
      if (first <= last) {
        long start = range.start() + first * range.stride();
        out.add(new IndexRange(start, range.start() + last * range.stride() + 1, range.stride()));
      }
      position += range.count();
      if (position >= to) {
        break;
      }
    }
    return out.toSet();
  }

  @Override
  public boolean equals(Object object) {
    if (!(object instanceof IndexSet)) {
      return false;
    }
    IndexSet other = (IndexSet) object;
    if (isEmpty() || other.isEmpty()) {
      return isEmpty() == other.isEmpty();
    }
    if (first() != other.first() || last() != other.last()) {
      return false; // Whoever joins many sets asks this of each pair.
    }
    if (ranges.equals(other.ranges)) {
      return true;
    }
    return count() == other.count() && intersect(other).count() == count();
  }

  @Override
  public int hashCode() {
    return isEmpty() ? 0 : Long.hashCode(31 * (31 * first() + last()) + count());
  }

  /** As {@code {0:4, 7:8, 10:31:5}}. */
  @Override
  public String toString() {
    return ranges.stream().map(IndexRange::toString).collect(Collectors.joining(", ", "{", "}"));
  }

  static final Comparator<IndexRange> BY_START =
      Comparator.comparingLong(IndexRange::start).thenComparingLong(IndexRange::stop);

  /** Collects ranges in ascending order and joins neighbours that make one range. */
  static final class Normalizer {
    private final ArrayList<IndexRange> out = new ArrayList<>();

    void add(IndexRange range) {
      if (range.isEmpty()) {
        return;
      }
      if (!out.isEmpty()) {
        IndexRange joined = out.get(out.size() - 1).joinIfAdjacent(range);
        if (joined != null) {
          out.set(out.size() - 1, joined);
          return;
        }
      }
      if (out.size() == MAX_RANGES) {
        throw new ArrayMorphException(
            ErrorCode.TOO_LARGE,
            "a set of indices needs more than " + MAX_RANGES + " ranges",
            "Select with fewer or more regular indices");
      }
      out.add(range);
    }

    /** Adds what lies between the indices of a strided range. */
    void addGaps(IndexRange range) {
      long stride = range.stride();
      if (stride == 2) {
        add(new IndexRange(range.start() + 1, range.last(), 2));
      } else if (stride > 2) {
        for (long i = range.start(); i < range.last(); i += stride) {
          add(IndexRange.of(i + 1, i + stride));
        }
      }
    }

    IndexSet toSet() {
      return out.isEmpty() ? EMPTY : new IndexSet(List.copyOf(out));
    }
  }
}
