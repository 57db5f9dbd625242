package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.AccessCost;
import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CallTotals;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.profile.BandwidthCurve;
import io.arraymorph.optimizer.profile.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds the cheapest plan for few objects with few runs each, unless a given plan is nearly as
 * cheap.
 *
 * <p>Models look at sums only. So for each choice of objects that are left to the slice function,
 * and each bound on the length of a request, the least bytes are tabled for every number of
 * requests ({@link ReadTable}). The table without a bound tells how cheap a plan can be at best, as
 * if requests could be of equal length: most plans are that cheap already, which takes one look at
 * each cell. Else bounds are tried, from the longest request on with which a plan can still be
 * cheaper. More requests than there are runs divide ranges further; of those numbers not each is
 * looked at, but steps of at most 1/32 and those that fill slots.
 */
final class ExactSearch {
  /** A plan is good enough if none can cost less than so much of it. */
  private static final double GOOD = 0.995;

  /** The longest request is tried in such steps, as long as it matters. */
  private static final double SHORTER = 0.997;

  /** Parts of a number of requests by which it grows where ranges are divided further. */
  private static final int STEPS = 32;

  private static final int MOST_REQUESTS = 4096;

  /** Costs that are asked for at most, about 1 ms; then the best found so far is taken. */
  private static final int MOST_LOOKS = 4_000;

  /**
   * How many objects of each kind are read, and the tables of those that wait for their indexes (or
   * all if there are none) and of those beside.
   */
  private record Split(
      List<Integer> reads, ReadTable after, ReadTable beside, CallTotals calls, int waiting) {
    static final Split NONE =
        new Split(List.of(), ReadTable.EMPTY, ReadTable.EMPTY, CallTotals.NONE, 0);

    /** True if there is nothing beside, or only that. */
    boolean isAlone() {
      return after == ReadTable.EMPTY || beside == ReadTable.EMPTY;
    }

    Split with(int read, CallTotals all) {
      List<Integer> more = new ArrayList<>(reads);
      more.add(read);
      return new Split(more, after, beside, all, waiting);
    }
  }

  /** A cell of each table, and how many requests there are for what is in them. */
  private record Found(Split split, int after, long requests, int beside, long requestsBeside) {
    /** True if ranges are divided beyond the bound on lengths. */
    boolean isDivided() {
      return requests > split.after.requests(after)
          || requestsBeside > split.beside.requests(beside);
    }
  }

  private final CostPlanner planner;
  private final CostModel model;
  private final AccessTotals index;
  private final Optional<FewObjects> objects;
  private double perCharge;
  private double least;
  private Found best;
  private int looks;
  private int steps;

  /** So many requests, or fewer, may pay; so many, or more, do not. */
  private long paid;

  private long unpaid = Long.MAX_VALUE;

  /**
   * @param indexBytes that are read before parts of an object; 0 if there is no index
   */
  ExactSearch(CostPlanner planner, List<NeedGroup> groups, long indexBytes) {
    this.planner = planner;
    this.model = planner.model();
    this.index =
        indexBytes == 0
            ? AccessTotals.NONE
            : AccessTotals.reads(1, (double) indexBytes, (double) indexBytes);
    this.objects = FewObjects.of(groups, model, planner.function());
  }

  /** A plan that is cheaper than the given one, if there is one that is so clearly. */
  GroupPlan cheaper(GroupPlan plan) {
    if (objects.isEmpty()) {
      return plan;
    }
    double cost = cost(plan);
    least = cost;
    perCharge = perCharge(plan.totals());
    leave(objects.get(), Split.NONE);
    if (best == null) {
      return plan;
    }
    List<FewObjects.Read> reads = FewObjects.reads(best.split.after, best.after, best.requests);
    reads.addAll(FewObjects.reads(best.split.beside, best.beside, best.requestsBeside));
    GroupPlan found = GroupPlan.of(plan.planner(), objects.get().parts(reads), model);
    return cost(found) < cost ? found : plan;
  }

  /** How many plans were looked at. */
  int looks() {
    return looks;
  }

  private double cost(GroupPlan plan) {
    return index.requests() == 0
        ? plan.cost().weighted(planner.phi())
        : new IndexedPlans(planner, (long) index.bytes()).cost(plan);
  }

  private double cost(AccessTotals totals) {
    looks++;
    return model.cost(totals).weighted(planner.phi());
  }

