package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CallTotals;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.store.ByteRange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Algorithm 1 of the ArrayMorph paper (section 4.2), for comparison: chunk after chunk, one range
 * is split at its largest gap, ties as evenly as can be, a range without gaps in half; a split is
 * kept if it lowers the cost of the query so far; then the cheapest of whole object, ranges and
 * slice function is taken.
 *
 * <p>As published, a slice above the limit of an answer is not left to the function.
 *
 * @param model of the store
 * @param phi seconds that a dollar is worth, 0 or more
 * @param function true if there is a slice function to call
 */
public record PaperPlanner(CostModel model, double phi, boolean function) implements AccessPlanner {
  private static final int MAX_RANGES = 1 << 16;

  /** Throws {@link IllegalArgumentException} if phi is negative or not a number. */
  public PaperPlanner {
    Objects.requireNonNull(model);
    if (!(phi >= 0)) {
      throw new IllegalArgumentException("phi " + phi);
    }
  }

  @Override
  public String label() {
    return "paper";
  }

  @Override
  public boolean readsWhole(ShardNeed shard) {
    return false;
  }

  @Override
  public CostModel model(String uri) {
    return model;
  }

  @Override
  public AccessPlan plan(List<ObjectNeed> needs) {
    List<ChunkAccess> accesses = new ArrayList<>();
    AccessTotals before = AccessTotals.NONE;
    for (ObjectNeed need : needs) {
      ChunkAccess access = access(need, before);
      accesses.add(access);
      before = before.plus(access.totals(model, GroupPlan.UNKNOWN_BYTES));
    }
    return new AccessPlan(label(), accesses);
  }

  private double cost(AccessTotals totals) {
    return model.cost(totals).weighted(phi);
  }

  private ChunkAccess access(ObjectNeed need, AccessTotals before) {
    List<ChunkAccess> candidates = new ArrayList<>();
    if (need.objectBytes().isPresent() || !(need.bytes() instanceof NeededBytes.Runs)) {
      // What an object of unknown length holds beside the needed bytes cannot be weighed.
      candidates.add(new ChunkAccess.WholeObject(need));
    }
    if (need.bytes() instanceof NeededBytes.Runs) {
      List<ByteRuns> parts = ((NeededBytes.Runs) need.bytes()).parts();
      if (parts.isEmpty()) {
        return ChunkAccess.ofNothing(need);
      }
      GapRule rule = GapRule.EXACT;
      for (long gap = 1; RangeMerge.spans(parts, rule) > MAX_RANGES; gap *= 4) {
        rule = GapRule.upTo(gap, gap);
      }
      candidates.add(refined(need, RangeMerge.merge(parts, rule), before));
    } else if (need.objectBytes().isPresent()) {
      List<ByteRange.Bounded> all = List.of(ByteRange.of(0, need.objectBytes().getAsLong()));
      candidates.add(refined(need, all, before));
    }
    Optional<CallTotals> calls =
        function ? need.sliceCall().flatMap(model::calls) : Optional.empty();
    if (calls.isPresent() && calls.get().calls() == 1) {
      candidates.add(ChunkAccess.SliceFunction.of(need, calls.get()));
    }
    return candidates.stream()
        .min(
            Comparator.comparingDouble(
                candidate -> cost(before.plus(candidate.totals(model, GroupPlan.UNKNOWN_BYTES)))))
        .orElseThrow();
  }

  /** The needed ranges first..last as one, or a part of a single one. */
  private record Group(int first, int last, long start, long end) {
    long length() {
      return end - start;
    }
  }

  private ChunkAccess.Ranges refined(
      ObjectNeed need, List<ByteRange.Bounded> needed, AccessTotals before) {
    int last = needed.size() - 1;
    Deque<Group> open = new ArrayDeque<>();
    open.push(new Group(0, last, needed.get(0).start(), needed.get(last).end()));
    List<ByteRange.Bounded> kept = new ArrayList<>();
    double requests = 1;
    double bytes = open.peek().length();
    while (!open.isEmpty()) {
      Group group = open.pop();
      Group[] halves = group.length() > 1 ? split(group, needed) : null;
      if (halves != null && requests < MAX_RANGES) {
        double fewer = bytes - group.length() + halves[0].length() + halves[1].length();
        if (cost(before.plus(AccessTotals.reads(requests + 1, fewer, 0)))
            < cost(before.plus(AccessTotals.reads(requests, bytes, 0)))) {
          requests++;
          bytes = fewer;
          open.push(halves[1]);
          open.push(halves[0]);
          continue;
        }
      }
      kept.add(ByteRange.of(group.start(), group.end()));
    }
    return new ChunkAccess.Ranges(need, kept);
  }

  private static Group[] split(Group group, List<ByteRange.Bounded> needed) {
    if (group.first == group.last) {
      long middle = group.start + group.length() / 2;
      return new Group[] {
        new Group(group.first, group.first, group.start, middle),
        new Group(group.first, group.first, middle, group.end)
      };
    }
    int at = -1;
    long largest = -1;
    long unevenness = 0;
    for (int i = group.first; i < group.last; i++) {
      long gap = needed.get(i + 1).start() - needed.get(i).end();
      long uneven =
          Math.abs((needed.get(i).end() - group.start) - (group.end - needed.get(i + 1).start()));
      if (gap > largest || (gap == largest && uneven < unevenness)) {
        at = i;
        largest = gap;
        unevenness = uneven;
      }
    }
    return new Group[] {
      new Group(group.first, at, group.start, needed.get(at).end()),
      new Group(at + 1, group.last, needed.get(at + 1).start(), group.end)
    };
  }
}
