package io.arraymorph.optimizer.execute;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How many requests may be under way.
 *
 * <p>Grows by one for each answer while more requests wait and answers come in less than twice the
 * time of the fastest one: then most of that time is the network's latency, which more requests
 * hide, and in a round trip the limit doubles. Answers that take four times as long say that the
 * pipe or a processor is what all wait for, and take one back, down to where it began.
 *
 * <p>Halved when the store refuses more than a few percent of requests as too many; from then on
 * one more for each round of answers (additive increase, multiplicative decrease). A refusal now
 * and then is only retried: halving for each would leave a dozen requests at one refusal in a
 * hundred. Not thread-safe: its queue guards it.
 */
final class ConcurrencyLimit {
  /** Requests that are sent to a store of which no more is known. */
  static final int FIRST = 64;

  /** Refusals of requests that were sent together count once. */
  private static final long TOGETHER_NANOS = Duration.ofMillis(100).toNanos();

  /** Refusals that are borne, as a share of answers. */
  private static final double BORNE = 0.05;

  /** The weight of an answer in the average over the last ones. */
  private static final double WEIGHT = 1.0 / 64;

  private final int first;
  private final int most;
  private final LongSupplier clock;
  private double limit;
  private double refused;
  private long fastest = Long.MAX_VALUE;
  private boolean cut;
  private long cutAt;

  /**
   * @param start where an earlier reader of the store left off, or what its profile says
   * @param most requests, at least 1
   * @param clock nanoseconds, as System::nanoTime
   */
  ConcurrencyLimit(int start, int most, LongSupplier clock) {
    this.first = Math.min(FIRST, most);
    this.most = most;
    this.clock = clock;
    this.limit = Math.max(1, Math.min(start, most));
  }

  /** Requests that may be under way now, at least 1. */
  int slots() {
    return (int) limit;
  }

  /**
   * The store answered a request.
   *
   * @param nanos since it was sent
   * @param waiting true if more are to be sent
   */
  void answered(long nanos, boolean waiting) {
    refused -= refused * WEIGHT;
    fastest = Math.min(fastest, nanos);
    if (nanos / 4 > fastest) {
      limit = Math.max(limit - 1, Math.min(limit, first));
    } else if (limit < first || cut) {
      limit = Math.min(most, limit + 1 / limit);
    } else if (waiting && nanos / 2 < fastest) {
      limit = Math.min(most, limit + 1);
    }
  }

  /** The store asked to slow down. */
  void throttled() {
    long now = clock.getAsLong();
    refused += (1 - refused) * WEIGHT;
    if (refused > BORNE && (!cut || now - cutAt >= TOGETHER_NANOS)) {
      refused = 0;
      cut = true;
      cutAt = now;
      limit = Math.max(1, limit / 2);
    }
  }
}
