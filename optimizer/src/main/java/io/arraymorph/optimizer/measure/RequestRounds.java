package io.arraymorph.optimizer.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * What requests take of a store: one alone, and each of many at once, of whole objects and of
 * parts.
 *
 * <p>First a process is warmed: connections are made and code is compiled while requests are sent
 * that do not count, until they get no faster. Then rounds of all three follow one another, in
 * turns which comes first, so that whatever else the host and the network do meets all alike.
 * Medians count; but of what each of many requests takes the lower quartile, unless so many were
 * sent that the process is warm for certain: compiling only ever adds to it. What parts take more
 * than whole objects is the median of the rounds' own differences: it is small beside what rounds
 * differ from one another, so there are rounds until it is known well enough, or as many as may be;
 * what is not above its error counts as nothing.
 */
final class RequestRounds {
  /** Requests at once. */
  static final int TOGETHER = 128;

  private static final int FEWEST_ROUNDS = 24;
  private static final int MOST_ROUNDS = 128;

  /** How well to know what parts take more, as a share of what a request takes. */
  private static final double KNOWN = 0.03;

  private static final int SINGLES = 2;

  /** Kept for what is measured after the rounds. */
  private static final int LATER_REQUESTS = 128;

  /** Batches to warm with, at least; and how many in a row must be no faster than those before. */
  private static final int FEWEST_WARMING = 16;

  private static final int SAME_IN_A_ROW = 8;

  /**
   * Requests after which all code is compiled. Measured on two busy cores: after 4,500 to 9,500
   * requests one took 0.17 ms in the median and 0.10 ms in the lower quartile, after 20,000 0.10 ms
   * in the median.
   */
  private static final long WARM_REQUESTS = 20_000;

  /** What counts as faster. */
  private static final double FASTER = 0.95;

  private static final long SMALL_OBJECT = 16 << 10;

  private final List<Double> singles = new ArrayList<>();
  private final List<Double> parts = new ArrayList<>();
  private final List<Double> wholes = new ArrayList<>();
  private long warming;
  private long sent;

  private RequestRounds() {}

  /**
   * Runs rounds until there are enough, or a third of the time, a quarter of the bytes or nearly
   * all requests are gone; at most half of each for warming.
   */
  static RequestRounds run(ProbedObject probed, StoreProbe bounds) {
    RequestRounds rounds = new RequestRounds();
    long end = System.nanoTime() + bounds.maxDuration().toNanos() / 3;
    long most = probed.moved() + bounds.maxBytes() / 4;
    long small = probed.smallestBytes() <= SMALL_OBJECT ? probed.smallestBytes() : 0;
    int asks = SINGLES + TOGETHER * (small > 0 ? 2 : 1);
    long moves = SINGLES + TOGETHER * (1 + small);
    if (probed.may(1, 1)) {
      add(new ArrayList<>(), probed.seconds(probed.ranges(1, 1)));
    }
    if (probed.may(1, 1)) { // Should there be time for nothing else.
      add(rounds.singles, probed.seconds(probed.ranges(1, 1)));
    }
    rounds.warm(probed, small, bounds);
    for (int i = 0; i < MOST_ROUNDS && !rounds.areEnough() && probed.may(SINGLES, SINGLES); i++) {
      for (int k = 0; k < SINGLES; k++) {
        add(rounds.singles, probed.seconds(probed.ranges(1, 1)));
      }
      Compiling.awaitRest(); // Not before single requests, which would feel that threads slept.
      if (System.nanoTime() - end > 0
          || !probed.may(asks + LATER_REQUESTS, moves)
          || probed.moved() + moves > most) {
        break;
      }
      List<OptionalDouble> wholes = new ArrayList<>();
      if (small > 0 && i % 2 == 0) {
        wholes.add(probed.secondsOfSmallest(TOGETHER));
      }
      OptionalDouble part = probed.seconds(probed.ranges(TOGETHER, 1));
      if (small > 0 && i % 2 == 1) {
        wholes.add(probed.secondsOfSmallest(TOGETHER));
      }
      if (part.isPresent() && wholes.stream().allMatch(OptionalDouble::isPresent)) {
        add(rounds.parts, part);
        wholes.forEach(whole -> add(rounds.wholes, whole));
      }
    }
    rounds.sent = probed.requests();
    return rounds;
  }

