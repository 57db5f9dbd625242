package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CallTotals;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.profile.Transport;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Looks at every number of requests that a few groups can be read by: for each, the largest gaps of
 * all groups are cut, one after the other, and where that may pay the longest ranges are divided
 * until slots are full. Of the ways by ranges no other moves fewer bytes by as many requests.
 */
final class CutSweep {
  /** The most cuts to look at. */
  private static final int MOST_STEPS = 128;

  /** So many cuts are looked at one by one, more where gaps get smaller, or some are left out. */
  private static final int ALL_STEPS = 64;

  private static final int LEFT_OUT = 16;

  /** Numbers of cuts that are also divided, the cheapest first. */
  private static final int DIVIDED_STEPS = 12;

  /** So many are only divided where their cuts are the cheapest. */
  private static final int MANY_REQUESTS = 32;

  private static final int MOST_DIVISIONS = 256;
  private static final long MORE = 16;
  private static final long[] ROUNDS = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 32};
  private static final double[] TIMES = {1.25, 1.5, 2, 3, 4, 6, 8, 16};

  private final List<GroupOptions> options;
  private final CostModel model;
  private final double phi;
  private final CutSequence.Order order;
  private final AccessChoice[] from;

  /** Objects of each group that are read by ranges which can be counted. */
  private final long[] readers;

  private final List<Gap> gaps = new ArrayList<>();
  private AccessTotals fixed = AccessTotals.NONE;

  /** A gap of the objects of a group; those of a higher rank are cut first. */
  private record Gap(int group, long rank) {}

  /** Choices and what they cost. */
  record Found(List<AccessChoice> choices, double cost) {}

  /**
   * @param from whose share for the slice function stays
   */
  CutSweep(
      List<GroupOptions> options,
      CostModel model,
      double phi,
      CutSequence.Order order,
      AccessChoice[] from) {
    this.order = order;
    this.options = options;
    this.model = model;
    this.phi = phi;
    this.from = from;
    this.readers = new long[from.length];
    for (int i = 0; i < from.length; i++) {
      GroupOptions option = options.get(i);
      long reads = option.group().objects() - from[i].byFunction();
      if (reads == 0) {
        fixed = fixed.plus(option.totals(from[i]));
      } else {
        readers[i] = reads;
        CallTotals calls = option.totals(from[i]).calls();
        fixed = fixed.plus(new AccessTotals(0, 0, 0, 0, 0, calls));
        CutSequence sequence = option.sequence(order);
        for (int cuts = 0; cuts < sequence.gaps(); cuts++) {
          boolean largest = order == CutSequence.Order.LARGEST_GAPS;
          gaps.add(new Gap(i, largest ? sequence.gap(cuts) : sequence.cut(cuts, 0).longest()));
        }
      }
    }
    gaps.sort(Comparator.comparingLong(gap -> -gap.rank));
    if (gaps.size() > MOST_STEPS) {
      gaps.subList(MOST_STEPS, gaps.size()).clear();
    }
  }

  /** True if not every number of cuts is looked at. */
  boolean isLong() {
    return gaps.size() > ALL_STEPS;
  }

  private double cost(AccessTotals totals) {
    return model.cost(totals).weighted(phi);
  }

  /** The cheapest way found, dearer than {@code enough} or not. */
  Found cheapest(double enough) {
    AccessTotals[] each = new AccessTotals[from.length];
    int[] cuts = new int[from.length];
    AccessTotals[] steps = new AccessTotals[gaps.size() + 1];
    double[] costs = new double[steps.length];
    Sums sums = new Sums();
    for (int i = 0; i < from.length; i++) {
      if (readers[i] > 0) {
        each[i] = options.get(i).totals(choice(i, 0, 1));
        sums.add(each[i], 1);
      }
    }
    int best = 0;
    for (int step = 0; step < steps.length; step++) {
      if (step > 0) {
        int group = gaps.get(step - 1).group;
        sums.add(each[group], -1);
        cuts[group]++;
        each[group] = options.get(group).totals(choice(group, cuts[group], cuts[group] + 1));
        sums.add(each[group], 1);
      }
      if (isWorth(step)) {
        steps[step] = sums.totals(each);
        costs[step] = cost(steps[step]);
      } else {
        costs[step] = Double.POSITIVE_INFINITY;
      }
      best = costs[step] < costs[best] ? step : best;
    }
    Found found = new Found(List.of(choices(best)), costs[best]);
    Integer[] cheapest = new Integer[steps.length];
    Arrays.setAll(cheapest, i -> i);
    Arrays.sort(cheapest, Comparator.comparingDouble(step -> costs[step]));
    int most = isLong() ? DIVIDED_STEPS / 4 : DIVIDED_STEPS;
    for (int i = 0; i < Math.min(most, cheapest.length); i++) {
      if (costs[cheapest[i]] == Double.POSITIVE_INFINITY
          || (i > 0 && steps[cheapest[i]].requests() > MANY_REQUESTS)) {
        continue;
      }
      found = divided(cheapest[i], steps[cheapest[i]], found, enough);
    }
    return found;
  }

  private boolean isWorth(int step) {
    return step <= ALL_STEPS
        || step % LEFT_OUT == 0
        || step == gaps.size()
        || gaps.get(step).rank != gaps.get(step - 1).rank;
  }

  /** By so many ranges; whole objects where only a request for a part takes longer. */
  private AccessChoice choice(int group, int cuts, int pieces) {
    AccessChoice counted = from[group].withCounted(new AccessChoice.Counted(order, cuts, pieces));
    return pieces == 1 && options.get(group).isWholeSooner(counted) ? counted.withWhole() : counted;
  }

  private int[] cuts(int step) {
    int[] cuts = new int[from.length];
    gaps.subList(0, step).forEach(gap -> cuts[gap.group]++);
    return cuts;
  }

  private AccessChoice[] choices(int step) {
    int[] cuts = cuts(step);
    AccessChoice[] choices = from.clone();
    for (int i = 0; i < choices.length; i++) {
      if (readers[i] > 0) {
        choices[i] = choice(i, cuts[i], cuts[i] + 1);
      }
    }
    return choices;
  }

  private Found divided(int step, AccessTotals undivided, Found before, double enough) {
    Found found = before;
    int[] cuts = cuts(step);
    for (long target : targets(undivided.requests())) {
      double least = Math.min(enough, found.cost);
      if (leastCost(undivided, target) >= least * (1 - 1e-9)) {
        continue;
      }
      AccessChoice[] choices = divided(cuts, target - (long) undivided.requests());
      AccessTotals totals = AccessTotals.NONE;
      for (int i = 0; i < choices.length; i++) {
        totals = totals.plus(options.get(i).totals(choices[i]));
      }
      double cost = cost(totals);
      if (cost < found.cost) {
        found = new Found(List.of(choices), cost);
      }
    }
    return found;
  }

  private SortedSet<Long> targets(double requests) {
    Transport transport = model.profile().transport();
    TreeSet<Long> targets = new TreeSet<>();
    long slots = transport.concurrency();
    long full = (long) Math.ceil(requests / slots) * slots;
    for (long rounds : ROUNDS) {
      targets.add(slots * rounds);
      targets.add(full + slots * (rounds - 1));
    }
    for (long more = 1; more <= (isLong() || requests > MANY_REQUESTS ? 1 : MORE); more++) {
      targets.add((long) requests + more);
    }
    for (double times : TIMES) {
      targets.add((long) Math.ceil(requests * times));
    }
    transport.bandwidth().points().forEach(point -> targets.add(point.requests()));
    return targets.subSet((long) requests + 1, (long) requests + MOST_DIVISIONS);
  }

  /** What so many requests cost at least, if all move the same number of bytes. */
  private double leastCost(AccessTotals undivided, long requests) {
    double more = requests - undivided.requests();
    return cost(
        new AccessTotals(
            requests,
            undivided.parts() + Math.max(0, more),
            Math.max((double) requests, undivided.chargedRequests()),
            undivided.bytes(),
            undivided.bytes() / requests,
            undivided.calls()));
  }

  /** Divides the longest ranges of all groups until there are so many more requests. */
  private AccessChoice[] divided(int[] cuts, long more) {
    CutSequence.Division[] divisions = new CutSequence.Division[cuts.length];
    PriorityQueue<Integer> longest =
        new PriorityQueue<>(
            Comparator.comparingLong((Integer group) -> -divisions[group].longest())
                .thenComparing(group -> group));
    for (int i = 0; i < cuts.length; i++) {
      if (readers[i] > 0) {
        divisions[i] = options.get(i).sequence(order).divided(cuts[i]);
        if (options.get(i).isDivisible()) {
          longest.add(i);
        }
      }
    }
    long left = more;
    while (left > 0 && !longest.isEmpty()) {
      int group = longest.remove();
      if (readers[group] <= left && divisions[group].divide()) {
        left -= readers[group];
        longest.add(group);
      }
    }
    AccessChoice[] choices = from.clone();
    for (int i = 0; i < choices.length; i++) {
      if (readers[i] > 0) {
        choices[i] = choice(i, cuts[i], divisions[i].pieces());
      }
    }
    return choices;
  }

  /** Sums that one group may leave and enter again. */
  private final class Sums {
    private double requests = fixed.requests();
    private double parts = fixed.parts();
    private double charged = fixed.chargedRequests();
    private double bytes = fixed.bytes();

    void add(AccessTotals one, int sign) {
      requests += sign * one.requests();
      parts += sign * one.parts();
      charged += sign * one.chargedRequests();
      bytes += sign * one.bytes();
    }

    AccessTotals totals(AccessTotals[] each) {
      double longest = fixed.longestBytes();
      for (AccessTotals one : each) {
        longest = one == null ? longest : Math.max(longest, one.longestBytes());
      }
      return new AccessTotals(requests, parts, charged, bytes, longest, fixed.calls());
    }
  }
}
