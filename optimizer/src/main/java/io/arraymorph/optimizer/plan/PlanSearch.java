package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CallTotals;
import io.arraymorph.optimizer.cost.CostModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Searches the cheapest choice for each of some groups together.
 *
 * <p>Costs are not a sum over objects: all share slots and the pipe. But for a given total number
 * of requests the best cuts are those of the largest gaps, wherever they are. So one bound on gaps
 * and one on lengths hold for all groups, and are swept; then objects move to the slice function,
 * those first that save the most bytes; and at last each group is tried on its own.
 */
final class PlanSearch {
  static final int MANY_GROUPS = 48;
  private static final int KEPT_GAPS = 3;
  static final long[] DIVISORS = {
    2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024, 2048
  };

  private final List<GroupOptions> options;
  private final CostModel model;
  private final double phi;
  private final double neededBytes;
  private AccessChoice[] best;
  private AccessTotals[] bestTotals;
  private double bestCost = Double.POSITIVE_INFINITY;

  PlanSearch(List<GroupOptions> options, CostModel model, double phi) {
    this.options = options;
    this.model = model;
    this.phi = phi;
    double needed = 0;
    for (GroupOptions option : options) {
      needed += option.neededBytes() * option.group().objects();
    }
    this.neededBytes = needed;
  }

  /** The choices, one per group. */
  AccessChoice[] run() {
    List<Long> gaps = boundsOnGaps();
    double[] costs = new double[gaps.size()];
    Integer[] order = new Integer[costs.length];
    for (int i = 0; i < costs.length; i++) {
      costs[i] = consider(gaps.get(i), RangeOptions.UNBOUNDED);
      if (model.profile().transport().partSeconds() > 0) {
        consider(wholeWhereSooner(gaps.get(i)));
      }
      order[i] = i;
    }
    Arrays.sort(order, Comparator.comparingDouble(i -> costs[i]));
    for (int i = 0; i < Math.min(KEPT_GAPS, order.length); i++) {
      divide(gaps.get(order[i]));
    }
    boolean few = options.size() <= MANY_GROUPS;
    if (few) {
      sweep(best);
    }
    if (options.stream().anyMatch(option -> option.calls().isPresent())) {
      AccessChoice[] ranges = best;
      for (Moved first : Moved.values()) {
        moveToFunction(ranges, first, few);
      }
      for (int i = 0; i < Math.min(KEPT_GAPS, order.length); i++) {
        moveToFunction(
            uniform(gaps.get(order[i]), RangeOptions.UNBOUNDED), Moved.MOST_SAVED, false);
      }
      moveToFunction(
          uniform(RangeOptions.UNBOUNDED, RangeOptions.UNBOUNDED), Moved.MOST_SAVED, false);
    }
    if (few) {
      while (improveEach()) {
        // Again, for one group's change may make room for another's.
      }
    }
    return best;
  }

  /** Tries every number of requests for what the function does not read. */
  private void sweep(AccessChoice[] from) {
    for (CutSequence.Order order : CutSequence.Order.values()) {
      CutSweep sweep = new CutSweep(options, model, phi, order, from);
      CutSweep.Found found = sweep.cheapest(bestCost);
      if (found.cost() < bestCost) {
        consider(found.choices().toArray(AccessChoice[]::new));
      }
      if (sweep.isLong()) {
        break; // With many cuts it matters little which come first.
      }
    }
  }

  double cost() {
    return bestCost;
  }

  private double cost(AccessTotals totals) {
    return model.cost(totals).weighted(phi);
  }

  /** Bounds that cut none, all, or the gaps from some size on; at most a few dozen. */
  private List<Long> boundsOnGaps() {
    List<Long> sizes = new ArrayList<>(GroupOptions.gaps(options));
    int most = options.size() <= MANY_GROUPS ? 64 : 24;
    List<Long> bounds = new ArrayList<>();
    bounds.add(RangeOptions.UNBOUNDED);
    for (int i = 0; i < Math.min(most, sizes.size()); i++) {
      int index = sizes.size() <= most ? i : (int) ((long) i * sizes.size() / most);
      bounds.add(sizes.get(sizes.size() - 1 - index) - 1);
    }
    bounds.add(0L);
    return bounds;
  }