  /**
   * Sends requests until a process that has just begun answers no faster.
   *
   * @param small bytes of an object that is read whole in every other batch, 0 to read parts only
   */
  private void warm(ProbedObject probed, long small, StoreProbe bounds) {
    long end = System.nanoTime() + bounds.maxDuration().toNanos() / 6;
    long most = probed.moved() + bounds.maxBytes() / 8;
    double[] best = {Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY};
    int same = 0;
    for (int i = 0; i < FEWEST_WARMING || same < SAME_IN_A_ROW; i++) {
      boolean whole = i % 2 == 1 && probed.moved() + TOGETHER * small <= most;
      if (System.nanoTime() - end > 0
          || probed.requests() + TOGETHER > bounds.maxRequests() / 2
          || !probed.may(TOGETHER, TOGETHER)) {
        break;
      }
      double taken =
          (whole && small > 0
                  ? probed.secondsOfSmallest(TOGETHER)
                  : probed.seconds(probed.ranges(TOGETHER, 1)))
              .orElse(Double.POSITIVE_INFINITY);
      same = taken < FASTER * best[i % 2] ? 0 : same + 1;
      best[i % 2] = Math.min(best[i % 2], taken);
      Compiling.awaitRest();
    }
    warming = probed.requests();
  }

  /** True if the process is warm for certain. */
  boolean isWarm() {
    return sent >= WARM_REQUESTS;
  }

  /** What counts of {@link #each()}. */
  double eachSeconds() {
    return isWarm() ? each().median() : each().lower();
  }

  /** Requests that were sent before any counted. */
  long warming() {
    return warming;
  }

  private static void add(List<Double> all, OptionalDouble seconds) {
    seconds.ifPresent(all::add);
  }

  private boolean areEnough() {
    return parts.size() >= FEWEST_ROUNDS && more().error() <= KNOWN * each().lower();
  }

  /** True if not even one request was answered in time. */
  boolean isEmpty() {
    return singles.isEmpty();
  }

  /** Seconds of requests alone. */
  Spread latency() {
    return Spread.of(settled(singles));
  }

  /** True if there were many requests at once. */
  boolean hasBatches() {
    return !parts.isEmpty();
  }

  /** Seconds that each of many requests takes beyond the latency they share. */
  Spread each() {
    double latency = latency().lower(); // The rest of it is what else the host does.
    return Spread.of(
        settled(wholes.isEmpty() ? parts : wholes).stream()
            .map(seconds -> Math.max(0, seconds - latency) / TOGETHER)
            .toList());
  }

  /** Seconds that each of many takes more if it asks for a part; zeros where no object is small. */
  Spread more() {
    List<Double> differences = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      differences.add(wholes.isEmpty() ? 0 : (parts.get(i) - wholes.get(i)) / TOGETHER);
    }
    return Spread.of(settled(differences));
  }

  /** What parts take more if it is more than its error explains, else nothing. */
  double knownMore() {
    if (!hasBatches()) {
      return 0;
    }
    Spread more = more();
    return more.median() > more.error() ? more.median() : 0;
  }

  private static List<Double> settled(List<Double> all) {
    return all.subList(all.size() / 4, all.size());
  }

  /**
   * Measurements of one thing; there is at least one.
   *
   * @param error about the standard error of the median
   */
  record Spread(
      double least,
      double lower,
      double median,
      double upper,
      double tail,
      double most,
      double error) {
    /** The error of a median of normal measurements, in their interquartile range over root n. */
    private static final double OF_MEDIAN = 0.93;

    static Spread of(List<Double> measured) {
      double[] sorted = measured.stream().mapToDouble(Double::doubleValue).sorted().toArray();
      int count = sorted.length;
      return new Spread(
          sorted[0],
          sorted[count / 4],
          sorted[count / 2],
          sorted[count * 3 / 4],
          sorted[count * 19 / 20],
          sorted[count - 1],
          OF_MEDIAN * (sorted[count * 3 / 4] - sorted[count / 4]) / Math.sqrt(count));
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%.3g s (error %.2g, middle half %.3g to %.3g, all %.3g to %.3g)",
          median,
          error,
          lower,
          upper,
          least,
          most);
    }
  }
}
