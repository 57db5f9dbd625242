package io.arraymorph.optimizer.plan;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What is tried for one group while the others stay. */
final class Alternatives {
  /** Of one object: more numbers of cuts, and more bounds on gaps, are tried for all together. */
  private static final int FEW_CUTS = 2;

  private static final int FEW_BOUNDS = 8;
  private static final int MANY_RANGES = 32;

  private Alternatives() {}

  /** Other choices for the objects of a group than {@code now}, and that one. */
  static Set<AccessChoice> of(GroupOptions option, AccessChoice now) {
    Set<AccessChoice> alternatives = new LinkedHashSet<>();
    List<Long> bounds = new ArrayList<>();
    bounds.add(RangeOptions.UNBOUNDED);
    List<Long> sizes = new ArrayList<>(option.gaps());
    for (int i = 0; i < Math.min(24, sizes.size()); i++) {
      bounds.add(sizes.get(sizes.size() - 1 - i * sizes.size() / Math.min(24, sizes.size())) - 1);
    }
    bounds.add(0L);
    if (option.hasWhole()) {
      alternatives.add(now.withWhole());
    }
    for (long gap : bounds) {
      alternatives.add(now.withCut(gap, RangeOptions.UNBOUNDED));
      long longest = option.cut(now.withCut(gap, RangeOptions.UNBOUNDED)).longest();
      for (long divisor : PlanSearch.DIVISORS) {
        if (divisor < longest && divisor <= (bounds.size() <= FEW_BOUNDS ? 64 : 4)) {
          alternatives.add(now.withCut(gap, (longest + divisor - 1) / divisor));
        }
      }
    }
    int ranges = (int) Math.min(MANY_RANGES, option.cut(now).ranges());
    for (CutSequence.Order order : CutSequence.Order.values()) {
      if (ranges == MANY_RANGES) {
        break;
      }
      int gaps = option.sequence(order).gaps();
      for (int cuts = 0; cuts <= Math.min(gaps, ranges); cuts++) {
        if (cuts > 1 && cuts < ranges - FEW_CUTS) {
          continue;
        }
        int most = option.isDivisible() ? ranges + 1 : cuts + 1;
        for (int pieces = Math.max(cuts + 1, ranges - 1); pieces <= most; pieces++) {
          alternatives.add(now.withCounted(new AccessChoice.Counted(order, cuts, pieces)));
        }
      }
    }
    if (option.calls().isPresent()) {
      long objects = option.group().objects();
      for (long part : new long[] {0, now.byFunction() - 1, now.byFunction() + 1, objects}) {
        if (part >= 0 && part <= objects) {
          alternatives.add(now.withFunction(part));
        }
      }
    }
    return alternatives;
  }
}
