package io.arraymorph.delta.encoding;

import io.arraymorph.array.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** The order of axes by which cells cost least, found by trying few of all orders. */
final class AxisOrders {
  /** Axes that are chosen one after the other; slower ones hardly matter. */
  private static final int MOST_CHOSEN = 4;

  private AxisOrders() {}

  /**
   * Chooses the fastest axis first, the others being in natural order, then the next one, and so
   * on. Axes of block length 1 do not count and stay first.
   *
   * @param cost of an order; asked from several threads
   */
  static List<Integer> cheapest(Shape shape, Shape block, ToLongFunction<List<Integer>> cost) {
    List<Integer> fixed = new ArrayList<>();
    List<Integer> free = new ArrayList<>();
    for (int d = 0; d < shape.rank(); d++) {
      (block.length(d) == 1 || shape.length(d) <= 1 ? fixed : free).add(d);
    }
    List<Integer> chosen = new ArrayList<>();
    while (free.size() > 1 && chosen.size() < MOST_CHOSEN) {
      List<List<Integer>> orders = new ArrayList<>();
      for (int k = free.size() - 1; k >= 0; k--) {
        orders.add(order(fixed, free, k, chosen));
      }
      long[] costs = orders.parallelStream().mapToLong(cost).toArray();
      int best = 0;
      for (int k = 1; k < costs.length; k++) {
        best = costs[k] < costs[best] ? k : best;
      }
      chosen.add(0, free.remove(free.size() - 1 - best));
    }
    return order(fixed, free, free.size() - 1, chosen);
  }

  /** The axes with the k-th of the free ones behind the other free ones. */
  private static List<Integer> order(
      List<Integer> fixed, List<Integer> free, int k, List<Integer> chosen) {
    List<Integer> axes = new ArrayList<>(fixed);
    for (int i = 0; i < free.size(); i++) {
      if (i != k) {
        axes.add(free.get(i));
      }
    }
    if (k >= 0) {
      axes.add(free.get(k));
    }
    axes.addAll(chosen);
    return axes;
  }
}
