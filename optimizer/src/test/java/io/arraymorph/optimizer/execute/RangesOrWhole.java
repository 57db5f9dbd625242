package io.arraymorph.optimizer.execute;

import io.arraymorph.optimizer.plan.AccessPlan;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.optimizer.plan.FixedPlanner;
import io.arraymorph.optimizer.plan.ObjectNeed;
import io.arraymorph.optimizer.plan.ShardNeed;
import java.util.List;

/** Exact ranges, but shards of which all is needed whole. */
final class RangesOrWhole implements AccessPlanner {
  @Override
  public String label() {
    return "ranges or whole";
  }

  @Override
  public AccessPlan plan(List<ObjectNeed> needs) {
    return FixedPlanner.RANGE.plan(needs);
  }

  @Override
  public boolean readsWhole(ShardNeed shard) {
    return shard.neededInnerChunks() == shard.innerChunks();
  }
}
