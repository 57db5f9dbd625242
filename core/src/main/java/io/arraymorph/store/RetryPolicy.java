package io.arraymorph.store;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How often and how fast a store's requests are made again.
 *
 * <p>Pauses are exponential with full jitter: uniform between zero and a bound that doubles (<a
 * href="https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter">Brooker,
 * Timeouts, retries, and backoff with jitter</a>).
 *
 * @param attempts most attempts of one request, the first included
 * @param firstPause bound of the pause before the second attempt; it doubles with each further one
 * @param longestPause where that bound stops growing; also the longest Retry-After that is obeyed
 * @param attemptTimeout how long one attempt may take, waiting for a free connection included
 * @param deadline after this time no attempt begins
 * @param budget most retries that all requests of the store together save up; see {@link
 *     RetryBudget}
 */
public record RetryPolicy(
    int attempts,
    Duration firstPause,
    Duration longestPause,
    Duration attemptTimeout,
    Duration deadline,
    int budget) {

  /** Rides out some ten seconds of failure, and gives up for good after three minutes. */
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(
          8,
          Duration.ofMillis(100),
          Duration.ofSeconds(20),
          Duration.ofMinutes(5),
          Duration.ofMinutes(3),
          1000);

  /** Throws {@link IllegalArgumentException} for counts below one or durations not positive. */
  public RetryPolicy {
    if (attempts < 1 || budget < 1) {
      throw new IllegalArgumentException("attempts " + attempts + ", budget " + budget);
    }
    for (Duration time : new Duration[] {firstPause, longestPause, attemptTimeout, deadline}) {
      if (time.isNegative() || time.isZero()) {
        throw new IllegalArgumentException("duration " + time);
      }
    }
  }

  /** This policy with another number of attempts. */
  public RetryPolicy withAttempts(int other) {
    return new RetryPolicy(other, firstPause, longestPause, attemptTimeout, deadline, budget);
  }

  /** This policy with another first pause. */
  public RetryPolicy withFirstPause(Duration other) {
    return new RetryPolicy(attempts, other, longestPause, attemptTimeout, deadline, budget);
  }

  /**
   * How long to wait before an attempt, random.
   *
   * @param failures how many attempts failed, at least one
   * @param failure the last of them
   */
  Duration pause(int failures, StoreException failure) {
    long bound = longestPause.toNanos();
    long first = firstPause.toNanos();
    int doublings = failures - 1;
    if (doublings < Long.numberOfLeadingZeros(first) - 1) {
      bound = Math.min(bound, first << doublings);
    }
    long jitter = ThreadLocalRandom.current().nextLong(bound + 1);
    long asked = Math.min(failure.retryAfter().toNanos(), longestPause.toNanos());
    return Duration.ofNanos(asked + jitter);
  }
}