  /** How many bytes cost as much as a charged request that is none by itself. */
  private double perCharge(AccessTotals totals) {
    if (model.profile().prices().meteredBytes() == 0) {
      return 0;
    }
    double bytes = Math.max(1, totals.bytes() / 100);
    AccessTotals longer = new AccessTotals(0, 0, 0, bytes, 0, CallTotals.NONE);
    AccessTotals charged = new AccessTotals(0, 0, 1, 0, 0, CallTotals.NONE);
    double perByte = (cost(totals.plus(longer)) - cost(totals)) / bytes;
    double more = cost(totals.plus(charged)) - cost(totals);
    return more <= 0 ? 0 : Math.min(1e9, more / perByte);
  }

  /** Leaves any number of the objects of the next kind, and of those after it, to the function. */
  private void leave(FewObjects few, Split split) {
    int kind = split.reads.size();
    if (kind == few.kinds()) {
      search(few, split);
      return;
    }
    int all = few.objects(kind);
    Optional<CallTotals> call = few.calls(kind);
    ReadTable.Ways ways = few.ways(kind, Long.MAX_VALUE, perCharge);
    Split some = split;
    for (int read = 0; read <= all && looks < MOST_LOOKS; read++) {
      if (read == all) {
        leave(few, some.with(read, split.calls));
      } else {
        if (call.isPresent()) {
          leave(few, some.with(read, split.calls.plus(call.get().times(all - read))));
        }
        some = plus(some, few, kind, ways);
      }
    }
  }

  private Split plus(Split split, FewObjects few, int kind, ReadTable.Ways ways) {
    boolean waits = index.requests() > 0 && IndexedPlans.waits(few.need(kind));
    boolean beside = index.requests() > 0 && !waits;
    ReadTable after = beside ? split.after : split.after.plus(ways, kind);
    ReadTable others = beside ? split.beside.plus(ways, kind) : split.beside;
    looks += (after.size() + others.size()) * ways.size() / 8;
    return new Split(split.reads, after, others, split.calls, split.waiting + (waits ? 1 : 0));
  }

  /** Searches bounds on lengths, from none on. */
  private void search(FewObjects few, Split split) {
    steps = split.isAlone() ? STEPS : 1;
    long bound = look(split);
    if (!split.isAlone()) {
      steps = STEPS / 3; // Of pairs there are so many that a cheap one must be known before.
      bound = look(split);
    }
    while (bound > 0 && looks < MOST_LOOKS) {
      Split bounded = Split.NONE;
      for (int kind = 0; kind < few.kinds(); kind++) {
        int read = split.reads.get(kind);
        if (read > 0) {
          ReadTable.Ways ways = few.ways(kind, bound, perCharge);
          for (int i = 0; i < read; i++) {
            bounded = plus(bounded, few, kind, ways);
          }
        }
      }
      bound =
          look(new Split(split.reads, bounded.after, bounded.beside, split.calls, bounded.waiting));
    }
  }

  /** Looks at all cells; gives the longest request with which others may be cheaper, 0 if none. */
  private long look(Split split) {
    double next = 0;
    double[] floors = new double[split.isAlone() ? 0 : 2 * MOST_REQUESTS];
    for (int after = 0; after < split.after.size(); after++) {
      for (int beside = 0; beside < split.beside.size(); beside++) {
        if (split.after.has(after, MOST_REQUESTS) && split.beside.has(beside, MOST_REQUESTS)) {
          next = look(split, after, beside, floors, next);
        }
      }
    }
    return (long) next;
  }

  private double look(Split split, int after, int beside, double[] floors, double from) {
    double next = from;
    long most = split.after.most(after);
    long mostBeside = split.beside.most(beside);
    for (long n = split.after.requests(after); n >= 0; n = more(split, n, most, 0)) {
      if (split.isAlone() || maySuffice(split, after, n)) {
        for (long m = split.beside.requests(beside); m >= 0; m = more(split, m, mostBeside, n)) {
          if (split.isAlone() || maySuffice(split, n + m, floors)) {
            next = look(new Found(split, after, n, beside, m), next);
          }
        }
      }
    }
    return next;
  }

  /** False if indexes and what waits for them cost too much by themselves. */
  private boolean maySuffice(Split split, int cell, long requests) {
    looks += 2;
    AccessTotals indexes = index.times(split.waiting);
    AccessTotals after = split.after.totals(cell, requests, 0);
    double seconds = model.seconds(indexes) + model.seconds(after);
    double dollars = model.cost(indexes.plus(after)).dollars();
    return new AccessCost(seconds, dollars).weighted(planner.phi()) < GOOD * least;
  }

