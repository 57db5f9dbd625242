package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.AccessCost;
import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CostModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Accesses for groups of objects: one of each kind, with the number of objects it stands for.
 *
 * @param planner name of the planner that made it
 * @param parts in the order of the groups; a group has several if its objects are read differently
 * @param totals of all requests
 * @param cost of all requests under the planner's own model
 */
public record GroupPlan(String planner, List<Part> parts, AccessTotals totals, AccessCost cost) {

  /** What an object is assumed to hold all of whose unknown number of bytes are needed. */
  static final long UNKNOWN_BYTES = 1 << 20;

  /**
   * Objects that are read alike.
   *
   * @param group number of their group
   * @param access of one of them
   * @param objects how many there are
   */
  public record Part(int group, ChunkAccess access, long objects) {}

  /** Copies the list. */
  public GroupPlan {
    parts = List.copyOf(parts);
  }

  /** The plan of these parts and what it costs. */
  static GroupPlan of(String planner, List<Part> parts, CostModel model) {
    AccessTotals totals = AccessTotals.NONE;
    for (Part part : parts) {
      AccessTotals one = part.access.totals(model, UNKNOWN_BYTES);
      totals = totals.plus(one.times((double) part.objects));
    }
    return new GroupPlan(planner, parts, totals, model.cost(totals));
  }

  /** A plan of single objects, each as a group of its own. */
  static GroupPlan of(AccessPlan plan, CostModel model) {
    List<Part> parts = new ArrayList<>();
    for (ChunkAccess access : plan.accesses()) {
      parts.add(new Part(parts.size(), access, 1));
    }
    return of(plan.planner(), parts, model);
  }

  /** The number of requests by access method, as {@code {ranges=4, whole=1}}. */
  public Map<String, Long> requestsByMethod() {
    Map<String, Long> requests = new TreeMap<>();
    for (Part part : parts) {
      AccessPlan one = new AccessPlan(planner, List.of(part.access));
      one.requestsByMethod()
          .forEach((method, count) -> requests.merge(method, count * part.objects, Long::sum));
    }
    return requests;
  }

  /**
   * The plan of single objects.
   *
   * @param needs all of them
   * @param groups the number of each one's group; objects of a group are served in this order
   */
  AccessPlan expand(List<ObjectNeed> needs, int[] groups) {
    int count = 0;
    for (Part part : parts) {
      count = Math.max(count, part.group + 1);
    }
    List<List<Part>> ofGroup = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ofGroup.add(new ArrayList<>());
    }
    parts.forEach(part -> ofGroup.get(part.group).add(part));
    int[] at = new int[count];
    long[] used = new long[count];
    List<ChunkAccess> accesses = new ArrayList<>(needs.size());
    for (int i = 0; i < needs.size(); i++) {
      int group = groups[i];
      List<Part> mine = ofGroup.get(group);
      if (used[group] == mine.get(at[group]).objects) {
        at[group]++;
        used[group] = 0;
      }
      used[group]++;
      accesses.add(mine.get(at[group]).access.of(needs.get(i)));
    }
    return new AccessPlan(planner, accesses);
  }
}
