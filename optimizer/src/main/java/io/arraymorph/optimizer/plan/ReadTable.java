package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CallTotals;
import io.arraymorph.optimizer.profile.Prices;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * The least bytes by which some objects can be read together, where no request is longer than a
 * bound: a cell for each number of requests that is saved by reading gaps along, and of objects
 * read whole.
 *
 * <p>For given numbers of requests no model finds more bytes cheaper, so the cheapest plan is in
 * one of the cells: of some dozen, where the ways to read the objects are as many as their product.
 * Immutable.
 */
final class ReadTable {

  /** How one object can be read: one cell for each number of requests saved, the last one whole. */
  static final class Ways {
    private final Optional<ObjectCuts> cuts;
    private final long requests;
    private final boolean hasWhole;
    private final boolean apart;
    private final int most;
    private final double[] weights;
    private final double[] bytes;
    private final double[] charged;
    private final double[] longest;

    /**
     * @param cuts empty if the object can only be read whole
     * @param whole bytes of it; empty if it is not read whole
     * @param apart true if requests for whole objects are counted apart from those for parts
     */
    Ways(
        Optional<ObjectCuts> cuts,
        Optional<Long> whole,
        boolean apart,
        Prices prices,
        double perCharge) {
      this.cuts = cuts;
      this.hasWhole = whole.isPresent();
      this.apart = apart;
      this.most = cuts.map(ObjectCuts::mostSaved).orElse(0);
      this.requests = cuts.map(ObjectCuts::requests).orElse(1L);
      this.weights = new double[most + 2];
      this.bytes = new double[most + 2];
      this.charged = new double[most + 2];
      this.longest = new double[most + 2];
      Arrays.fill(weights, Double.POSITIVE_INFINITY);
      for (int saved = 0; cuts.isPresent() && saved <= most; saved++) {
        if (cuts.get().has(saved)) {
          for (ObjectCuts.Divided range : cuts.get().ranges(saved)) {
            bytes[saved] += (double) range.bytes();
            charged[saved] += ObjectCuts.charged(range, prices);
            longest[saved] = Math.max(longest[saved], (double) range.longest());
          }
          weights[saved] = bytes[saved] + perCharge * charged[saved];
        }
      }
      whole.ifPresent(
          all -> {
            bytes[most + 1] = (double) all;
            charged[most + 1] = prices.meteredRequests(all);
            longest[most + 1] = (double) all;
            weights[most + 1] = bytes[most + 1] + perCharge * charged[most + 1];
          });
    }

    /** How many. */
    int size() {
      return most + 2;
    }

    private boolean isWhole(int way) {
      return way > most;
    }

    private int saved(int way) {
      return isWhole(way) ? (int) (requests - 1) : way;
    }
  }

  /** Of no objects. */
  static final ReadTable EMPTY = new ReadTable();

  private final ReadTable before;
  private final Ways last;
  private final int number;
  private final long requests;
  private final int mostSaved;
  private final int mostApart;
  private final double[] weights;
  private final double[] bytes;
  private final double[] charged;
  private final double[] longest;
  private final long[] spare;
  private final int[] taken;

  private ReadTable() {
    this.before = null;
    this.last = null;
    this.number = -1;
    this.requests = 0;
    this.mostSaved = 0;
    this.mostApart = 0;
    this.weights = new double[1];
    this.bytes = weights;
    this.charged = weights;
    this.longest = weights;
    this.spare = new long[1];
    this.taken = new int[1];
  }

  private ReadTable(ReadTable before, Ways object, int number) {
    this.before = before;
    this.last = object;
    this.number = number;
    this.requests = before.requests + object.requests;
    this.mostSaved = before.mostSaved + object.most;
    this.mostApart = before.mostApart + (object.hasWhole && object.apart ? 1 : 0);
    int size = (mostSaved + 1) * (mostApart + 1);
    this.weights = new double[size];
    this.bytes = new double[size];
    this.charged = new double[size];
    this.longest = new double[size];
    this.spare = new long[size];
    this.taken = new int[size];
    Arrays.fill(weights, Double.POSITIVE_INFINITY);
    for (int cell = 0; cell < before.weights.length; cell++) {
      if (before.has(cell)) {
        add(cell);
      }
    }
  }

