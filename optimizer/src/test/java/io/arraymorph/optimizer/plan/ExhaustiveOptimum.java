package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CallTotals;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.profile.BandwidthCurve;
import io.arraymorph.optimizer.profile.Prices;
import io.arraymorph.optimizer.profile.Transport;
import io.arraymorph.store.ByteRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.LongStream;

/**
 * The least that reading some objects can cost: of all partitions of the needed runs of each object
 * into ranges, these divided in many ways, of whole objects and of the slice function.
 *
 * <p>Every set of gaps is cut. Divisions are not exhaustive: of each partition the longest part is
 * halved, divided by three and so on, for up to {@value #MORE} more requests, and then all ranges
 * by some bounds on lengths; these are the best for their number of requests, but not all numbers
 * are tried. At last one range is divided so that all requests together fill slots. Parts are
 * equally long but for one byte, so where a store charges for started blocks parts of whole blocks
 * are not tried.
 *
 * <p>Costs depend on sums over objects. Of sums of the same requests, fees and calls, those are
 * left out than which others move no more bytes and have no longer range: a model never finds them
 * cheaper.
 */
final class ExhaustiveOptimum {
  private static final int MOST_RUNS = 10;
  private static final int MORE = 8;
  private static final int[] DIVISORS = {2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256};

  /**
   * Requests of some objects.
   *
   * @param reads those after indexes, or all if there are none
   * @param beside calls, and reads that wait for no index
   * @param indexes how many are read
   */
  private record Sum(AccessTotals reads, AccessTotals beside, int indexes) {
    static final Sum NONE = new Sum(AccessTotals.NONE, AccessTotals.NONE, 0);

    Sum plus(Sum other) {
      return new Sum(reads.plus(other.reads), beside.plus(other.beside), indexes + other.indexes);
    }
  }

  /** Sums that only differ in bytes and the longest request. */
  private record Kind(
      double requests, double parts, double charged, AccessTotals beside, int indexes) {
    static Kind of(Sum sum) {
      AccessTotals reads = sum.reads;
      return new Kind(
          reads.requests(), reads.parts(), reads.chargedRequests(), sum.beside, sum.indexes);
    }

    /** Of what differs most, for there are many. */
    @Override
    public int hashCode() {
      CallTotals calls = beside.calls();
      return Double.hashCode(
          requests + 1e3 * charged + 1e6 * calls.calls() + calls.answerBytes() + beside.bytes());
    }
  }

  private final PlanInstance instance;
  private final CostModel model;
  private final double[] fills;
  private double cheapest = Double.POSITIVE_INFINITY;

  private ExhaustiveOptimum(PlanInstance instance) {
    this.instance = instance;
    this.model = instance.model();
    this.fills = fills(model.profile().transport());
  }

  /** Empty if there are too many ways to try each: more than so many sums of two objects' ways. */
  static OptionalDouble of(PlanInstance instance, int mostSums) {
    ExhaustiveOptimum optimum = new ExhaustiveOptimum(instance);
    List<Sum> sums = List.of(Sum.NONE);
    for (ObjectNeed need : instance.needs()) {
      List<Sum> ways = optimum.ways(need);
      if (ways.isEmpty() || (long) sums.size() * ways.size() > mostSums) {
        return OptionalDouble.empty();
      }
      List<Sum> longer = new ArrayList<>();
      for (Sum sum : sums) {
        for (Sum way : ways) {
          longer.add(sum.plus(way));
        }
      }
      sums = undominated(longer);
    }
    return sums.stream().mapToDouble(optimum::leastDivided).min();
  }

  /** What a sum costs at least as it is, or with one range divided so that slots are filled. */
  private double leastDivided(Sum sum) {
    double least = cost(sum);
    AccessTotals reads = sum.reads;
    if (least > 2 * cheapest || !isDividable()) {
      return least;
    }
    cheapest = Math.min(cheapest, least);
    for (double all : fills) {
      double more = all - reads.requests();
      if (more > 0 && more < reads.longestBytes()) {
        // All of an object is one part more, if divided.
        double parts = Math.min(all, reads.parts() + more + 1);
        AccessTotals divided =
            new AccessTotals(
                all,
                parts,
                reads.chargedRequests() + more,
                reads.bytes(),
                reads.longestBytes(),
                reads.calls());
        least = Math.min(least, cost(new Sum(divided, sum.beside, sum.indexes)));
      }
    }
    return least;
  }

