package io.arraymorph.delta.encoding;

import io.arraymorph.array.Shape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** Orders of axes worth trying. */
final class AxisOrders {
  private AxisOrders() {}

  /**
   * All permutations if they are few, else natural order, its reverse, ascending and descending
   * lengths, and each axis moved to the end. Axes of block length 1 do not count and stay first.
   */
  static List<List<Integer>> candidates(Shape shape, Shape block, int most) {
    List<Integer> fixed = new ArrayList<>();
    List<Integer> free = new ArrayList<>();
    for (int d = 0; d < shape.rank(); d++) {
      (block.length(d) == 1 || shape.length(d) <= 1 ? fixed : free).add(d);
    }
    Set<List<Integer>> orders = new LinkedHashSet<>();
    if (factorial(free.size()) <= most) {
      permute(free, 0, orders);
    } else {
      Comparator<Integer> byLength = Comparator.comparingLong(shape::length);
      orders.add(free);
      orders.add(
          IntStream.range(0, free.size()).mapToObj(i -> free.get(free.size() - 1 - i)).toList());
      orders.add(free.stream().sorted(byLength).toList());
      orders.add(free.stream().sorted(byLength.reversed()).toList());
      for (Integer last : free) {
        List<Integer> order = new ArrayList<>(free);
        order.remove(last);
        order.add(last);
        orders.add(order);
      }
    }
    List<List<Integer>> whole = new ArrayList<>();
    for (List<Integer> order : orders) {
      List<Integer> axes = new ArrayList<>(fixed);
      axes.addAll(order);
      whole.add(axes);
    }
    return whole.isEmpty() ? List.of(fixed) : whole;
  }

  private static long factorial(int n) {
    return IntStream.rangeClosed(2, n).asLongStream().reduce(1, (a, b) -> a * b);
  }

  private static void permute(List<Integer> axes, int from, Set<List<Integer>> into) {
    if (from == axes.size()) {
      into.add(List.copyOf(axes));
      return;
    }
    for (int i = from; i < axes.size(); i++) {
      List<Integer> next = new ArrayList<>(axes);
      Integer chosen = next.remove(i);
      next.add(from, chosen);
      permute(next, from + 1, into);
    }
  }
}
