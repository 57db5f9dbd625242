package io.arraymorph.optimizer.measure;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.optimizer.profile.BandwidthCurve;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.Transport;
import io.arraymorph.store.StorePath;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures latency, the speed of one connection and bandwidth by number of requests of a store, by
 * reading parts of an object that is there, and makes a profile of them.
 *
 * <p>Prices and the slice function cannot be measured; they stay as they were. Says in the
 * profile's provenance how far measurements were apart.
 *
 * @param maxDuration after which nothing more is sent
 * @param maxBytes to move in all
 */
public record StoreProbe(Duration maxDuration, long maxBytes) {
  /** A minute and 200 MB. */
  public static final StoreProbe DEFAULT = new StoreProbe(Duration.ofSeconds(60), 200_000_000);

  private static final int LATENCIES = 40;
  private static final int MOST_REQUESTS = 64;
  private static final int BATCHES = 9;
  private static final long SMALL_OBJECT = 16 << 10;
  static final long LEAST_OBJECT = 1 << 16;

  /** Throws {@link IllegalArgumentException} for bounds that allow nothing. */
  public StoreProbe {
    if (maxDuration.isNegative() || maxDuration.isZero() || maxBytes < LEAST_OBJECT) {
      throw new IllegalArgumentException("a probe of " + maxDuration + " and " + maxBytes);
    }
  }

  /**
   * Measures a store.
   *
   * @param path of an object, or of a prefix below which the largest object found is read
   * @param base prices, function and whatever was not measured
   * @param name of the new profile
   * @throws ArrayMorphException with OBJECT_NOT_FOUND if there is no object of 64 KiB or more
   */
  public StoreProfile measure(StorePath path, StoreProfile base, String name) {
    return new Run(ProbedObject.find(path, this)).profile(base, name);
  }

  /** One measurement; single-threaded. */
  private final class Run {
    private final ProbedObject probed;

    Run(ProbedObject probed) {
      this.probed = probed;
    }

    StoreProfile profile(StoreProfile base, String name) {
      probed.seconds(probed.ranges(1, 1));
      List<Double> latencies = new ArrayList<>();
      for (int i = 0; i < LATENCIES && probed.mayMove(1); i++) {
        latencies.add(probed.seconds(probed.ranges(1, 1)));
      }
      double[] sorted = latencies.stream().mapToDouble(Double::doubleValue).sorted().toArray();
      if (sorted.length == 0) {
        throw new ArrayMorphException(
            ErrorCode.STORE_UNAVAILABLE,
            "one byte of " + probed.object() + " took longer than " + maxDuration,
            "Allow more time, or check the connection");
      }
      double latency = sorted[sorted.length / 2];
      double tail = sorted[sorted.length * 19 / 20];
      double[] requests = requestSeconds(latency, base.transport().requestSeconds());
      List<BandwidthCurve.Point> points = new ArrayList<>();
      double connection = 0;
      double slowest = Double.POSITIVE_INFINITY;
      for (int count = 1; count <= MOST_REQUESTS; count *= 2) {
        long each = Math.min(probed.bytes(), Math.min(8 << 20, maxBytes / 16 / count));
        if (each < 1 || !probed.mayMove(each * count)) {
          break;
        }
        double seconds = probed.seconds(probed.ranges(count, each));
        double flowing = Math.max(seconds - latency, seconds / 20);
        if (count == 1) {
          connection = each / flowing;
        }
        double rate = (double) each * count / flowing;
        slowest = Math.min(slowest, rate);
        points.add(new BandwidthCurve.Point(count, rate));
      }
      if (points.isEmpty()) {
        points.add(new BandwidthCurve.Point(1, base.transport().bandwidth().maximum()));
        connection = base.transport().connectionBytesPerSecond();
      }
      BandwidthCurve curve = BandwidthCurve.of(points);
      Transport transport =
          new Transport(
              curve,
              connection,
              latency,
              tail,
              requests[0],
              requests[1] - requests[0],
              base.transport().concurrency());
      return new StoreProfile(
          name,
          LocalDate.now(ZoneOffset.UTC),
          provenance(base, sorted, points, slowest, requests),
          base.location(),
          transport,
          base.prices(),
          base.function());
    }

    /**
     * What each of many requests at once takes beyond the latency they share: on small hosts that
     * is processor time, and bounds how far a read may be cut up. Of several batches one of the
     * faster counts, as the best bandwidth does: what else runs only ever adds time to both.
     *
     * @return of whole objects, and of parts; the former the same where no object is small
     */
    private double[] requestSeconds(double latency, double unmeasured) {
      List<Double> ofParts = new ArrayList<>();
      List<Double> ofWhole = new ArrayList<>();
      long small = probed.smallestBytes();
      for (int i = 0; i < BATCHES && probed.mayMove(MOST_REQUESTS * (1 + small)); i++) {
        ofParts.add(each(probed.seconds(probed.ranges(MOST_REQUESTS, 1)), latency));
        if (small <= SMALL_OBJECT) {
          ofWhole.add(each(probed.secondsOfSmallest(MOST_REQUESTS), latency));
        }
      }
      double part = usual(ofParts, unmeasured);
      double whole = Math.min(part, usual(ofWhole, part));
      return new double[] {whole, part};
    }

    private double each(double seconds, double latency) {
      return Math.max(0, seconds - latency) / MOST_REQUESTS;
    }

    private double usual(List<Double> each, double unmeasured) {
      each.sort(null);
      return each.isEmpty() ? unmeasured : each.get(each.size() / 4);
    }

    private String provenance(
        StoreProfile base,
        double[] latencies,
        List<BandwidthCurve.Point> points,
        double slowest,
        double[] requests) {
      double quartile = latencies[latencies.length / 4];
      double upper = latencies[latencies.length * 3 / 4];
      return String.format(
          Locale.ROOT,
          "Measured on %s with %d first bytes (middle half %.4g to %.4g s, all %.4g to %.4g s), %d"
              + " sizes of batches (%.3g to %.3g bytes/s), %.1f MB moved. N_min %d, N_max %d at 90"
              + " %% of the best bandwidth, %.3g s for each of many requests at once (%.3g s for"
              + " parts of objects). Tail latency is that of the slowest twentieth. Prices,"
              + " function and concurrency from %s: %s",
          probed.object(),
          latencies.length,
          quartile,
          upper,
          latencies[0],
          latencies[latencies.length - 1],
          points.size(),
          slowest,
          BandwidthCurve.of(points).maximum(),
          probed.moved() / 1e6,
          BandwidthCurve.of(points).fewestRequests(0.9),
          BandwidthCurve.of(points).mostRequests(0.9),
          requests[0],
          requests[1],
          base.name(),
          base.provenance());
    }
  }
}
