package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CallTotals;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.profile.BandwidthCurve;
import io.arraymorph.optimizer.profile.Transport;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/**
 * Searches the cheapest choice for each of some groups together.
 *
 * <p>Costs are not a sum over objects: all share slots and the pipe. But for a given total number
 * of requests the best cuts are those of the largest gaps, wherever they are. So one bound on gaps
 * and one on lengths hold for all groups, and are swept; then objects move to the slice function,
 * those first that save the most bytes; and at last each group is tried on its own.
 */
final class PlanSearch {
  private static final int MANY_GROUPS = 48;
  private static final int KEPT_GAPS = 3;
  private static final long MANY_REQUESTS = 64;
  private static final long[] DIVISORS = {
    2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024, 2048
  };

  private final List<GroupOptions> options;
  private final CostModel model;
  private final double phi;
  private final double neededBytes;

  /** Requests to which more add nothing: the pipe is full. */
  private final double many;

  private AccessChoice[] best;
  private AccessTotals[] bestTotals;
  private double bestCost = Double.POSITIVE_INFINITY;

  PlanSearch(List<GroupOptions> options, CostModel model, double phi) {
    this.options = options;
    this.model = model;
    this.phi = phi;
    double needed = 0;
    for (GroupOptions option : options) {
      AccessChoice exact = AccessChoice.ranges(0, RangeOptions.UNBOUNDED);
      needed += (double) option.cut(exact).bytes() * option.group().objects();
    }
    this.neededBytes = needed;
    this.many =
        model.profile().transport().bandwidth().points().stream()
            .mapToLong(BandwidthCurve.Point::requests)
            .reduce(MANY_REQUESTS, Math::max);
  }

  /** The choices, one per group. */
  AccessChoice[] run() {
    List<Long> gaps = boundsOnGaps();
    double[] costs = new double[gaps.size()];
    Integer[] order = new Integer[costs.length];
    for (int i = 0; i < costs.length; i++) {
      costs[i] = cost(consider(gaps.get(i), RangeOptions.UNBOUNDED));
      if (model.profile().transport().partSeconds() > 0) {
        consider(wholeWhereSooner(gaps.get(i)));
      }
      order[i] = i;
    }
    Arrays.sort(order, Comparator.comparingDouble(i -> costs[i]));
    for (int i = 0; i < Math.min(KEPT_GAPS, order.length); i++) {
      divide(gaps.get(order[i]));
    }
    if (options.stream().anyMatch(option -> option.calls().isPresent())) {
      AccessChoice[] ranges = best;
      moveToFunction(ranges);
      for (int i = 0; i < Math.min(KEPT_GAPS, order.length); i++) {
        moveToFunction(uniform(gaps.get(order[i]), RangeOptions.UNBOUNDED));
      }
      moveToFunction(uniform(RangeOptions.UNBOUNDED, RangeOptions.UNBOUNDED));
    }
    if (options.size() <= MANY_GROUPS) {
      while (improveEach()) {
        // Again, for one group's change may make room for another's.
      }
    }
    return best;
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
    Transport transport = model.profile().transport();
    double part = transport.requestSeconds() + transport.partSeconds();
    double second = transport.bandwidth().maximum();
    AccessChoice[] choices = uniform(gap, RangeOptions.UNBOUNDED);
    for (int i = 0; i < choices.length; i++) {
      AccessChoice whole = choices[i].withWhole();
      RangeOptions.Cut all = options.get(i).cut(whole);
      RangeOptions.Cut cut = options.get(i).cut(choices[i]);
      if (options.get(i).hasWhole()
          && transport.requestSeconds() + all.bytes() / second
              < cut.ranges() * part + cut.bytes() / second) {
        choices[i] = whole;
      }
    }
    return choices;
  }

  private AccessTotals consider(long gap, long longest) {
    return consider(uniform(gap, longest));
  }

  /** Keeps the choices if they are the cheapest so far, by more than rounding; sums them up. */
  private AccessTotals consider(AccessChoice[] choices) {
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
    return sum;
  }

