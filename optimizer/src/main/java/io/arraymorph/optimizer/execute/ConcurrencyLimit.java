package io.arraymorph.optimizer.execute;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How many requests may be under way: halved when the store asks to slow down, then one more for
 * each round of answers, up to what was planned (additive increase, multiplicative decrease). Not
 * thread-safe: its queue guards it.
 */
final class ConcurrencyLimit {
  /** Refusals of requests that were sent together count once. */
  private static final long TOGETHER_NANOS = Duration.ofMillis(100).toNanos();

  private final int planned;
  private final LongSupplier clock;
  private double limit;
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
  }

  /** The store asked to slow down. */
  void throttled() {
    long now = clock.getAsLong();
    if (!cut || now - cutAt >= TOGETHER_NANOS) {
      cut = true;
      cutAt = now;
      limit = Math.max(1, limit / 2);
    }
  }
}
