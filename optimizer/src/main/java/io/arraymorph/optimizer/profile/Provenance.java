package io.arraymorph.optimizer.profile;

import java.util.Objects;
import java.util.Optional;

/**
 * Where the numbers of a profile come from.
 *
 * @param text all in short
 * @param sources by group of numbers; empty if the text says it all
 */
public record Provenance(String text, Optional<Sources> sources) {

  /**
   * Source and date of the numbers of each group, or that they are assumed.
   *
   * @param transport of latency and bandwidth
   * @param prices of what the store charges
   * @param function of speed, limits and fees of the slice function
   */
  public record Sources(String transport, String prices, String function) {
    /** Throws if something is null. */
    public Sources {
      Objects.requireNonNull(transport);
      Objects.requireNonNull(prices);
      Objects.requireNonNull(function);
    }
  }

  /** Throws if something is null. */
  public Provenance {
    Objects.requireNonNull(text);
    Objects.requireNonNull(sources);
  }

  /** One text for all numbers. */
  public static Provenance of(String text) {
    return new Provenance(text, Optional.empty());
  }

  /**
   * Of a profile whose latency and bandwidth are others.
   *
   * @param newText all in short
   * @param transport the new source
   */
  public Provenance withTransport(String newText, String transport) {
    return new Provenance(
        newText, sources.map(old -> new Sources(transport, old.prices, old.function)));
  }

  /**
   * Of a profile of whose slice function some numbers are others.
   *
   * @param newText all in short
   * @param function the source of these numbers
   */
  public Provenance withFunction(String newText, String function) {
    return new Provenance(
        newText,
        sources.map(
            old -> new Sources(old.transport, old.prices, function + ". Else: " + old.function)));
  }
}