  private boolean isDividable() {
    return instance.needs().stream()
        .allMatch(
            need -> need.objectBytes().isPresent() || need.bytes() instanceof NeededBytes.Runs);
  }

  /** Numbers of requests that fill slots or have a bandwidth of their own. */
  private static double[] fills(Transport transport) {
    long slots = transport.concurrency();
    return LongStream.concat(
            LongStream.rangeClosed(1, 8).flatMap(n -> LongStream.of(n * slots - 1, n * slots)),
            transport.bandwidth().points().stream().mapToLong(BandwidthCurve.Point::requests))
        .asDoubleStream()
        .toArray();
  }

  /** What a plan costs that reads indexes before parts of objects, if there are any. */
  static double cost(PlanInstance instance, AccessPlan plan) {
    ExhaustiveOptimum optimum = new ExhaustiveOptimum(instance);
    Sum sum = Sum.NONE;
    for (ChunkAccess access : plan.accesses()) {
      AccessTotals totals = access.totals(instance.model(), GroupPlan.UNKNOWN_BYTES);
      sum =
          sum.plus(
              access instanceof ChunkAccess.SliceFunction
                  ? new Sum(AccessTotals.NONE, totals, 0)
                  : optimum.read(access.need(), totals));
    }
    return optimum.cost(sum);
  }

  /** A read after the index of an object, or at once if it is needed whole. */
  private Sum read(ObjectNeed need, AccessTotals totals) {
    if (instance.indexBytes() == 0) {
      return new Sum(totals, AccessTotals.NONE, 0);
    }
    return need.bytes() instanceof NeededBytes.Runs && !need.isNothing()
        ? new Sum(totals, AccessTotals.NONE, 1)
        : new Sum(AccessTotals.NONE, totals, 0);
  }

  private double cost(Sum sum) {
    AccessTotals all = sum.reads.plus(sum.beside);
    if (sum.indexes == 0) {
      return model.cost(all).weighted(instance.phi());
    }
    double bytes = (double) instance.indexBytes();
    AccessTotals indexes = AccessTotals.reads(1, bytes, bytes).times(sum.indexes);
    return model.inPasses(all.plus(indexes), indexes, sum.reads).weighted(instance.phi());
  }

  private static List<Sum> undominated(List<Sum> sums) {
    sums.sort(
        Comparator.<Sum>comparingDouble(sum -> sum.reads.bytes())
            .thenComparingDouble(sum -> sum.reads.longestBytes()));
    Map<Kind, Double> shortest = new HashMap<>();
    List<Sum> kept = new ArrayList<>();
    for (Sum sum : sums) {
      Kind kind = Kind.of(sum);
      double longest = sum.reads.longestBytes();
      if (longest < shortest.getOrDefault(kind, Double.POSITIVE_INFINITY)) {
        shortest.put(kind, longest);
        kept.add(sum);
      }
    }
    return kept;
  }

  private List<Sum> ways(ObjectNeed need) {
    if (need.isNothing()) {
      return List.of(Sum.NONE);
    }
    List<Sum> ways = new ArrayList<>();
    boolean runs = need.bytes() instanceof NeededBytes.Runs;
    if (!runs || need.objectBytes().isPresent()) {
      AccessTotals whole = new ChunkAccess.WholeObject(need).totals(model, GroupPlan.UNKNOWN_BYTES);
      ways.add(read(need, whole));
    }
    if (runs || need.objectBytes().isPresent()) {
      List<ByteRange.Bounded> exact =
          runs
              ? RangeMerge.merge(((NeededBytes.Runs) need.bytes()).parts(), GapRule.EXACT)
              : List.of(ByteRange.of(0, need.objectBytes().getAsLong()));
      if (exact.size() > MOST_RUNS) {
        return List.of();
      }
      for (int cuts = 0; cuts < 1 << (exact.size() - 1); cuts++) {
        for (AccessTotals totals : divisions(cut(exact, cuts), exact)) {
          ways.add(read(need, totals));
        }
      }
    }
    if (instance.function()) {
      need.sliceCall()
          .flatMap(model::calls)
          .map(calls -> new AccessTotals(0, 0, 0, 0, 0, calls))
          .ifPresent(calls -> ways.add(new Sum(AccessTotals.NONE, calls, 0)));
    }
    return undominated(ways);
  }