  /** False if so many requests cost too much together, however they are divided. */
  private boolean maySuffice(Split split, long requests, double[] floors) {
    if (requests >= floors.length) {
      return false;
    }
    int number = (int) requests;
    if (floors[number] == 0) {
      double parts = Math.max(0, number - objects.orElseThrow().objects());
      double bytes = split.after.leastBytes() + split.beside.leastBytes();
      AccessTotals reads =
          new AccessTotals(number, parts, number, bytes, bytes / number, split.calls);
      floors[number] = cost(reads.plus(index.times(split.waiting)));
    }
    return floors[number] < GOOD * least;
  }

  /**
   * The next number of requests worth a look, such as fills slots; -1 if there is none.
   *
   * @param most no more than so many
   * @param with so many others
   */
  private long more(Split split, long requests, long most, long with) {
    if (requests >= Math.min(most, MOST_REQUESTS)
        || looks >= MOST_LOOKS
        || !pays(requests + 1 + with)) {
      return -1;
    }
    Transport transport = model.profile().transport();
    long next = Math.min(most, requests + 1 + requests / steps);
    long calls = (long) split.calls.calls();
    long[] others = {with, with + calls, with + split.waiting, with + calls + split.waiting};
    for (int i = 0; i < others.length && next > requests + 1; i++) {
      long slots = transport.concurrency();
      long full = (next + others[i]) / slots * slots - others[i];
      next = full > requests ? full : next;
      for (BandwidthCurve.Point point : transport.bandwidth().points()) {
        long at = point.requests() - others[i];
        next = at > requests && at < next ? at : next;
      }
    }
    return next;
  }

  /** False if so many requests, and more, are too many even if they moved nothing. */
  private boolean pays(long requests) {
    if (requests > paid && requests < unpaid) {
      double n = (double) requests;
      double parts = Math.max(0, n - objects.orElseThrow().objects());
      if (cost(new AccessTotals(n, parts, n, 0, 0, CallTotals.NONE)) < GOOD * least) {
        paid = requests;
      } else {
        unpaid = requests;
      }
    }
    return requests < unpaid;
  }

  /**
   * Keeps a plan if it is the cheapest so far.
   *
   * @param next bytes of a request with which others may be cheaper
   * @return the same, or more if this one may be cheaper with shorter requests
   */
  private double look(Found plan, double next) {
    if (cost(plan, 0) >= GOOD * least) {
      return next;
    }
    Split split = plan.split;
    double longest = Math.max(split.after.longest(plan.after), split.beside.longest(plan.beside));
    double cost = plan.isDivided() ? divided(plan) : cost(plan, longest);
    if (cost < least * (1 - 1e-9)) {
      least = cost;
      best = plan;
    }
    double high = longest * SHORTER;
    if (high <= next || cost(plan, next) >= GOOD * least) {
      return next;
    }
    if (cost(plan, high) < GOOD * least) {
      return high;
    }
    double low = next;
    while (high > low / SHORTER && high - low >= 1) {
      double middle = low > 0 ? Math.sqrt(low * high) : high / 16;
      if (cost(plan, middle) < GOOD * least) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  /**
   * What a plan costs at least.
   *
   * @param longest bytes of a request, as if ranges could be divided so without more requests
   */
  private double cost(Found plan, double longest) {
    Split split = plan.split;
    return cost(
        split,
        split.after.totals(plan.after, plan.requests, longest),
        split.beside.totals(plan.beside, plan.requestsBeside, longest));
  }

  /** What a plan costs where ranges are divided beyond the bound on lengths. */
  private double divided(Found plan) {
    looks += (int) Math.min(MOST_LOOKS, (plan.requests + plan.requestsBeside) / 4);
    FewObjects few = objects.orElseThrow();
    Split split = plan.split;
    return cost(
        split,
        few.totals(FewObjects.reads(split.after, plan.after, plan.requests)),
        few.totals(FewObjects.reads(split.beside, plan.beside, plan.requestsBeside)));
  }

  private double cost(Split split, AccessTotals after, AccessTotals beside) {
    AccessTotals calls = new AccessTotals(0, 0, 0, 0, 0, split.calls);
    AccessTotals all = after.plus(beside).plus(calls);
    if (split.waiting == 0) {
      return cost(all);
    }
    looks += 3;
    AccessTotals indexes = index.times(split.waiting);
    return model.inPasses(all.plus(indexes), indexes, after).weighted(planner.phi());
  }
}
