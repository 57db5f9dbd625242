package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CostModel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Plans for shards, which a reader can only read in parts after their indexes, while the slice
 * function reads those itself: a plan that looks cheap because it divides the work between both may
 * be dearer than either alone, for its reads wait twice. Immutable.
 *
 * @param planner whose model and phi count
 * @param indexBytes of the index of an object of which runs are needed; 0 if there is none
 */
record IndexedPlans(CostPlanner planner, long indexBytes) {
  /** Of more groups none is tried alone: that takes time by the square of their number. */
  private static final int MOST_GROUPS = 32;

  /** What a plan does with one group, and what that adds to everything and to each pass. */
  private record Way(
      List<GroupPlan.Part> parts, AccessTotals all, AccessTotals indexes, AccessTotals after) {}

  /**
   * The cheapest of a plan, one that leaves all to the function, one that does not call it, and
   * those of the planners that always do the same; then with single groups as another of them has
   * them, as long as that is cheaper.
   *
   * @param plan as if everything were read at once
   * @param plans what another planner makes of the same needs
   */
  GroupPlan cheapest(GroupPlan plan, Function<AccessPlanner, GroupPlan> plans) {
    boolean waits = plan.parts().stream().anyMatch(part -> waits(part.access()));
    if (!planner.function() || indexBytes == 0 || !waits) {
      return plan;
    }
    CostModel model = planner.model();
    boolean calls = plan.parts().stream().anyMatch(part -> isCall(part.access()));
    // Not whole objects: the length of a shard is not known.
    List<AccessPlanner> others =
        new ArrayList<>(List.of(FixedPlanner.RANGE, FixedPlanner.MERGE, GapPlanner.DEFAULT));
    others.add(new FunctionPlanner(model));
    if (calls) {
      others.add(new CostPlanner(model, planner.phi(), false));
    }
    List<Map<Integer, Way>> found = new ArrayList<>(List.of(ways(plan)));
    others.forEach(other -> found.add(ways(plans.apply(other))));
    Map<Integer, Way> best = found.get(0);
    double least = cost(best.values());
    for (Map<Integer, Way> other : found) {
      double cost = cost(other.values());
      if (cost < least) {
        least = cost;
        best = other;
      }
    }
    Map<Integer, Way> mixed = new TreeMap<>(best);
    while (mixed.size() <= MOST_GROUPS && exchange(mixed, found)) {
      // Again, for one group's change may make room for another's.
    }
    List<GroupPlan.Part> parts =
        mixed.values().stream().flatMap(way -> way.parts.stream()).toList();
    return GroupPlan.of(plan.planner(), parts, model);
  }

  /** Exchanges what single groups do if that is cheaper; true if it was for any. */
  private boolean exchange(Map<Integer, Way> mixed, List<Map<Integer, Way>> found) {
    double before = cost(mixed.values());
    double least = before;
    for (Map<Integer, Way> other : found) {
      for (Map.Entry<Integer, Way> group : mixed.entrySet()) {
        Way old = group.setValue(other.get(group.getKey()));
        double cost = cost(mixed.values());
        if (cost < least * (1 - 1e-9)) {
          least = cost;
        } else {
          group.setValue(old);
        }
      }
    }
    return least < before * (1 - 1e-4);
  }

  private static boolean isCall(ChunkAccess access) {
    return access instanceof ChunkAccess.SliceFunction;
  }

  /** True if an index must be read before. */
  private static boolean waits(ChunkAccess access) {
    return !isCall(access) && waits(access.need());
  }

  /** True if an index must be read before any of the object. */
  static boolean waits(ObjectNeed need) {
    return need.bytes() instanceof NeededBytes.Runs && !need.isNothing() && !need.held().index();
  }

  /** What a plan does with each group. */
  private Map<Integer, Way> ways(GroupPlan plan) {
    AccessTotals index = AccessTotals.reads(1, (double) indexBytes, (double) indexBytes);
    Map<Integer, Way> ways = new TreeMap<>();
    for (GroupPlan.Part part : plan.parts()) {
      double objects = (double) part.objects();
      AccessTotals reads =
          part.access().totals(planner.model(), GroupPlan.UNKNOWN_BYTES).times(objects);
      boolean waits = waits(part.access());
      AccessTotals indexes = waits ? index.times(objects) : AccessTotals.NONE;
      AccessTotals after = waits ? reads : AccessTotals.NONE;
      ways.merge(
          part.group(),
          new Way(List.of(part), reads.plus(indexes), indexes, after),
          IndexedPlans::together);
    }
    return ways;
  }

  private static Way together(Way one, Way other) {
    List<GroupPlan.Part> parts = new ArrayList<>(one.parts);
    parts.addAll(other.parts);
    return new Way(
        parts,
        one.all.plus(other.all),
        one.indexes.plus(other.indexes),
        one.after.plus(other.after));
  }

  /** Weighted seconds if indexes are read first; calls and what needs no index go beside. */
  private double cost(Collection<Way> ways) {
    AccessTotals all = AccessTotals.NONE;
    AccessTotals indexes = AccessTotals.NONE;
    AccessTotals after = AccessTotals.NONE;
    for (Way way : ways) {
      all = all.plus(way.all);
      indexes = indexes.plus(way.indexes);
      after = after.plus(way.after);
    }
    return planner.model().inPasses(all, indexes, after).weighted(planner.phi());
  }

  /** Weighted seconds of a plan whose reads wait for indexes. */
  double cost(GroupPlan plan) {
    return cost(ways(plan).values());
  }
}
