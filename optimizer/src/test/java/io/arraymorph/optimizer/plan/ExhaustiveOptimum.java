package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CallTotals;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.store.ByteRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * The least that reading some objects can cost: of all partitions of the needed runs of each object
 * into ranges, each as it is and with every range divided into some equal parts, of whole objects
 * and of the slice function.
 *
 * <p>Costs depend on sums over objects. Of sums of the same requests, fees and calls, those are
 * left out than which others move no more bytes and have no longer range: a model never finds them
 * cheaper.
 */
final class ExhaustiveOptimum {
  private static final int MOST_RUNS = 10;
  private static final int MOST_SUMS = 10_000;
  private static final int[] PARTS = {1, 2, 3, 4, 8};

  private record Kind(
      double requests, double parts, double charged, CallTotals calls, int byRanges) {}

  private record Sum(AccessTotals totals, int byRanges) {}

  private final PlanInstance instance;
  private final CostModel model;

  private ExhaustiveOptimum(PlanInstance instance) {
    this.instance = instance;
    this.model = instance.model();
  }

  /** Empty if there are too many ways to try each. */
  static OptionalDouble of(PlanInstance instance) {
    ExhaustiveOptimum optimum = new ExhaustiveOptimum(instance);
    List<Sum> sums = List.of(new Sum(AccessTotals.NONE, 0));
    for (ObjectNeed need : instance.needs()) {
      List<Sum> ways = optimum.ways(need);
      if (ways.isEmpty() || (long) sums.size() * ways.size() > MOST_SUMS) {
        return OptionalDouble.empty();
      }
      List<Sum> longer = new ArrayList<>();
      for (Sum sum : sums) {
        for (Sum way : ways) {
          longer.add(new Sum(sum.totals.plus(way.totals), sum.byRanges + way.byRanges));
        }
      }
      sums = undominated(longer);
    }
    return sums.stream().mapToDouble(optimum::cost).min();
  }

  /** What a plan costs that reads indexes before parts of objects, if there are any. */
  static double cost(PlanInstance instance, AccessPlan plan) {
    ExhaustiveOptimum optimum = new ExhaustiveOptimum(instance);
    AccessTotals totals = plan.totals(instance.model(), GroupPlan.UNKNOWN_BYTES);
    int byRanges = 0;
    for (ChunkAccess access : plan.accesses()) {
      byRanges += access instanceof ChunkAccess.SliceFunction ? 0 : waits(access.need());
    }
    return optimum.cost(new Sum(totals, byRanges));
  }

  private static int waits(ObjectNeed need) {
    return need.bytes() instanceof NeededBytes.Runs && !need.isNothing() ? 1 : 0;
  }

  private double cost(Sum sum) {
    AccessTotals totals = sum.totals;
    if (instance.indexBytes() == 0) {
      return model.cost(totals).weighted(instance.phi());
    }
    double bytes = (double) instance.indexBytes();
    AccessTotals indexes = AccessTotals.reads(1, bytes, bytes).times(sum.byRanges);
    AccessTotals reads =
        new AccessTotals(
            totals.requests(),
            totals.parts(),
            totals.chargedRequests(),
            totals.bytes(),
            totals.longestBytes(),
            CallTotals.NONE);
    return model.inPasses(totals.plus(indexes), indexes, reads).weighted(instance.phi());
  }

  private static List<Sum> undominated(List<Sum> sums) {
    sums.sort(
        Comparator.<Sum>comparingDouble(sum -> sum.totals.bytes())
            .thenComparingDouble(sum -> sum.totals.longestBytes()));
    Map<Kind, Double> shortest = new HashMap<>();
    List<Sum> kept = new ArrayList<>();
    for (Sum sum : sums) {
      AccessTotals t = sum.totals;
      Kind kind = new Kind(t.requests(), t.parts(), t.chargedRequests(), t.calls(), sum.byRanges);
      if (t.longestBytes() < shortest.getOrDefault(kind, Double.POSITIVE_INFINITY)) {
        shortest.put(kind, t.longestBytes());
        kept.add(sum);
      }
    }
    return kept;
  }

  private List<Sum> ways(ObjectNeed need) {
    if (need.isNothing()) {
      return List.of(new Sum(AccessTotals.NONE, 0));
    }
    List<Sum> ways = new ArrayList<>();
    boolean runs = need.bytes() instanceof NeededBytes.Runs;
    if (!runs || need.objectBytes().isPresent()) {
      ways.add(sum(new ChunkAccess.WholeObject(need)));
    }
    if (runs || need.objectBytes().isPresent()) {
      List<ByteRange.Bounded> exact =
          runs
              ? RangeMerge.merge(((NeededBytes.Runs) need.bytes()).parts(), GapRule.EXACT)
              : List.of(ByteRange.of(0, need.objectBytes().getAsLong()));
      if (exact.size() > MOST_RUNS) {
        return List.of();
      }
      for (int cuts = 0; cuts < 1 << (exact.size() - 1); cuts++) {
        List<ByteRange.Bounded> ranges = cut(exact, cuts);
        for (int parts : PARTS) {
          ways.add(sum(new ChunkAccess.Ranges(need, divided(ranges, parts))));
        }
      }
    }
    if (instance.function()) {
      need.sliceCall()
          .flatMap(model::calls)
          .ifPresent(calls -> ways.add(new Sum(new AccessTotals(0, 0, 0, 0, 0, calls), 0)));
    }
    return undominated(ways);
  }

  private Sum sum(ChunkAccess access) {
    return new Sum(access.totals(model, GroupPlan.UNKNOWN_BYTES), waits(access.need()));
  }

  /** Cut after each run whose bit is set. */
  static List<ByteRange.Bounded> cut(List<ByteRange.Bounded> exact, int cuts) {
    List<ByteRange.Bounded> ranges = new ArrayList<>();
    long start = exact.get(0).start();
    for (int i = 0; i < exact.size(); i++) {
      boolean last = i == exact.size() - 1;
      if (last || (cuts >> i & 1) == 1) {
        ranges.add(ByteRange.of(start, exact.get(i).end()));
        start = last ? 0 : exact.get(i + 1).start();
      }
    }
    return ranges;
  }

  /** Every range divided into about equal parts. */
  static List<ByteRange.Bounded> divided(List<ByteRange.Bounded> ranges, int parts) {
    List<ByteRange.Bounded> divided = new ArrayList<>();
    for (ByteRange.Bounded range : ranges) {
      long each = (range.length() + parts - 1) / parts;
      for (long start = range.start(); start < range.end(); start += each) {
        divided.add(ByteRange.of(start, Math.min(range.end(), start + each)));
      }
    }
    return divided;
  }
}
