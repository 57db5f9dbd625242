package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CostModel;
import java.util.ArrayList;
import java.util.List;
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

  /**
   * The cheapest of a plan, one that leaves all to the function, one that does not call it, and
   * those of the planners that always do the same.
   *
   * @param plan as if everything were read at once
   * @param plans what another planner makes of the same needs
   */
  GroupPlan cheapest(GroupPlan plan, Function<AccessPlanner, GroupPlan> plans) {
    boolean waits = plan.parts().stream().anyMatch(part -> waits(part.access()));
    if (!planner.function() || indexBytes == 0 || !waits) {
      return plan;
    }
    GroupPlan best = plan;
    double least = cost(plan);
    CostModel model = planner.model();
    boolean calls = plan.parts().stream().anyMatch(part -> isCall(part.access()));
    // Not whole objects: the length of a shard is not known.
    List<AccessPlanner> others =
        new ArrayList<>(List.of(FixedPlanner.RANGE, FixedPlanner.MERGE, GapPlanner.DEFAULT));
    others.add(new FunctionPlanner(model));
    if (calls) {
      others.add(new CostPlanner(model, planner.phi(), false));
    }
    for (AccessPlanner other : others) {
      GroupPlan found = plans.apply(other);
      double cost = cost(found);
      if (cost < least) {
        least = cost;
        best = new GroupPlan(plan.planner(), found.parts(), found.totals(), found.cost());
      }
    }
    return best;
  }

  private static boolean isCall(ChunkAccess access) {
    return access instanceof ChunkAccess.SliceFunction;
  }

  /** True if an index must be read before. */
  private static boolean waits(ChunkAccess access) {
    return !isCall(access)
        && access.need().bytes() instanceof NeededBytes.Runs
        && !access.need().isNothing()
        && !access.need().held().index();
  }

  /** Weighted seconds if indexes are read first; calls and what needs no index go beside. */
  double cost(GroupPlan plan) {
    CostModel model = planner.model();
    AccessTotals index = AccessTotals.reads(1, (double) indexBytes, (double) indexBytes);
    AccessTotals indexes = AccessTotals.NONE;
    AccessTotals after = AccessTotals.NONE;
    for (GroupPlan.Part part : plan.parts()) {
      if (waits(part.access())) {
        double objects = (double) part.objects();
        indexes = indexes.plus(index.times(objects));
        after = after.plus(part.access().totals(model, GroupPlan.UNKNOWN_BYTES).times(objects));
      }
    }
    return model.inPasses(plan.totals().plus(indexes), indexes, after).weighted(planner.phi());
  }
}
