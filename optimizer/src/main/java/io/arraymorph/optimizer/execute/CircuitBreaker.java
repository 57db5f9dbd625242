package io.arraymorph.optimizer.execute;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps callers from what failed several times in a row: for a while nothing is tried, then one
 * failure more is enough to wait again. Thread-safe.
 */
public final class CircuitBreaker {
  private static final Logger LOG = LoggerFactory.getLogger(CircuitBreaker.class);
  private static final int FAILURES_IN_A_ROW = 5;
  private static final long PAUSE_NANOS = Duration.ofSeconds(30).toNanos();

  private final LongSupplier clock;
  private int failures;
  private long pausedUntil;
  private boolean paused;

  /**
   * @param clock nanoseconds, as System::nanoTime
   */
  public CircuitBreaker(LongSupplier clock) {
    this.clock = clock;
  }

  /** False while nothing is to be tried. */
  public synchronized boolean isClosed() {
    if (paused && clock.getAsLong() - pausedUntil >= 0) {
      // One more failure pauses again.
      paused = false;
      failures = FAILURES_IN_A_ROW - 1;
    }
    return !paused;
  }

  /** Something worked. */
  synchronized void worked() {
    failures = 0;
  }

  /** Something did not. */
  synchronized void failed(String what, Throwable failure) {
    if (++failures >= FAILURES_IN_A_ROW && !paused) {
      paused = true;
      pausedUntil = clock.getAsLong() + PAUSE_NANOS;
      LOG.warn(
          "[ARRAYMORPH_SLICE_FUNCTION_FAILED] {} failed {} times in a row; reading without it for"
              + " {} seconds: {}",
          what,
          failures,
          PAUSE_NANOS / 1_000_000_000,
          failure.toString());
    }
  }
}
