package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.AccessCost;
import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CostModel;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What reading a selection will take, foreseen from metadata alone.
 *
 * <p>Nothing is asked of the store: absent chunks count as if they existed, and compressed bytes
 * count as their decoded size, which is then an upper bound. What several boxes need of one object
 * counts once, unless they share more chunks than are looked at.
 *
 * @param chunks stored objects touched
 * @param totalChunks stored objects of the whole grid
 * @param requestsByMethod requests by access method, as {@code {index=1, ranges=4}}
 * @param totalsByMethod what a cost model has to know of the requests of each method
 * @param totals what a cost model has to know of all requests
 * @param bytesNeeded bytes of the selected elements
 * @param held what is not fetched because the reader has it in memory
 * @param upperBound true if the bytes to move count compressed bytes as decoded, or what boxes
 *     share for each box
 * @param sampled true if there were too many different chunks to plan them all, and the sums are
 *     extrapolated, or too many shared ones, and these count for each box
 */
public record PlanEstimate(
    long chunks,
    long totalChunks,
    Map<String, Long> requestsByMethod,
    Map<String, AccessTotals> totalsByMethod,
    AccessTotals totals,
    long bytesNeeded,
    Held held,
    boolean upperBound,
    boolean sampled) {
  /** The method of reads of shard indexes. */
  static final String INDEX = "index";

  private static final Set<String> BESIDE_INDEXES = Set.of(INDEX, "whole", "function");

  /** Copies the maps. */
  public PlanEstimate {
    requestsByMethod = Map.copyOf(requestsByMethod);
    totalsByMethod = Map.copyOf(totalsByMethod);
  }

  /** Bytes of all answers. */
  public long bytesToMove() {
    return Math.round(totals.movedBytes());
  }

  /** Estimated seconds and dollars under a model of the store. */
  public AccessCost cost(CostModel model) {
    return cost(model, 1);
  }

  /**
   * The same for a share of all requests, as one of several tasks has. Indexes of shards are read
   * before the ranges that they tell, but beside whole objects and calls of the function.
   *
   * @param share of the requests, above 0
   */
  public AccessCost cost(CostModel model, double share) {
    AccessTotals indexes = totalsByMethod.get(INDEX);
    if (indexes == null) {
      return model.cost(totals.times(share));
    }
    AccessTotals after = AccessTotals.NONE;
    for (Map.Entry<String, AccessTotals> method : totalsByMethod.entrySet()) {
      if (!BESIDE_INDEXES.contains(method.getKey())) {
        after = after.plus(method.getValue());
      }
    }
    return model.inPasses(totals.times(share), indexes.times(share), after.times(share));
  }

  /** The number of requests by all methods. */
  public long requests() {
    return requestsByMethod.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Both together, for arrays that are read at once. */
  public PlanEstimate plus(PlanEstimate other) {
    Map<String, Long> requests = new TreeMap<>(requestsByMethod);
    other.requestsByMethod.forEach((method, n) -> requests.merge(method, n, Long::sum));
    Map<String, AccessTotals> totalsOf = new TreeMap<>(totalsByMethod);
    other.totalsByMethod.forEach((method, t) -> totalsOf.merge(method, t, AccessTotals::plus));
    return new PlanEstimate(
        chunks + other.chunks,
        totalChunks + other.totalChunks,
        requests,
        totalsOf,
        totals.plus(other.totals),
        bytesNeeded + other.bytesNeeded,
        held.plus(other.held),
        upperBound || other.upperBound,
        sampled || other.sampled);
  }

  /** As {@code 4 of 256 chunks, 4 requests (ranges 4), 77992 bytes to move for 1764 needed}. */
  public String explain() {
    StringBuilder text = new StringBuilder();
    text.append(chunks).append(" of ").append(totalChunks).append(" chunks, ");
    text.append(sampled ? "about " : "").append(requests()).append(" requests");
    String separator = " (";
    for (Map.Entry<String, Long> method : new TreeMap<>(requestsByMethod).entrySet()) {
      text.append(separator).append(method.getKey()).append(' ').append(method.getValue());
      separator = ", ";
    }
    text.append(requestsByMethod.isEmpty() ? "" : ")");
    if (held.chunks() > 0) {
      text.append(", ").append(held.chunks()).append(" cached");
    }
    text.append(", ").append(upperBound ? "at most " : "").append(bytesToMove());
    return text.append(" bytes to move for ").append(bytesNeeded).append(" needed").toString();
  }
}