  private void add(int cell) {
    int saved = before.saved(cell);
    int apart = before.apart(cell);
    for (int way = 0; way < last.weights.length; way++) {
      double weight = before.weights[cell] + last.weights[way];
      if (weight == Double.POSITIVE_INFINITY) {
        continue;
      }
      boolean whole = last.isWhole(way);
      int to = (apart + (whole && last.apart ? 1 : 0)) * (mostSaved + 1) + saved + last.saved(way);
      if (weight < weights[to]) {
        weights[to] = weight;
        bytes[to] = before.bytes[cell] + last.bytes[way];
        charged[to] = before.charged[cell] + last.charged[way];
        longest[to] = Math.max(before.longest[cell], last.longest[way]);
        long more = whole ? 0 : (long) last.bytes[way] - last.requests;
        spare[to] = before.spare[cell] < 0 || (way > 0 && !whole) ? -1 : before.spare[cell] + more;
        taken[to] = way;
      }
    }
  }

  /**
   * These objects and another one.
   *
   * @param kind a number by which the caller knows the object
   */
  ReadTable plus(Ways object, int kind) {
    return new ReadTable(this, object, kind);
  }

  /** Cells are numbered from 0; not all of them can be had. */
  int size() {
    return weights.length;
  }

  private boolean has(int cell) {
    return weights[cell] < Double.POSITIVE_INFINITY;
  }

  /** True if a cell can be had, by so many requests at most. */
  boolean has(int cell, long mostRequests) {
    return has(cell) && requests(cell) <= mostRequests;
  }

  private int saved(int cell) {
    return cell % (mostSaved + 1);
  }

  private int apart(int cell) {
    return cell / (mostSaved + 1);
  }

  long requests(int cell) {
    return requests - saved(cell);
  }

  /** The most requests, if ranges are divided further; they are not where a gap can be cut. */
  long most(int cell) {
    return requests(cell) + Math.max(0, spare[cell]);
  }

  /**
   * Sums over the requests of a cell, at least.
   *
   * @param count of requests, of which some may divide ranges further
   * @param most bytes of a request, as if ranges could be divided so without more requests
   */
  AccessTotals totals(int cell, long count, double most) {
    if (count == 0) {
      return AccessTotals.NONE;
    }
    return new AccessTotals(
        (double) count,
        (double) (count - apart(cell)),
        Math.max(charged[cell], (double) count),
        bytes[cell],
        Math.max(bytes[cell] / count, Math.min(most, longest[cell])),
        CallTotals.NONE);
  }

  /** The least of all cells. */
  double leastBytes() {
    double least = Double.POSITIVE_INFINITY;
    for (int cell = 0; cell < bytes.length; cell++) {
      least = has(cell) ? Math.min(least, bytes[cell]) : least;
    }
    return least;
  }

  /** Bytes of the longest request. */
  double longest(int cell) {
    return longest[cell];
  }

  /**
   * Gives the kind and the ranges of each object, last one first; no ranges if it is read whole.
   */
  void forEach(int cell, BiConsumer<Integer, List<ObjectCuts.Divided>> objects) {
    int at = cell;
    for (ReadTable table = this; table.before != null; table = table.before) {
      int way = table.taken[at];
      boolean whole = table.last.isWhole(way);
      objects.accept(table.number, whole ? List.of() : table.last.cuts.orElseThrow().ranges(way));
      int apart = table.apart(at) - (whole && table.last.apart ? 1 : 0);
      at = apart * (table.before.mostSaved + 1) + table.saved(at) - table.last.saved(way);
    }
  }
}