  private AccessChoice[] uniform(long gap, long longest) {
    AccessChoice[] choices = new AccessChoice[options.size()];
    Arrays.fill(choices, AccessChoice.ranges(gap, longest));
    return choices;
  }

  /** Whole objects where the pipe takes less time for all of one than for so many parts of it. */
  private AccessChoice[] wholeWhereSooner(long gap) {
    AccessChoice[] choices = uniform(gap, RangeOptions.UNBOUNDED);
    for (int i = 0; i < choices.length; i++) {
      if (options.get(i).isWholeSooner(choices[i])) {
        choices[i] = choices[i].withWhole();
      }
    }
    return choices;
  }

  private double consider(long gap, long longest) {
    return consider(uniform(gap, longest));
  }

  /** Keeps the choices if they are the cheapest so far, by more than rounding. */
  private double consider(AccessChoice[] choices) {
    AccessTotals[] each = new AccessTotals[choices.length];
    AccessTotals sum = AccessTotals.NONE;
    for (int i = 0; i < choices.length; i++) {
      each[i] = options.get(i).totals(choices[i]);
      sum = sum.plus(each[i]);
    }
    double cost = cost(sum);
    if (cost < bestCost * (1 - 1e-9)) {
      bestCost = cost;
      best = choices.clone();
      bestTotals = each;
    }
    return cost;
  }

  /** Tries bounds on lengths: parts of the longest range, and whole rounds of all slots. */
  private void divide(long gap) {
    long longest = 0;
    long requests = 0;
    for (GroupOptions option : options) {
      RangeOptions.Cut cut = option.cut(AccessChoice.ranges(gap, RangeOptions.UNBOUNDED));
      longest = Math.max(longest, cut.longest());
      requests += cut.ranges() * option.group().objects();
    }
    for (long divisor : DIVISORS) {
      if (divisor < longest) {
        consider(gap, (longest + divisor - 1) / divisor);
      }
    }
    if (options.size() <= MANY_GROUPS) {
      TreeSet<Long> targets = new TreeSet<>();
      long slots = model.profile().transport().concurrency();
      for (long rounds : new long[] {1, 2, 3, 4, 6, 8, 12, 16, 32}) {
        targets.add(slots * rounds);
      }
      model.profile().transport().bandwidth().points().forEach(p -> targets.add(p.requests()));
      long fewer = requests;
      for (long target : targets.tailSet(requests, false)) {
        if (mayPay(fewer + 1) || mayPay(target)) {
          consider(gap, shortestWithin(gap, longest, target));
        }
        fewer = target;
      }
    }
  }

  /** False where so many requests would cost more than the best plan if no byte were wasted. */
  private boolean mayPay(long requests) {
    AccessTotals least =
        new AccessTotals(
            (double) requests,
            0,
            (double) requests,
            neededBytes,
            neededBytes / requests,
            CallTotals.NONE);
    return cost(least) < bestCost;
  }

  /** False where these calls cost more than the best plan if beside them no byte were wasted. */
  private boolean mayPay(AccessChoice[] choices) {
    AccessTotals calls = AccessTotals.NONE;
    double bytes = 0;
    double objects = 0;
    for (int i = 0; i < choices.length; i++) {
      GroupOptions option = options.get(i);
      double reads = (double) (option.group().objects() - choices[i].byFunction());
      bytes += option.neededBytes() * reads;
      objects += reads;
      if (choices[i].byFunction() > 0) {
        calls = calls.plus(new AccessTotals(0, 0, 0, 0, 0, option.totals(choices[i]).calls()));
      }
    }
    double slots = model.profile().transport().concurrency();
    double full = Math.ceil(objects / slots) * slots;
    for (double requests : new double[] {objects, full, full + slots, 2 * objects, 4 * objects}) {
      AccessTotals reads =
          new AccessTotals(requests, 0, requests, bytes, bytes / requests, CallTotals.NONE);
      if (cost(reads.plus(calls)) < bestCost) {
        return true;
      }
    }
    return false;
  }

