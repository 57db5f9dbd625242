package io.arraymorph.optimizer.measure;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.optimizer.execute.SliceFunction;
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.optimizer.profile.BandwidthCurve;
import io.arraymorph.optimizer.profile.FunctionProfile;
import io.arraymorph.optimizer.profile.Provenance;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.Transport;
import io.arraymorph.store.StorePath;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.CompletionException;

/**
 * The measurement of the ArrayMorph paper (section 4.1), within bounds: the same bytes in N
 * requests for growing N give BW(N), of which N_min and N_max are the fewest and the most that
 * reach 90 % of the best; one-byte requests give T_R; calls of the slice function for growing sizes
 * give T_lambda = alpha size + beta by least squares.
 *
 * <p>The paper moves 16 GB in each step and calls the function 32 times for each size; here each
 * step is the median of some repetitions with as many bytes as the bounds and the object allow. Of
 * so few the latency is no small part, so what the paper's cost model counts as latency, T_R for
 * each full set of requests at once, is taken from the time of a step. The profile is meant for the
 * cost model {@code paper}.
 *
 * @param bounds on time and bytes
 */
public record PaperProcedure(StoreProbe bounds) {
  private static final int MOST_REQUESTS = 1024;
  private static final int REPETITIONS = 3;
  private static final int LATENCIES = 32;
  private static final int CALLS = 8;
  private static final int SIZES = 6;

  /** A line through measured points, and how much of their spread it explains. */
  record Line(double slope, double intercept, double r2) {
    /** Least squares; at least two different x. */
    static Line fit(double[] x, double[] y) {
      double meanX = Arrays.stream(x).average().orElseThrow();
      double meanY = Arrays.stream(y).average().orElseThrow();
      double xx = 0;
      double xy = 0;
      double yy = 0;
      for (int i = 0; i < x.length; i++) {
        xx += (x[i] - meanX) * (x[i] - meanX);
        xy += (x[i] - meanX) * (y[i] - meanY);
        yy += (y[i] - meanY) * (y[i] - meanY);
      }
      double slope = xy / xx;
      return new Line(slope, meanY - slope * meanX, yy == 0 ? 1 : xy * xy / (xx * yy));
    }
  }

  /**
   * Measures a store.
   *
   * @param path of an object, or of a prefix below which the largest object found is read
   * @param base prices and whatever is not measured
   * @param name of the new profile
   * @param function beside the store; without one alpha and beta stay those of {@code base}
   * @throws ArrayMorphException with OBJECT_NOT_FOUND if there is no object of 64 KiB or more,
   *     SLICE_FUNCTION_FAILED if the function does not answer
   */
  public StoreProfile measure(
      StorePath path, StoreProfile base, String name, Optional<SliceFunction> function) {
    ProbedObject probed = ProbedObject.find(path, bounds);
    if (probed.seconds(probed.ranges(1, 1)).isEmpty()) {
      throw probed.late();
    }
    List<Double> first = new ArrayList<>();
    for (int i = 0; i < LATENCIES && probed.may(1, 1); i++) {
      probed.seconds(probed.ranges(1, 1)).ifPresent(first::add);
    }
    if (first.isEmpty()) {
      throw probed.late();
    }
    first.sort(null);
    double latency = first.get(first.size() / 2);
    Optional<Line> line = function.flatMap(found -> functionTime(probed, found));
    StringBuilder spread = new StringBuilder();
    BandwidthCurve curve = bandwidth(probed, base, latency, spread);
    Transport transport =
        new Transport(
            curve,
            base.transport().connectionBytesPerSecond(),
            latency,
            Math.max(latency, first.get(first.size() * 19 / 20)),
            base.transport().requestSeconds(),
            base.transport().partSeconds(),
            base.transport().concurrency());
    String provenance =
        String.format(
            Locale.ROOT,
            "Measured on %s by the procedure of the ArrayMorph paper: T_R %.4g s (%.4g to %.4g of"
                + " %d), BW(N) in bytes/s%s, N_min %d, N_max %d at 90 %% of the best%s. %.1f MB"
                + " moved in %d requests%s. Prices and the rest from %s: %s",
            probed.object(),
            latency,
            first.get(0),
            first.get(first.size() - 1),
            first.size(),
            spread,
            curve.fewestRequests(0.9),
            curve.mostRequests(0.9),
            line.map(
                    l ->
                        String.format(
                            Locale.ROOT,
                            ", T_lambda = %.4g s/byte size + %.4g s (R2 %.3f)",
                            l.slope,
                            l.intercept,
                            l.r2))
                .orElse(", no slice function"),
            probed.moved() / 1e6,
            probed.requests(),
            probed.retries() == 0 ? "" : ", " + probed.retries() + " of them again",
            base.name(),
            base.provenance().text());
    Provenance ofTransport =
        base.provenance()
            .withTransport(
                provenance,
                "measured as text says, but connections and times of the host: " + base.name());
    return new StoreProfile(
        name,
        LocalDate.now(ZoneOffset.UTC),
        line.isEmpty()
            ? ofTransport
            : ofTransport.withFunction(provenance, "T_lambda measured as text says"),
        base.location(),
        transport,
        base.prices(),
        line.isEmpty() ? base.function() : base.function().map(f -> withLine(f, line.get())));
  }

