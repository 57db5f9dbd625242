package io.arraymorph.optimizer.cost;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.util.Locale;

/**
 * What reading costs.
 *
 * @param seconds from the first request to the last byte
 * @param dollars charged by the store, the network and the slice function
 */
public record AccessCost(double seconds, double dollars) {
  /** Seconds per dollar from which on only dollars count, and seconds decide between equals. */
  private static final double INFINITE = 1e15;

  /**
   * {@code T + phi F} in seconds (ArrayMorph, section 4.1).
   *
   * @param phi seconds that a dollar is worth: 0 for the fastest plan, infinity for the cheapest
   */
  public double weighted(double phi) {
    return seconds + Math.min(phi, INFINITE) * dollars;
  }

  /**
   * The value of option {@code phi}: a number of 0 or more, or {@code infinity}.
   *
   * @throws ArrayMorphException with INVALID_OPTION
   */
  public static double parsePhi(String text) {
    String trimmed = text.trim().toLowerCase(Locale.ROOT);
    if (trimmed.equals("inf") || trimmed.equals("infinity")) {
      return Double.POSITIVE_INFINITY;
    }
    double phi = Double.NaN;
    try {
      phi = Double.parseDouble(trimmed);
    } catch (NumberFormatException e) {
      // Refused below, as NaN is.
    }
    if (!(phi >= 0)) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          "option phi: '" + text + "' is not a number of 0 or more",
          "Use phi=<seconds that a dollar is worth>, 0 for the fastest plan or infinity for the"
              + " cheapest");
    }
    // No time matters beside such a price, and products with it would overflow.
    return phi < 1e30 ? phi : Double.POSITIVE_INFINITY;
  }

  /** As {@code 0.216 s, $0.0000004}. */
  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.4g s, $%.4g", seconds, dollars);
  }
}