  /** The least bound on lengths that takes at most so many requests. */
  private long shortestWithin(long gap, long longest, long requests) {
    long low = 1;
    long high = longest;
    while (low < high) {
      long middle = low + (high - low) / 2;
      double count = 0;
      for (GroupOptions option : options) {
        RangeOptions.Cut cut = option.cut(AccessChoice.ranges(gap, middle));
        count += (double) cut.ranges() * option.group().objects();
      }
      if (count <= requests) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return high;
  }

  /** Which groups are moved to the slice function before others. */
  private enum Moved {
    /** Those that save the most bytes. */
    MOST_SAVED {
      @Override
      double rank(GroupOptions option, AccessChoice from) {
        return option.calls().orElseThrow().answerBytes() - option.cut(from).bytes();
      }
    },
    /** Those whose calls are the shortest, so that the longest things go side by side. */
    SHORTEST_CALLS {
      @Override
      double rank(GroupOptions option, AccessChoice from) {
        return option.calls().orElseThrow().longestSeconds();
      }
    };

    abstract double rank(GroupOptions option, AccessChoice from);
  }

  /**
   * Moves group after group to the slice function.
   *
   * @param swept true to look at all numbers of requests for what is left, after each move
   */
  private void moveToFunction(AccessChoice[] from, Moved first, boolean swept) {
    List<Integer> order = new ArrayList<>();
    double[] ranks = new double[from.length];
    AccessTotals others = AccessTotals.NONE;
    for (int i = 0; i < from.length; i++) {
      GroupOptions option = options.get(i);
      if (option.calls().isPresent()) {
        order.add(i);
        ranks[i] = first.rank(option, from[i]);
      } else {
        others = others.plus(option.totals(from[i]));
      }
    }
    order.sort(Comparator.comparingDouble(i -> ranks[i]));
    AccessTotals[] after = new AccessTotals[order.size() + 1];
    after[order.size()] = AccessTotals.NONE;
    for (int at = order.size() - 1; at >= 0; at--) {
      after[at] = after[at + 1].plus(options.get(order.get(at)).totals(from[order.get(at)]));
    }
    AccessChoice[] choices = from.clone();
    for (int at = 0; at < order.size(); at++) {
      int group = order.get(at);
      long objects = options.get(group).group().objects();
      long parts = order.size() <= MANY_GROUPS ? Math.min(8, objects) : 1;
      AccessTotals rest = others.plus(after[at + 1]);
      for (long part = 1; part <= parts; part++) {
        choices[group] = from[group].withFunction(objects * part / parts);
        if (cost(rest.plus(options.get(group).totals(choices[group]))) < bestCost) {
          consider(choices);
        }
      }
      others = others.plus(options.get(group).totals(choices[group]));
      if (swept && mayPay(choices)) {
        sweep(choices);
      }
    }
  }

  /** Tries other choices for each group while the others stay; true if one was better. */
  private boolean improveEach() {
    double before = bestCost;
    double since = bestCost;
    List<Integer> inVain = new ArrayList<>();
    for (int group = 0; group < options.size(); group++) {
      if (since != bestCost) {
        inVain.clear();
        since = bestCost;
      }
      if (inVain.stream().anyMatch(isAsGood(group))) {
        continue;
      }
      inVain.add(group);
      AccessTotals others = AccessTotals.NONE;
      for (int other = 0; other < options.size(); other++) {
        if (other != group) {
          others = others.plus(bestTotals[other]);
        }
      }
      for (AccessChoice choice : Alternatives.of(options.get(group), best[group])) {
        AccessTotals totals = options.get(group).totals(choice);
        double cost = cost(others.plus(totals));
        if (cost < bestCost * (1 - 1e-9)) {
          bestCost = cost;
          best[group] = choice;
          bestTotals[group] = totals;
        }
      }
    }
    return bestCost < before * (1 - 1e-4);
  }

  /** True for groups alike that are read alike: what does not help one does not help another. */
  private Predicate<Integer> isAsGood(int group) {
    return other ->
        options.get(other).isLike(options.get(group)) && best[other].equals(best[group]);
  }
}
