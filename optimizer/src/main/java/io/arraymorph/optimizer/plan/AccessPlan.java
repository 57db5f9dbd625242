package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CostModel;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One access for each needed object, in the order of the needs.
 *
 * @param planner name of the planner that made it
 * @param accesses one per need
 */
public record AccessPlan(String planner, List<ChunkAccess> accesses) {
  private static final int EXPLAINED_OBJECTS = 20;

  /** Copies the list. */
  public AccessPlan {
    accesses = List.copyOf(accesses);
  }

  /** The number of requests of all accesses, calls of the slice function included. */
  public long requests() {
    return accesses.stream().mapToLong(AccessPlan::requests).sum();
  }

  private static long requests(ChunkAccess access) {
    return access instanceof ChunkAccess.SliceFunction
        ? ((ChunkAccess.SliceFunction) access).calls()
        : access.requests().size();
  }

  /** The number of requests by access method, as {@code {ranges=4, whole=1}}. */
  public Map<String, Long> requestsByMethod() {
    Map<String, Long> requests = new TreeMap<>();
    for (ChunkAccess access : accesses) {
      if (!(access instanceof ChunkAccess.Cached)) {
        requests.merge(access.method(), requests(access), Long::sum);
      }
    }
    return requests;
  }

  /** What is not fetched because it is in memory. */
  public Held held() {
    return accesses.stream().map(a -> a.need().held()).reduce(Held.NONE, Held::plus);
  }

  /** The bytes to move, as far as lengths are known. */
  public long bytesToMove() {
    return accesses.stream().mapToLong(a -> a.bytesToMove().orElse(0)).sum();
  }

  /** The needed bytes, as far as lengths are known. */
  public long bytesNeeded() {
    return accesses.stream().mapToLong(a -> a.need().neededBytes()).sum();
  }

  /**
   * What a cost model has to know of all requests.
   *
   * @param unknownBytes the length to assume where an object's is not known
   */
  public AccessTotals totals(CostModel model, long unknownBytes) {
    AccessTotals totals = AccessTotals.NONE;
    for (ChunkAccess access : accesses) {
      totals = totals.plus(access.totals(model, unknownBytes));
    }
    return totals;
  }

  /** The number of objects whose length is not known before they are read. */
  public long objectsOfUnknownSize() {
    return accesses.stream().filter(a -> a.bytesToMove().isEmpty()).count();
  }

  /**
   * False if objects are read whole of which parts are needed and whose length is not known: what
   * they hold beside those parts cannot be weighed.
   */
  boolean isWeighable() {
    return accesses.stream()
        .noneMatch(
            access ->
                access instanceof ChunkAccess.WholeObject
                    && access.need().objectBytes().isEmpty()
                    && access.need().bytes() instanceof NeededBytes.Runs);
  }

  /** The plan as text: a line of sums and a line for each of the first objects. */
  public String explain() {
    StringBuilder text = new StringBuilder();
    text.append("planner ").append(planner).append(": ");
    text.append(accesses.size()).append(" objects, ");
    text.append(requests()).append(" requests ").append(requestsByMethod());
    text.append(", ").append(bytesToMove()).append(" bytes to move");
    text.append(", ").append(bytesNeeded()).append(" needed");
    if (held().chunks() > 0) {
      text.append(", ").append(held().chunks()).append(" chunks in memory");
    }
    if (objectsOfUnknownSize() > 0) {
      text.append(", ").append(objectsOfUnknownSize()).append(" objects of unknown size");
    }
    text.append('\n');
    for (ChunkAccess access : accesses.subList(0, Math.min(EXPLAINED_OBJECTS, accesses.size()))) {
      text.append("  ").append(access.need().object().key()).append(": ");
      text.append(access.method());
      if (access instanceof ChunkAccess.Ranges) {
        text.append(' ').append(shortened(((ChunkAccess.Ranges) access).ranges()));
      }
      text.append('\n');
    }
    if (accesses.size() > EXPLAINED_OBJECTS) {
      text.append("  and ").append(accesses.size() - EXPLAINED_OBJECTS).append(" more\n");
    }
    return text.toString();
  }

  private static String shortened(List<?> ranges) {
    return ranges.size() <= 4 ? ranges.toString() : ranges.subList(0, 4) + " of " + ranges.size();
  }
}
