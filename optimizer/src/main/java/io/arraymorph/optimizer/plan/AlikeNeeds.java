package io.arraymorph.optimizer.plan;

import io.arraymorph.store.ByteRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Objects of which nearly the same is needed, as of shards whose inner chunks were compressed to
 * about the same lengths: one is planned for all of its kind, and its ranges are those of the
 * others, part by part. Immutable.
 */
final class AlikeNeeds {
  /** With more kinds nothing is saved. */
  private static final int MOST_KINDS = 8;

  /** Lengths and places that differ by less are nearly the same. */
  private static final double NEARLY = 0.02;

  private final List<ObjectNeed> needs;
  private final List<Parts> parts;

  /** The first of each kind, and of each need which one is like it. */
  private final List<Integer> kinds = new ArrayList<>();

  private final int[] kindOf;

  private AlikeNeeds(List<ObjectNeed> needs, List<Parts> parts) {
    this.needs = needs;
    this.parts = parts;
    this.kindOf = new int[needs.size()];
    for (int i = 0; i < kindOf.length; i++) {
      int kind = 0;
      while (kind < kinds.size() && !isAlike(kinds.get(kind), i)) {
        kind++;
      }
      if (kind == kinds.size()) {
        kinds.add(i);
      }
      kindOf[i] = kind;
    }
  }

  /** The kinds of needs, where each is of single runs, and fewer kinds than needs. */
  static Optional<AlikeNeeds> of(List<ObjectNeed> needs) {
    List<Parts> parts = new ArrayList<>();
    for (ObjectNeed need : needs) {
      Optional<Parts> found = Parts.of(need);
      if (found.isEmpty() || need.decoded().isPresent()) {
        return Optional.empty();
      }
      parts.add(found.get());
    }
    AlikeNeeds alike = new AlikeNeeds(needs, parts);
    return alike.kinds.size() < needs.size() && alike.kinds.size() <= MOST_KINDS
        ? Optional.of(alike)
        : Optional.empty();
  }

  private boolean isAlike(int one, int other) {
    return needs.get(one).objectBytes().isEmpty()
        && needs.get(other).objectBytes().isEmpty()
        && parts.get(one).isAlike(parts.get(other));
  }

  /**
   * One group for each kind.
   *
   * @param of how many objects there are in all, at least as many as these
   */
  List<NeedGroup> groups(long of) {
    long[] members = new long[kinds.size()];
    for (int kind : kindOf) {
      members[kind]++;
    }
    List<NeedGroup> groups = new ArrayList<>();
    for (int kind = 0; kind < members.length; kind++) {
      long share = Math.max(members[kind], members[kind] * of / needs.size());
      groups.add(new NeedGroup(needs.get(kinds.get(kind)), share));
    }
    return groups;
  }

  /**
   * The access of each object as its kind's.
   *
   * @param ways an access for each of the {@link #groups}
   * @return empty if a way is not to be had for others
   */
  Optional<List<ChunkAccess>> accesses(List<ChunkAccess> ways) {
    List<ChunkAccess> accesses = new ArrayList<>();
    for (int i = 0; i < kindOf.length; i++) {
      ChunkAccess way = ways.get(kindOf[i]);
      Parts from = parts.get(kinds.get(kindOf[i]));
      if (!(way instanceof ChunkAccess.Ranges) || !from.hasBounds((ChunkAccess.Ranges) way)) {
        return Optional.empty();
      }
      accesses.add(
          new ChunkAccess.Ranges(
              needs.get(i), from.moved(((ChunkAccess.Ranges) way).ranges(), parts.get(i))));
    }
    return Optional.of(accesses);
  }

  /** The needed parts of an object: ascending and disjoint. */
  private static final class Parts {
    private final long[] starts;
    private final long[] ends;

    private Parts(long[] starts, long[] ends) {
      this.starts = starts;
      this.ends = ends;
    }

    static Optional<Parts> of(ObjectNeed need) {
      if (!(need.bytes() instanceof NeededBytes.Runs)) {
        return Optional.empty();
      }
      List<ByteRuns> runs = ((NeededBytes.Runs) need.bytes()).parts();
      long[] starts = new long[runs.size()];
      long[] ends = new long[starts.length];
      for (int i = 0; i < starts.length; i++) {
        starts[i] = runs.get(i).first();
        ends[i] = runs.get(i).end();
        if (runs.get(i).runCount() > 1 || (i > 0 && starts[i] < ends[i - 1])) {
          return Optional.empty();
        }
      }
      return starts.length == 0 ? Optional.empty() : Optional.of(new Parts(starts, ends));
    }

    /** True if all lengths and gaps are nearly the same; where there is no gap, none is either. */
    boolean isAlike(Parts other) {
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

    /** True if every range begins and ends in a needed part. */
    boolean hasBounds(ChunkAccess.Ranges way) {
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
    List<ByteRange.Bounded> moved(List<ByteRange.Bounded> ranges, Parts other) {
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
}
