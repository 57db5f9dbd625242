package io.arraymorph.layout.zarr.write;

import java.time.Duration;

/**
 * When a claim that somebody else holds may be taken over.
 *
 * @param staleAge for how long it must not have been renewed, by the store's clock
 * @param force take it over at once: only for people who know that its writer is dead
 */
public record ClaimPolicy(Duration staleAge, boolean force) {
  /** Five minutes. */
  public static final ClaimPolicy DEFAULT = new ClaimPolicy(Duration.ofMinutes(5), false);

  /** Throws {@link IllegalArgumentException} unless the age is positive. */
  public ClaimPolicy {
    if (staleAge.isNegative() || staleAge.isZero()) {
      throw new IllegalArgumentException("age of a stale claim must be positive: " + staleAge);
    }
  }

  /** The same, taking over at once. */
  public ClaimPolicy forced() {
    return new ClaimPolicy(staleAge, true);
  }
}
