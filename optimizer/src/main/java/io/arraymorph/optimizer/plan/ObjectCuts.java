package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.profile.Prices;
import io.arraymorph.store.ByteRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The least bytes by which the needed runs of one object can be read, where no request is longer
 * than a bound: for each number of requests that is saved by reading gaps along.
 *
 * <p>A gap read along saves one request at most, so there are no more numbers than runs, into
 * however many parts they are divided. Immutable.
 */
final class ObjectCuts {

  /**
   * A range that is read by some requests of about equal length.
   *
   * @param requests at least 1
   */
  record Divided(long start, long end, long requests) {
    long bytes() {
      return end - start;
    }

    /** Where a request begins; that of the one after the last is the end. */
    long start(long request) {
      return start + bytes() / requests * request + Math.min(request, bytes() % requests);
    }

    /** The longest of them. */
    long longest() {
      return (bytes() - 1) / requests + 1;
    }
  }

  private final List<ByteRange.Bounded> runs;
  private final long bound;

  /** Requests for the runs before each where every gap is cut. */
  private final long[] requests;

  /** The least weight of the first runs by requests saved, and the first run of the last range. */
  private final double[][] weights;

  private final int[][] firsts;

  /**
   * @param runs ascending, with gaps between them
   * @param bound on bytes of a request
   * @param perCharge bytes that a charged request counts as much as
   */
  ObjectCuts(List<ByteRange.Bounded> runs, long bound, Prices prices, double perCharge) {
    this.runs = runs;
    this.bound = bound;
    int count = runs.size();
    this.requests = new long[count + 1];
    this.weights = new double[count + 1][];
    this.firsts = new int[count + 1][];
    weights[0] = new double[1];
    for (int next = 1; next <= count; next++) {
      requests[next] = requests[next - 1] + divided(next - 1, next).requests();
      weights[next] = new double[next];
      firsts[next] = new int[next];
      Arrays.fill(weights[next], Double.POSITIVE_INFINITY);
      for (int first = next - 1; first >= 0; first--) {
        Divided range = divided(first, next);
        long fewer = requests[next] - requests[first] - range.requests();
        if (fewer < 1 && first < next - 1) {
          continue; // Cutting it takes no more requests and moves fewer bytes.
        }
        int saves = (int) fewer;
        double weight = (double) range.bytes();
        if (perCharge > 0) {
          weight += perCharge * charged(range, prices);
        }
        for (int saved = 0; saved < weights[first].length; saved++) {
          double all = weights[first][saved] + weight;
          if (all < weights[next][saved + saves]) {
            weights[next][saved + saves] = all;
            firsts[next][saved + saves] = first;
          }
        }
      }
    }
  }

  /** All from one run to before another, with gaps between them. */
  private Divided divided(int first, int next) {
    long start = runs.get(first).start();
    long end = runs.get(next - 1).end();
    return new Divided(start, end, (end - start - 1) / bound + 1);
  }

  /** About what a store charges for a range. */
  static double charged(Divided range, Prices prices) {
    return (double) range.requests() * prices.meteredRequests(range.longest());
  }

  /** Requests where every gap is cut. */
  long requests() {
    return requests[runs.size()];
  }

  /** The most requests that can be saved. */
  int mostSaved() {
    return runs.size() - 1;
  }

  /** False if so many requests cannot be saved. */
  boolean has(int saved) {
    return weights[runs.size()][saved] < Double.POSITIVE_INFINITY;
  }

  /** The ranges, descending. */
  List<Divided> ranges(int saved) {
    List<Divided> ranges = new ArrayList<>();
    int rest = saved;
    for (int next = runs.size(); next > 0; ) {
      int first = firsts[next][rest];
      Divided range = divided(first, next);
      ranges.add(range);
      rest -= (int) (requests[next] - requests[first] - range.requests());
      next = first;
    }
    return ranges;
  }
}
