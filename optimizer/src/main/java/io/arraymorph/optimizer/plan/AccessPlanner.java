package io.arraymorph.optimizer.plan;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.util.List;
import java.util.Locale;

/**
 * Chooses how the needed bytes of objects are fetched.
 *
 * <p>A pure function: the same needs give the same plan, and nothing is read. The accesses of a
 * plan cover all needed bytes of their objects. Implementations are immutable and thread-safe.
 */
public interface AccessPlanner {

  /**
   * The planner of a name: {@code auto}, {@code get}, {@code range} or {@code merge}.
   *
   * @throws ArrayMorphException with INVALID_OPTION for other names
   */
  static AccessPlanner named(String name) {
    switch (name.trim().toLowerCase(Locale.ROOT)) {
      case "auto":
        return GapPlanner.DEFAULT;
      case "get":
        return FixedPlanner.GET;
      case "range":
        return FixedPlanner.RANGE;
      case "merge":
        return FixedPlanner.MERGE;
      default:
        throw new ArrayMorphException(
            ErrorCode.INVALID_OPTION,
            "planner '" + name + "' is not known",
            "Use planner=auto, get, range or merge");
    }
  }

  /** The name users see and choose by, as {@code auto}. */
  String label();

  /** One access for each need, in the same order. */
  AccessPlan plan(List<ObjectNeed> needs);

  /**
   * True if a shard shall be fetched whole, without reading its index first.
   *
   * @param shard what is known of the shard before its index is
   */
  boolean readsWhole(ShardNeed shard);
}
