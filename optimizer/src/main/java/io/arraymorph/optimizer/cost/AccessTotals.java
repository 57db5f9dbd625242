package io.arraymorph.optimizer.cost;

import java.util.Objects;

/**
 * Sums over the requests of a plan: all that cost models look at.
 *
 * @param requests reads of whole objects and ranges
 * @param parts how many of them are for a part of an object
 * @param chargedRequests how many the store charges for them
 * @param bytes they move
 * @param longestBytes the most that one of them moves
 * @param calls of the slice function
 */
public record AccessTotals(
    double requests,
    double parts,
    double chargedRequests,
    double bytes,
    double longestBytes,
    CallTotals calls) {
  /** Nothing is read. */
  public static final AccessTotals NONE = new AccessTotals(0, 0, 0, 0, 0, CallTotals.NONE);

  /** Throws if something is null. */
  public AccessTotals {
    Objects.requireNonNull(calls);
  }

  /** Some reads of ranges, without calls of the slice function. */
  public static AccessTotals reads(double requests, double bytes, double longestBytes) {
    return new AccessTotals(requests, requests, requests, bytes, longestBytes, CallTotals.NONE);
  }

  /** The sums over these requests and those of {@code other}. */
  public AccessTotals plus(AccessTotals other) {
    return new AccessTotals(
        requests + other.requests,
        parts + other.parts,
        chargedRequests + other.chargedRequests,
        bytes + other.bytes,
        Math.max(longestBytes, other.longestBytes),
        calls.plus(other.calls));
  }

  /** The sums over {@code factor} times these requests, as for a sample. */
  public AccessTotals times(double factor) {
    return new AccessTotals(
        requests * factor,
        parts * factor,
        chargedRequests * factor,
        bytes * factor,
        longestBytes,
        calls.times(factor));
  }

  /** The same reads if the longest moved so many bytes. */
  public AccessTotals withLongest(double bytesOfLongest) {
    return new AccessTotals(requests, parts, chargedRequests, bytes, bytesOfLongest, calls);
  }

  /** The same reads with other calls. */
  AccessTotals withCalls(CallTotals other) {
    return new AccessTotals(requests, parts, chargedRequests, bytes, longestBytes, other);
  }

  /** Bytes that come to the reader. */
  public double movedBytes() {
    return bytes + calls.answerBytes();
  }
}
