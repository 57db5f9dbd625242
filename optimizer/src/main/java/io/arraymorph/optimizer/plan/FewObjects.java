package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CallTotals;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.profile.Prices;
import io.arraymorph.store.ByteRange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Few objects with few needed runs each, by what is needed of them: small enough to be planned by
 * an {@link ExactSearch}. Immutable.
 */
final class FewObjects {
  private static final int MOST_KINDS = 16;
  private static final int MOST_OBJECTS = 64;
  private static final int MOST_UNMERGED_RUNS = 1024;
  private static final int MOST_RUNS = 192;
  private static final int MOST_RUNS_OF_ONE = 48;

  /** Objects of which the same is needed, in any of the groups. */
  private record Kind(
      GroupOptions options, List<ByteRange.Bounded> runs, int objects, List<Integer> groups) {}

  /** How one object is read: by no ranges, if whole. */
  record Read(int kind, List<ObjectCuts.Divided> ranges) {}

  private final List<NeedGroup> groups;
  private final CostModel model;
  private final boolean apart;
  private final List<Kind> kinds = new ArrayList<>();

  private FewObjects(List<NeedGroup> groups, CostModel model) {
    this.groups = groups;
    this.model = model;
    this.apart = model.profile().transport().partSeconds() > 0;
  }

  /**
   * The objects of some groups; empty if they are too many, or there are too many runs.
   *
   * @param function true if the slice function may be chosen
   */
  static Optional<FewObjects> of(List<NeedGroup> groups, CostModel model, boolean function) {
    if (groups.size() > MOST_OBJECTS
        || groups.stream().mapToDouble(NeedGroup::objects).sum() > MOST_OBJECTS
        || CostPlanner.runs(groups.stream().map(NeedGroup::need)) > MOST_UNMERGED_RUNS) {
      return Optional.empty();
    }
    FewObjects few = new FewObjects(groups, model);
    Map<Object, Integer> known = new HashMap<>();
    for (int i = 0; i < groups.size(); i++) {
      NeedGroup group = groups.get(i);
      if (!group.need().isNothing()) {
        Integer kind = known.putIfAbsent(CostPlanner.kind(group.need()), few.kinds.size());
        few.add(i, kind == null ? -1 : kind, function);
      }
    }
    int runs = few.kinds.stream().mapToInt(kind -> kind.objects * kind.runs.size()).sum();
    int most = few.kinds.stream().mapToInt(kind -> kind.runs.size()).max().orElse(0);
    return few.kinds.size() <= MOST_KINDS && runs <= MOST_RUNS && most <= MOST_RUNS_OF_ONE
        ? Optional.of(few)
        : Optional.empty();
  }

  private void add(int number, int kind, boolean function) {
    NeedGroup group = groups.get(number);
    int objects = (int) group.objects();
    if (kind < 0) {
      GroupOptions options = new GroupOptions(group, model, function, GroupPlan.UNKNOWN_BYTES);
      List<ByteRange.Bounded> runs = options.ranges().ranges(0, RangeOptions.UNBOUNDED);
      kinds.add(new Kind(options, runs, objects, List.of(number)));
    } else {
      Kind old = kinds.get(kind);
      List<Integer> numbers = new ArrayList<>(old.groups);
      numbers.add(number);
      kinds.set(kind, new Kind(old.options, old.runs, old.objects + objects, numbers));
    }
  }

  /** How many kinds of objects there are. */
  int kinds() {
    return kinds.size();
  }

  /** How many objects there are. */
  int objects() {
    return kinds.stream().mapToInt(Kind::objects).sum();
  }

  /** How many objects of a kind there are. */
  int objects(int kind) {
    return kinds.get(kind).objects;
  }

  /** What is needed of each object of a kind. */
  ObjectNeed need(int kind) {
    return kinds.get(kind).options.group().need();
  }

  /** The calls that one object takes, if the slice function may be chosen. */
  Optional<CallTotals> calls(int kind) {
    return kinds.get(kind).options.calls();
  }

  /**
   * How one object of a kind can be read.
   *
   * @param bound on bytes of a request
   * @param perCharge bytes that a charged request counts as much as
   */
  ReadTable.Ways ways(int kind, long bound, double perCharge) {
    ObjectNeed need = need(kind);
    Prices prices = model.profile().prices();
    boolean known = need.objectBytes().isPresent();
    boolean dividable = known || need.bytes() instanceof NeededBytes.Runs;
    List<ByteRange.Bounded> runs = kinds.get(kind).runs;
    long bytes = need.assumedBytes(GroupPlan.UNKNOWN_BYTES);
    boolean isShort = Math.max(bytes, runs.get(runs.size() - 1).end()) <= bound;
    // Where a part of an object takes no longer, all of it is never better than what is needed.
    boolean whole = isShort && (!dividable || (known && apart));
    return new ReadTable.Ways(
        dividable ? Optional.of(new ObjectCuts(runs, bound, prices, perCharge)) : Optional.empty(),
        whole ? Optional.of(bytes) : Optional.empty(),
        apart,
        prices,
        perCharge);
  }

