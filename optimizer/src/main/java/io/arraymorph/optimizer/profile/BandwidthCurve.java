package io.arraymorph.optimizer.profile;

import java.util.Arrays;
import java.util.List;

/**
 * The bandwidth that a host reaches with a number of requests for the same bytes: the paper's BW(P,
 * N), linear between measured points (ArrayMorph, section 4.1).
 *
 * <p>Before the first point it grows linearly from 0 at 0 requests; after the last it stays.
 * Immutable.
 */
public final class BandwidthCurve {
  /**
   * A measured point.
   *
   * @param requests into which the bytes were divided, at least 1
   * @param bytesPerSecond reached
   */
  public record Point(long requests, double bytesPerSecond) {}

  private final Point[] points;
  private final double maximum;

  private BandwidthCurve(Point[] points) {
    this.points = points;
    this.maximum = Arrays.stream(points).mapToDouble(Point::bytesPerSecond).max().orElseThrow();
  }

  /**
   * The curve through these points.
   *
   * @throws IllegalArgumentException unless there is a point, requests ascend from at least 1, and
   *     bandwidths are positive and finite
   */
  public static BandwidthCurve of(List<Point> points) {
    long before = 0;
    for (Point point : points) {
      if (point.requests <= before) {
        throw new IllegalArgumentException(
            "bandwidth: " + point.requests + " requests after " + before + ", they must ascend");
      }
      if (!(point.bytesPerSecond > 0) || Double.isInfinite(point.bytesPerSecond)) {
        throw new IllegalArgumentException(
            "bandwidth is " + point.bytesPerSecond + " bytes per second, it must be above 0");
      }
      before = point.requests;
    }
    if (points.isEmpty()) {
      throw new IllegalArgumentException("bandwidth has no points");
    }
    return new BandwidthCurve(points.toArray(Point[]::new));
  }

  /** The points, ascending. */
  public List<Point> points() {
    return List.of(points);
  }

  /** Bytes per second with that many requests; 0 for none. */
  public double at(long requests) {
    long beforeRequests = 0;
    double before = 0;
    for (Point point : points) {
      if (requests <= point.requests) {
        double part = (double) (requests - beforeRequests) / (point.requests - beforeRequests);
        return before + part * (point.bytesPerSecond - before);
      }
      beforeRequests = point.requests;
      before = point.bytesPerSecond;
    }
    return before;
  }

  /** The highest bandwidth of any number of requests, in bytes per second. */
  public double maximum() {
    return maximum;
  }

  /** The least measured number of requests that reaches a share of the highest bandwidth. */
  public long fewestRequests(double share) {
    double enough = share * maximum();
    return Arrays.stream(points)
        .filter(point -> point.bytesPerSecond >= enough)
        .mapToLong(Point::requests)
        .min()
        .orElseThrow();
  }

  /** The greatest measured number of requests that reaches a share of the highest bandwidth. */
  public long mostRequests(double share) {
    double enough = share * maximum();
    return Arrays.stream(points)
        .filter(point -> point.bytesPerSecond >= enough)
        .mapToLong(Point::requests)
        .max()
        .orElseThrow();
  }

  /** This curve with all bandwidths multiplied, as for a share of a host. */
  public BandwidthCurve scaled(double factor) {
    return of(
        Arrays.stream(points)
            .map(point -> new Point(point.requests, point.bytesPerSecond * factor))
            .toList());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BandwidthCurve
        && Arrays.equals(points, ((BandwidthCurve) other).points);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(points);
  }

  /** As {@code [8: 1.008E8, 32: 1.039E8]}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("[");
    for (Point point : points) {
      text.append(text.length() > 1 ? ", " : "");
      text.append(point.requests).append(": ").append(point.bytesPerSecond);
    }
    return text.append(']').toString();
  }
}
