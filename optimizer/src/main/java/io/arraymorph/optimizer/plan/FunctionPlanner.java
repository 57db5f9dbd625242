package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.CallTotals;
import io.arraymorph.optimizer.cost.CostModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Leaves all to the slice function, for comparison and tests; whole objects where it cannot answer.
 *
 * @param model of the store, whose profile has the limits of the function
 */
public record FunctionPlanner(CostModel model) implements AccessPlanner {
  /** A planner of a store. */
  public FunctionPlanner {
    Objects.requireNonNull(model);
  }

  @Override
  public String label() {
    return "lambda";
  }

  @Override
  public CostModel model(String uri) {
    return model;
  }

  @Override
  public AccessPlan plan(List<ObjectNeed> needs) {
    List<ChunkAccess> accesses = new ArrayList<>();
    for (ObjectNeed need : needs) {
      Optional<CallTotals> calls =
          need.isNothing() ? Optional.empty() : need.sliceCall().flatMap(model::calls);
      if (calls.isPresent()) {
        accesses.add(ChunkAccess.SliceFunction.of(need, calls.get()));
      } else {
        accesses.add(FixedPlanner.GET.plan(List.of(need)).accesses().get(0));
      }
    }
    return new AccessPlan(label(), accesses);
  }

  @Override
  public boolean readsWhole(ShardNeed shard) {
    return false;
  }
}
