package io.arraymorph.optimizer.plan;

import io.arraymorph.store.ByteRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The needed parts of an object, ascending and disjoint: what tells whether two objects can be read
 * in the same way. Immutable.
 */
final class NeededParts {
  /** Lengths and places that differ by less are nearly the same. */
  private static final double NEARLY = 0.02;

  private final long[] starts;
  private final long[] ends;

  private NeededParts(long[] starts, long[] ends) {
    this.starts = starts;
    this.ends = ends;
  }

  /** Empty if what is needed is not of single runs, or some bytes are needed twice. */
  static Optional<NeededParts> of(ObjectNeed need) {
    if (need.decoded().isPresent() || !(need.bytes() instanceof NeededBytes.Runs)) {
      return Optional.empty();
    }
    // Inner chunks lie in their own order, as along a curve, and are needed row after row.
    List<ByteRuns> runs = new ArrayList<>(((NeededBytes.Runs) need.bytes()).parts());
    runs.sort(Comparator.comparingLong(ByteRuns::first));
    long[] starts = new long[runs.size()];
    long[] ends = new long[starts.length];
    for (int i = 0; i < starts.length; i++) {
      starts[i] = runs.get(i).first();
      ends[i] = runs.get(i).end();
      if (runs.get(i).runCount() > 1 || (i > 0 && starts[i] < ends[i - 1])) {
        return Optional.empty();
      }
    }
    return starts.length == 0 ? Optional.empty() : Optional.of(new NeededParts(starts, ends));
  }

  /** True if all lengths and gaps are nearly the same; where there is no gap, none is either. */
  boolean isAlike(NeededParts other) {
    boolean alike = starts.length == other.starts.length;
    for (int i = 0; alike && i < starts.length; i++) {
      alike = isNear(ends[i] - starts[i], other.ends[i] - other.starts[i]);
      alike &= i == 0 || isNear(starts[i] - ends[i - 1], other.starts[i] - other.ends[i - 1]);
    }
    return alike;
  }

  private static boolean isNear(long one, long other) {
    return Math.abs(one - other) <= NEARLY * Math.min(one, other);
  }

  /**
   * How ranges of this object are read of another, part by part; empty if they are no ranges of
   * parts.
   */
  Optional<ChunkAccess> moved(ChunkAccess way, ObjectNeed other, NeededParts to) {
    return way instanceof ChunkAccess.Ranges && hasBounds((ChunkAccess.Ranges) way)
        ? Optional.of(new ChunkAccess.Ranges(other, moved(((ChunkAccess.Ranges) way).ranges(), to)))
        : Optional.empty();
  }

  /** True if every range begins and ends in a needed part. */
  private boolean hasBounds(ChunkAccess.Ranges way) {
    return way.ranges().stream()
        .allMatch(range -> contains(range.start()) && contains(range.end() - 1));
  }

  private boolean contains(long at) {
    int part = partAt(at);
    return part >= 0 && at < ends[part];
  }

  private int partAt(long at) {
    int found = Arrays.binarySearch(starts, at);
    return found >= 0 ? found : -found - 2;
  }

  /** The ranges from the same parts to the same parts of another object. */
  private List<ByteRange.Bounded> moved(List<ByteRange.Bounded> ranges, NeededParts other) {
    List<ByteRange.Bounded> moved = new ArrayList<>();
    for (ByteRange.Bounded range : ranges) {
      int first = partAt(range.start());
      long start =
          Math.min(other.ends[first], other.starts[first] + (range.start() - starts[first]));
      int last = partAt(range.end() - 1);
      long end =
          range.end() == ends[last]
              ? other.ends[last]
              : Math.min(other.ends[last], other.starts[last] + (range.end() - starts[last]));
      if (start < end) { // Else the part is so much shorter that the range before has all of it.
        moved.add(ByteRange.of(start, end));
      }
    }
    return moved;
  }
}