  /**
   * How each object of a table is read.
   *
   * @param requests in all: if that is more than the cell has, the longest ranges are divided
   */
  static List<Read> reads(ReadTable table, int cell, long requests) {
    List<Read> reads = new ArrayList<>();
    table.forEach(cell, (kind, ranges) -> reads.add(new Read(kind, new ArrayList<>(ranges))));
    for (long n = table.requests(cell); n < requests; n++) {
      divideLongest(reads);
    }
    return reads;
  }

  private static void divideLongest(List<Read> reads) {
    List<ObjectCuts.Divided> in = List.of();
    int at = 0;
    for (Read read : reads) {
      for (int i = 0; i < read.ranges.size(); i++) {
        if (in.isEmpty() || read.ranges.get(i).longest() > in.get(at).longest()) {
          in = read.ranges;
          at = i;
        }
      }
    }
    ObjectCuts.Divided one = in.get(at);
    in.set(at, new ObjectCuts.Divided(one.start(), one.end(), one.requests() + 1));
  }

  /** What these reads amount to. */
  AccessTotals totals(List<Read> reads) {
    AccessTotals totals = AccessTotals.NONE;
    for (Read read : reads) {
      totals = totals.plus(access(read).totals(model, GroupPlan.UNKNOWN_BYTES));
    }
    return totals;
  }

  /** A plan of these reads, where what is not read of each kind is left to the function. */
  List<GroupPlan.Part> parts(List<Read> reads) {
    List<Deque<ChunkAccess>> accesses = new ArrayList<>();
    kinds.forEach(kind -> accesses.add(new ArrayDeque<>()));
    reads.forEach(read -> accesses.get(read.kind).add(access(read)));
    List<GroupPlan.Part> parts = new ArrayList<>();
    for (int i = 0; i < kinds.size(); i++) {
      int calls = kinds.get(i).objects - accesses.get(i).size();
      if (calls > 0) {
        ChunkAccess call = kinds.get(i).options.functionAccess();
        accesses.get(i).addAll(Collections.nCopies(calls, call));
      }
      for (int group : kinds.get(i).groups) {
        for (long n = groups.get(group).objects(); n > 0; n--) {
          ChunkAccess access = accesses.get(i).remove().of(groups.get(group).need());
          parts.add(new GroupPlan.Part(group, access, 1));
        }
      }
    }
    for (int group = 0; group < groups.size(); group++) {
      ObjectNeed need = groups.get(group).need();
      if (need.isNothing()) {
        long objects = groups.get(group).objects();
        parts.add(new GroupPlan.Part(group, ChunkAccess.ofNothing(need), objects));
      }
    }
    parts.sort(Comparator.comparingInt(GroupPlan.Part::group));
    return parts;
  }

  private ChunkAccess access(Read read) {
    Kind kind = kinds.get(read.kind);
    ObjectNeed need = kind.options.group().need();
    List<ByteRange.Bounded> ranges = new ArrayList<>();
    for (ObjectCuts.Divided range : read.ranges) {
      for (long i = 0; i < range.requests(); i++) {
        needed(kind.runs, range.start(i), range.start(i + 1)).ifPresent(ranges::add);
      }
    }
    ranges.sort(Comparator.comparingLong(ByteRange.Bounded::start));
    boolean whole = ranges.size() == 1 && ranges.get(0).length() == need.objectBytes().orElse(-1);
    return whole || ranges.isEmpty()
        ? new ChunkAccess.WholeObject(need)
        : new ChunkAccess.Ranges(need, ranges);
  }

  /** From the first to the last needed byte of a range that may begin or end in a gap. */
  private static Optional<ByteRange.Bounded> needed(
      List<ByteRange.Bounded> runs, long start, long end) {
    long first = Long.MAX_VALUE;
    long last = 0;
    for (ByteRange.Bounded run : runs) {
      if (run.start() < end && run.end() > start) {
        first = Math.min(first, Math.max(start, run.start()));
        last = Math.max(last, Math.min(end, run.end()));
      }
    }
    return first < last ? Optional.of(ByteRange.of(first, last)) : Optional.empty();
  }
}