  /** Tries bounds on lengths: parts of the longest range, and whole rounds of all slots. */
  private void divide(long gap) {
    AccessTotals undivided = AccessTotals.NONE;
    for (GroupOptions option : options) {
      undivided = undivided.plus(option.totals(AccessChoice.ranges(gap, RangeOptions.UNBOUNDED)));
    }
    long longest = (long) undivided.longestBytes();
    long requests = (long) undivided.requests();
    if (requests >= many && cost(undivided) <= cost(undivided.withLongest(0))) {
      return; // No range takes as long as all of them.
    }
    for (long divisor : DIVISORS) {
      if (divisor < longest) {
        AccessTotals divided = consider(gap, (longest + divisor - 1) / divisor);
        if (!mayPay((long) divided.requests())) {
          break; // Shorter ranges are more.
        }
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

  /** Moves group after group to the slice function, those first that save the most bytes. */
  private void moveToFunction(AccessChoice[] from) {
    AccessChoice[] choices = from.clone();
    List<Integer> order = new ArrayList<>();
    double[] saved = new double[choices.length];
    for (int i = 0; i < choices.length; i++) {
      GroupOptions option = options.get(i);
      if (option.calls().isPresent()) {
        order.add(i);
        saved[i] = option.cut(choices[i]).bytes() - option.calls().get().answerBytes();
      }
    }
    order.sort(Comparator.comparingDouble(i -> -saved[i]));
    int step = Math.max(1, order.size() / 64);
    for (int at = 0; at < order.size(); at++) {
      int group = order.get(at);
      long objects = options.get(group).group().objects();
      if (order.size() <= MANY_GROUPS) {
        for (int eighth = 1; eighth < 8 && objects > 1; eighth++) {
          choices[group] = choices[group].withFunction(objects * eighth / 8);
          consider(choices);
        }
      }
      choices[group] = choices[group].withFunction(objects);
      if (at % step == 0 || at == order.size() - 1) {
        consider(choices);
      }
    }
  }

  /** Tries other choices for each group while the others stay; true if one was better. */
  private boolean improveEach() {
    double before = bestCost;
    for (int group = 0; group < options.size(); group++) {
      AccessTotals others = AccessTotals.NONE;
      for (int other = 0; other < options.size(); other++) {
        if (other != group) {
          others = others.plus(bestTotals[other]);
        }
      }
      for (AccessChoice choice : alternatives(group, others)) {
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

  /**
   * Divides ranges only where the longest of all is among them or there are few in all. Else only
   * how many there are counts, and of so many those that cut the largest gaps move the fewest
   * bytes.
   */
  private List<AccessChoice> alternatives(int group, AccessTotals others) {
    GroupOptions option = options.get(group);
    AccessChoice now = best[group];
    List<AccessChoice> alternatives = new ArrayList<>();
    List<Long> bounds = new ArrayList<>();
    bounds.add(RangeOptions.UNBOUNDED);
    List<Long> sizes = new ArrayList<>(option.gaps());
    for (int i = 0; i < Math.min(24, sizes.size()); i++) {
      bounds.add(sizes.get(sizes.size() - 1 - i * sizes.size() / Math.min(24, sizes.size())) - 1);
    }
    bounds.add(0L);
    if (option.hasWhole()) {
      alternatives.add(now.withWhole());
    }
    for (long gap : bounds) {
      alternatives.add(now.withCut(gap, RangeOptions.UNBOUNDED));
      long longest = option.cut(now.withCut(gap, RangeOptions.UNBOUNDED)).longest();
      boolean divides = others.requests() < many || (double) longest > others.longestBytes();
      for (long divisor : DIVISORS) {
        if (divides && divisor < longest && divisor <= 64) {
          alternatives.add(now.withCut(gap, (longest + divisor - 1) / divisor));
        }
      }
    }
    if (option.calls().isPresent()) {
      long objects = option.group().objects();
      for (long part : new long[] {0, now.byFunction() - 1, now.byFunction() + 1, objects}) {
        if (part >= 0 && part <= objects) {
          alternatives.add(now.withFunction(part));
        }
      }
    }
    return alternatives;
  }
}
