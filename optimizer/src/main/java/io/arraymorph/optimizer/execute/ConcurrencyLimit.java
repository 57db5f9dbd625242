package io.arraymorph.optimizer.execute;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How many requests may be under way: halved when the store refuses more than a few percent of them
 * as too many, then one more for each round of answers, up to what was planned (additive increase,
 * multiplicative decrease). A refusal now and then is only retried: halving for each would leave a
 * dozen requests at one refusal in a hundred. Not thread-safe: its queue guards it.
 */
final class ConcurrencyLimit {
  /** Refusals of requests that were sent together count once. */
  private static final long TOGETHER_NANOS = Duration.ofMillis(100).toNanos();

  /** Refusals that are borne, as a share of answers. */
  private static final double BORNE = 0.05;

  /** The weight of an answer in the average over the last ones. */
  private static final double WEIGHT = 1.0 / 64;

  private final int planned;
  private final LongSupplier clock;
  private double limit;
  private double refused;
  private boolean cut;
  private long cutAt;

  /**
   * @param planned the most requests, at least 1
   * @param clock nanoseconds, as System::nanoTime
   */
  ConcurrencyLimit(int planned, LongSupplier clock) {
    this.planned = planned;
    this.clock = clock;
    this.limit = planned;
  }

  /** Requests that may be under way now, at least 1. */
  int slots() {
    return (int) limit;
  }

  /** The store answered a request. */
  void answered() {
    limit = Math.min(planned, limit + 1 / limit);
    refused -= refused * WEIGHT;
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
