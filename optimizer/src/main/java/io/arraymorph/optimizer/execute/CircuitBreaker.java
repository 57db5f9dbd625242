package io.arraymorph.optimizer.execute;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps callers from what failed several times in a row: for a while nothing is tried, then one
 * call, which decides whether the others are let through again. Thread-safe.
 */
public final class CircuitBreaker {
  private static final Logger LOG = LoggerFactory.getLogger(CircuitBreaker.class);
  private static final int FAILURES_IN_A_ROW = 5;
  private static final long PAUSE_NANOS = Duration.ofSeconds(30).toNanos();

  private final LongSupplier clock;
  private int failures;
  private boolean paused;

  /** When one call may be tried. */
  private long pausedUntil;

  /** True while that call is under way. */
  private boolean trying;

  /**
   * @param clock nanoseconds, as System::nanoTime
   */
  public CircuitBreaker(LongSupplier clock) {
    this.clock = clock;
  }

  /** False while nothing is to be tried, or one call is being tried. */
  public synchronized boolean isClosed() {
    return !paused || clock.getAsLong() - pausedUntil >= 0;
  }

  /** True if a call may be sent now; after a pause that is for one call, until its end is told. */
  synchronized boolean admits() {
    if (!isClosed()) {
      return false;
    }
    if (paused) {
      // Should nobody say how it ended, another one is tried later.
      pause();
      trying = true;
    }
    return true;
  }

  private void pause() {
    paused = true;
    trying = false;
    pausedUntil = clock.getAsLong() + PAUSE_NANOS;
  }

  /** A call was answered; one from before a pause does not end it. */
  synchronized void worked() {
    failures = 0;
    if (trying) {
      paused = false;
      trying = false;
    }
  }

  /** A call ended in a way that says nothing. */
  synchronized void abandoned() {
    if (trying) {
      trying = false;
      pausedUntil = clock.getAsLong();
    }
  }

  /** A call failed. */
  synchronized void failed(String what, Throwable failure) {
    failures++;
    if (trying) {
      pause();
    } else if (failures >= FAILURES_IN_A_ROW && !paused) {
      pause();
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
