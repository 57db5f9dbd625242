package io.arraymorph.store;

import java.util.function.LongSupplier;

/**
 * A bound on the retries of all requests of a store together, so that a store in trouble is not
 * buried under them: a bucket of tokens of which each retry takes one.
 *
 * <p>It starts full and is refilled by success and by time. Thread-safe.
 */
final class RetryBudget {
  /** Tokens that a successful request brings back. */
  private static final double PER_SUCCESS = 0.2;

  /** Tokens that a second brings back. */
  private static final double PER_SECOND = 10;

  private final double capacity;
  private final LongSupplier nanoTime;
  private double tokens;
  private long refilled;

  RetryBudget(int capacity, LongSupplier nanoTime) {
    this.capacity = capacity;
    this.tokens = capacity;
    this.nanoTime = nanoTime;
    this.refilled = nanoTime.getAsLong();
  }

  /** Takes one token if there is one. */
  synchronized boolean tryRetry() {
    long now = nanoTime.getAsLong();
    add((now - refilled) / 1e9 * PER_SECOND);
    refilled = now;
    if (tokens < 1) {
      return false;
    }
    tokens--;
    return true;
  }

  synchronized void succeeded() {
    add(PER_SUCCESS);
  }

  private void add(double more) {
    tokens = Math.min(capacity, tokens + more);
  }
}