  private BandwidthCurve bandwidth(
      ProbedObject probed, StoreProfile base, double latency, StringBuilder spread) {
    // Eleven steps of so many bytes each, three times.
    int batches = 11 * REPETITIONS + 1;
    double inTime = probed.guessedBytesPerSecond(latency) * probed.secondsLeft() / batches;
    long share = (long) Math.min((bounds.maxBytes() - probed.moved()) / (double) batches, inTime);
    long whole = Math.max(1, Math.min(share, probed.bytes()));
    List<BandwidthCurve.Point> points = new ArrayList<>();
    for (int count = 1; count <= Math.min(MOST_REQUESTS, whole); count *= 2) {
      long each = whole / count;
      List<Double> rates = new ArrayList<>();
      for (int i = 0; i < REPETITIONS && probed.may(count, each * count); i++) {
        OptionalDouble taken = probed.seconds(probed.ranges(count, each));
        if (taken.isPresent()) {
          double waiting = latency * Math.ceil((double) count / base.transport().concurrency());
          double seconds = taken.getAsDouble();
          rates.add(each * count / Math.max(seconds - waiting, seconds / 20));
        }
      }
      if (rates.isEmpty()) {
        break;
      }
      rates.sort(null);
      points.add(new BandwidthCurve.Point(count, rates.get(rates.size() / 2)));
      spread.append(
          String.format(
              Locale.ROOT,
              " %d: %.3g (%.3g to %.3g)",
              count,
              rates.get(rates.size() / 2),
              rates.get(0),
              rates.get(rates.size() - 1)));
    }
    if (points.isEmpty()) {
      return base.transport().bandwidth();
    }
    spread.append(String.format(Locale.ROOT, ", each with %d bytes", whole));
    return BandwidthCurve.of(points);
  }

  /** Calls that make the function read growing spans and answer their first and last byte. */
  private static Optional<Line> functionTime(ProbedObject probed, SliceFunction function) {
    List<Double> sizes = new ArrayList<>();
    List<Double> seconds = new ArrayList<>();
    for (int step = 1; step <= SIZES; step++) {
      long size = Math.max(1024, Math.min(probed.bytes(), 16 << 20) * step / SIZES);
      // Runs every 64 KiB, so that the function cannot leave anything between them out.
      List<ByteRuns> runs = new ArrayList<>();
      for (long at = 0; at < size - 1; at += 64 << 10) {
        runs.add(ByteRuns.of(at, at + 1));
      }
      runs.add(ByteRuns.of(size - 1, size));
      double[] times = new double[CALLS];
      int measured = 0;
      for (int i = 0; i < CALLS && probed.may(1, runs.size()); i++) {
        long start = System.nanoTime();
        probed.addRequests(1);
        try {
          probed.inTime(function.slice(probed.object(), Optional.empty(), runs)).join();
        } catch (CompletionException e) {
          throw new ArrayMorphException(
              ErrorCode.SLICE_FUNCTION_FAILED,
              function + " failed: " + e.getCause(),
              "Check the function and its token, or measure without it",
              e);
        }
        times[measured++] = (System.nanoTime() - start) / 1e9;
        probed.addMoved(runs.size());
      }
      if (measured > 0) {
        Arrays.sort(times, 0, measured);
        sizes.add((double) size);
        seconds.add(times[measured / 2]);
      }
    }
    if (sizes.stream().distinct().count() < 2) {
      return Optional.empty();
    }
    return Optional.of(
        Line.fit(
            sizes.stream().mapToDouble(Double::doubleValue).toArray(),
            seconds.stream().mapToDouble(Double::doubleValue).toArray()));
  }

  private static FunctionProfile withLine(FunctionProfile function, Line line) {
    FunctionProfile.Speed old = function.speed();
    return new FunctionProfile(
        new FunctionProfile.Speed(
            old.overheadSeconds(),
            old.storeLatencySeconds(),
            old.scanBytesPerSecond(),
            old.packBytesPerSecond(),
            old.coldProbability(),
            old.coldSeconds(),
            Math.max(0, line.slope),
            Math.max(0, line.intercept)),
        function.answer(),
        function.concurrency(),
        function.maxSeconds(),
        function.prices(),
        function.host());
  }
}
