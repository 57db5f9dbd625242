package io.arraymorph.optimizer.measure;

import io.arraymorph.ArrayMorphException;
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
import java.util.OptionalDouble;

/**
 * Measures latency, the speed of one connection and bandwidth by number of requests of a store, by
 * reading parts of an object that is there, and makes a profile of them.
 *
 * <p>Prices and the slice function cannot be measured; they stay as they were. Says in the
 * profile's provenance how far measurements were apart.
 *
 * @param maxDuration after which nothing more is sent, and no answer is waited for
 * @param maxBytes to move in all
 * @param maxRequests to send in all, at most half of them to warm the process; more of them tell
 *     better what a request takes
 */
public record StoreProbe(Duration maxDuration, long maxBytes, long maxRequests) {
  /** Requests that are sent unless more or fewer are allowed. */
  public static final long USUAL_REQUESTS = 10_000;

  /** A minute, 200 MB and 10,000 requests. */
  public static final StoreProbe DEFAULT = new StoreProbe(Duration.ofSeconds(60), 200_000_000);

  private static final int MOST_REQUESTS = 64;
  static final long LEAST_OBJECT = 1 << 16;

  /** Throws {@link IllegalArgumentException} for bounds that allow nothing. */
  public StoreProbe {
    if (maxDuration.isNegative()
        || maxDuration.isZero()
        || maxBytes < LEAST_OBJECT
        || maxRequests < 1) {
      throw new IllegalArgumentException(
          "a probe of " + maxDuration + ", " + maxBytes + " bytes, " + maxRequests + " requests");
    }
  }

  /** A probe with {@link #USUAL_REQUESTS}. */
  public StoreProbe(Duration maxDuration, long maxBytes) {
    this(maxDuration, maxBytes, USUAL_REQUESTS);
  }

  /**
   * Measures a store.
   *
   * @param path of an object, or of a prefix below which the largest object found is read
   * @param base prices, function and whatever was not measured
   * @param name of the new profile
   * @throws ArrayMorphException with OBJECT_NOT_FOUND if there is no object of 64 KiB or more,
   *     STORE_UNAVAILABLE and others as the store fails
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
      RequestRounds rounds = RequestRounds.run(probed, StoreProbe.this);
      if (rounds.isEmpty()) {
        throw probed.late();
      }
      double latency = rounds.latency().median();
      List<BandwidthCurve.Point> points = new ArrayList<>();
      double connection = 0;
      double slowest = Double.POSITIVE_INFINITY;
      double speed = probed.guessedBytesPerSecond(latency);
      for (int count = 1; count <= MOST_REQUESTS; count *= 2) {
        int steps = 1 + Integer.numberOfTrailingZeros(MOST_REQUESTS / count);
        double inTime = speed * probed.secondsLeft() / steps;
        long all = (long) Math.min(maxBytes / 16.0, inTime);
        long each = Math.min(probed.bytes(), Math.min(8 << 20, all / count));
        if (each < 1 || !probed.may(count, each * count)) {
          break;
        }
        OptionalDouble taken = probed.seconds(probed.ranges(count, each));
        if (taken.isEmpty()) {
          break;
        }
        double seconds = taken.getAsDouble();
        double flowing = Math.max(seconds - latency, seconds / 20);
        if (count == 1) {
          connection = each / flowing;
        }
        double rate = (double) each * count / flowing;
        slowest = Math.min(slowest, rate);
        speed = each * count / seconds;
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
              rounds.latency().tail(),
              rounds.hasBatches() ? rounds.eachSeconds() : base.transport().requestSeconds(),
              rounds.knownMore(),
              base.transport().concurrency());
      return new StoreProfile(
          name,
          LocalDate.now(ZoneOffset.UTC),
          base.provenance()
              .withTransport(
                  provenance(base, rounds, points, slowest),
                  "measured as text says, but concurrency: " + base.name()),
          base.location(),
          transport,
          base.prices(),
          base.function());
    }

    private String provenance(
        StoreProfile base,
        RequestRounds rounds,
        List<BandwidthCurve.Point> points,
        double slowest) {
      String together =
          rounds.hasBatches()
              ? String.format(
                  Locale.ROOT,
                  ", for each of %d at once %.3g s, the %s of %s, for parts of objects"
                      + " more by %s",
                  RequestRounds.TOGETHER,
                  rounds.eachSeconds(),
                  rounds.isWarm() ? "median" : "lower quartile",
                  rounds.each(),
                  rounds.more())
              : "";
      return String.format(
          Locale.ROOT,
          "Measured on %s: first bytes %s%s, %d sizes of batches (%.3g to %.3g bytes/s), %.1f MB"
              + " moved in %d requests%s, the first %d to warm up. N_min %d, N_max %d at 90 %% of the best"
              + " bandwidth. Tail latency is that of the slowest twentieth. Prices, function and concurrency from"
              + " %s: %s",
          probed.object(),
          rounds.latency(),
          together,
          points.size(),
          slowest,
          BandwidthCurve.of(points).maximum(),
          probed.moved() / 1e6,
          probed.requests(),
          probed.retries() == 0
              ? ""
              : ", " + probed.retries() + " of them again, which took longer",
          rounds.warming(),
          BandwidthCurve.of(points).fewestRequests(0.9),
          BandwidthCurve.of(points).mostRequests(0.9),
          base.name(),
          base.provenance().text());
    }
  }
}
