package io.arraymorph.optimizer.plan;

import io.arraymorph.ArrayMorphException;
import java.util.List;
import java.util.Optional;

/**
 * Chooses how the needed bytes of objects are fetched.
 *
 * <p>A pure function: the same needs give the same plan, and nothing is read. The accesses of a
 * plan cover all needed bytes of their objects. Implementations are immutable and thread-safe.
 */
public interface AccessPlanner {

  /**
   * The planner of a name: {@code auto}, {@code get}, {@code range}, {@code merge} or {@code paper};
   * {@link PlannerOptions} says more than a name.
   *
   * @throws ArrayMorphException with INVALID_OPTION for other names
   */
  static AccessPlanner named(String name) {
    return PlannerOptions.parse(name, Optional.empty(), Optional.empty()).planner();
  }

  /** The name users see and choose by, as {@code auto}. */
  String label();

  /** One access for each need, in the same order. */
  AccessPlan plan(List<ObjectNeed> needs);

  /**
   * This planner for a reader that sends at most so many requests at once; itself if that does not
   * matter to it.
   */
  default AccessPlanner withConcurrency(int requests) {
    return this;
  }

  /**
   * True if a shard shall be fetched whole, without reading its index first.
   *
   * @param shard what is known of the shard before its index is
   */
  boolean readsWhole(ShardNeed shard);
}
