package io.arraymorph.optimizer.profile;

import java.util.Objects;

/**
 * How fast a store answers one host.
 *
 * @param bandwidth of the host by number of requests
 * @param connectionBytesPerSecond of one request once its answer flows
 * @param latencySeconds until the first byte of an answer, median, the network included
 * @param tailLatencySeconds the same, 99th percentile
 * @param requestSeconds of the host for each request, whatever runs beside it
 * @param partSeconds the same again for each request for a part of an object: some servers answer
 *     those slower than whole objects
 * @param concurrency requests under way at once, at least 1
 */
public record Transport(
    BandwidthCurve bandwidth,
    double connectionBytesPerSecond,
    double latencySeconds,
    double tailLatencySeconds,
    double requestSeconds,
    double partSeconds,
    int concurrency) {

  /** Throws {@link IllegalArgumentException} for values that make no sense. */
  public Transport {
    Objects.requireNonNull(bandwidth);
    Checks.positive("connectionBytesPerSecond", connectionBytesPerSecond);
    Checks.notNegative("latencySeconds", latencySeconds);
    Checks.notNegative("requestSeconds", requestSeconds);
    Checks.notNegative("partSeconds", partSeconds);
    if (!(tailLatencySeconds >= latencySeconds) || Double.isInfinite(tailLatencySeconds)) {
      throw new IllegalArgumentException(
          "tailLatencySeconds " + tailLatencySeconds + " below latencySeconds " + latencySeconds);
    }
    Checks.positive("concurrency", concurrency);
  }

  /** This transport with another bound on requests under way. */
  public Transport withConcurrency(int value) {
    return new Transport(
        bandwidth,
        connectionBytesPerSecond,
        latencySeconds,
        tailLatencySeconds,
        requestSeconds,
        partSeconds,
        value);
  }

  /** This transport with other times of the host for each request, and for each of a part. */
  public Transport withRequestSeconds(double each, double part) {
    return new Transport(
        bandwidth,
        connectionBytesPerSecond,
        latencySeconds,
        tailLatencySeconds,
        each,
        part,
        concurrency);
  }

  /**
   * What one of several tasks of a host can count on: its share of the bandwidth, but no less than
   * nothing else would limit a single connection to.
   *
   * @param share in (0, 1]
   */
  public Transport share(double share) {
    if (!(share > 0) || share > 1) {
      throw new IllegalArgumentException("a share of " + share);
    }
    return new Transport(
        bandwidth.scaled(share),
        Math.min(connectionBytesPerSecond, bandwidth.maximum() * share),
        latencySeconds,
        tailLatencySeconds,
        requestSeconds,
        partSeconds,
        Math.max(1, (int) Math.round(concurrency * share)));
  }
}