  /** What ranges amount to that are divided into more and more parts, the longest first. */
  private List<AccessTotals> divisions(
      List<ByteRange.Bounded> ranges, List<ByteRange.Bounded> exact) {
    List<AccessTotals> found = new ArrayList<>();
    long[] parts = new long[ranges.size()];
    Arrays.fill(parts, 1);
    for (int more = 0; more <= MORE; more++) {
      if (isNeeded(ranges, parts, exact)) {
        found.add(totals(ranges, parts));
      }
      int longest = 0;
      for (int i = 1; i < parts.length; i++) {
        if (ranges.get(i).length() * parts[longest] > ranges.get(longest).length() * parts[i]) {
          longest = i;
        }
      }
      if (parts[longest] == ranges.get(longest).length()) {
        return found;
      }
      parts[longest]++;
    }
    long longest = ranges.stream().mapToLong(ByteRange.Bounded::length).max().orElseThrow();
    for (int divisor : DIVISORS) {
      long bound = Math.max(1, longest / divisor);
      for (int i = 0; i < parts.length; i++) {
        parts[i] = (ranges.get(i).length() + bound - 1) / bound;
      }
      if (isNeeded(ranges, parts, exact)) {
        found.add(totals(ranges, parts));
      }
    }
    return found;
  }

  /** False if some part holds nothing that is needed: nobody would ask for it. */
  private static boolean isNeeded(
      List<ByteRange.Bounded> ranges, long[] parts, List<ByteRange.Bounded> exact) {
    if (exact.size() == ranges.size()) {
      return true;
    }
    for (int i = 0; i < parts.length; i++) {
      ByteRange.Bounded range = ranges.get(i);
      for (long part = 0; part < parts[i]; part++) {
        long start = range.start() + range.length() * part / parts[i];
        long end = range.start() + range.length() * (part + 1) / parts[i];
        boolean needed = false;
        for (ByteRange.Bounded run : exact) {
          needed |= run.start() < end && run.end() > start;
        }
        if (!needed) {
          return false;
        }
      }
    }
    return true;
  }

  /** Sums over ranges each of which is divided into so many parts. */
  private AccessTotals totals(List<ByteRange.Bounded> ranges, long[] parts) {
    Prices prices = model.profile().prices();
    double requests = 0;
    double charged = 0;
    double bytes = 0;
    double longest = 0;
    for (int i = 0; i < parts.length; i++) {
      long length = ranges.get(i).length();
      long shorter = length / parts[i];
      long longer = length % parts[i];
      requests += parts[i];
      charged += (parts[i] - longer) * prices.meteredRequests(shorter);
      charged += longer * prices.meteredRequests(shorter + 1);
      bytes += (double) length;
      longest = Math.max(longest, (double) (longer > 0 ? shorter + 1 : shorter));
    }
    return new AccessTotals(requests, requests, charged, bytes, longest, CallTotals.NONE);
  }

  /** Cut after each run whose bit is set. */
  static List<ByteRange.Bounded> cut(List<ByteRange.Bounded> exact, int cuts) {
    List<ByteRange.Bounded> ranges = new ArrayList<>();
    long start = exact.get(0).start();
    for (int i = 0; i < exact.size(); i++) {
      boolean last = i == exact.size() - 1;
      if (last || (cuts >> i & 1) == 1) {
        ranges.add(ByteRange.of(start, exact.get(i).end()));
        start = last ? 0 : exact.get(i + 1).start();
      }
    }
    return ranges;
  }

  /** Every range divided into about equal parts. */
  static List<ByteRange.Bounded> divided(List<ByteRange.Bounded> ranges, int parts) {
    List<ByteRange.Bounded> divided = new ArrayList<>();
    for (ByteRange.Bounded range : ranges) {
      long each = (range.length() + parts - 1) / parts;
      for (long start = range.start(); start < range.end(); start += each) {
        divided.add(ByteRange.of(start, Math.min(range.end(), start + each)));
      }
    }
    return divided;
  }
}
