package io.arraymorph.optimizer.plan;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.optimizer.cost.CostModel;
import java.util.ArrayList;
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
   * The planner of a name: {@code auto}, {@code get}, {@code range}, {@code merge} or {@code
   * paper}; {@link PlannerOptions} says more than a name.
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
   * As {@link #plan}, for the first or next of several objects that are read at the same time and
   * like each other: each is planned as if all of them were known, or read as earlier ones like it.
   *
   * @param of how many there are in all, at least as many as {@code needs}
   * @param before of the earlier ones; is told of these
   */
  default AccessPlan planNext(List<ObjectNeed> needs, long of, AlikePlans before) {
    return plan(needs);
  }

  /**
   * As {@link #plan}, for chunks that the slice function can decode: it finds parts of shards by
   * itself, while whoever reads them must read their indexes first, and then wait again.
   *
   * @param indexBytes of the index of an object of which runs are needed; 0 if there is none
   */
  default AccessPlan planIndexed(List<ObjectNeed> needs, long indexBytes) {
    return plan(needs);
  }

  /** As {@link #planGroups}, where runs of an object are only known by its index. */
  default GroupPlan planGroupsIndexed(List<NeedGroup> groups, long indexBytes) {
    return planGroups(groups);
  }

  /**
   * The plan for groups of objects, and what it costs; by default each group is planned by one of
   * its objects.
   */
  default GroupPlan planGroups(List<NeedGroup> groups) {
    List<GroupPlan.Part> parts = new ArrayList<>();
    for (int i = 0; i < groups.size(); i++) {
      ChunkAccess access = plan(List.of(groups.get(i).need())).accesses().get(0);
      parts.add(new GroupPlan.Part(i, access, groups.get(i).objects()));
    }
    String uri = groups.isEmpty() ? "" : groups.get(0).need().object().storeUri();
    return GroupPlan.of(label(), parts, model(uri));
  }

  /**
   * The model by which costs of reads from a store are estimated.
   *
   * @param uri of the store or anything in it
   */
  default CostModel model(String uri) {
    return PlannerOptions.DEFAULT.model(uri, Integer.MAX_VALUE);
  }

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
