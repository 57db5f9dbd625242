package io.arraymorph.optimizer.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.store.ByteRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a way of reading is said to amount to is what its ranges amount to. */
class RangeOptionsTest {
  private static final int INSTANCES = 10_000;

  /** Runs of one or several parts: regular ones, and such as follow no rule. */
  private static List<ByteRuns> runs(Random random) {
    NeededBytes strided = CostPlannerTest.needs(random, 1, 9, 4).get(0).bytes();
    if (random.nextBoolean()
        && strided instanceof NeededBytes.Runs
        && !((NeededBytes.Runs) strided).parts().isEmpty()) {
      return ((NeededBytes.Runs) strided).parts();
    }
    List<ByteRuns> runs = new ArrayList<>();
    long start = random.nextInt(50);
    for (int parts = 1 + random.nextInt(6); parts > 0; parts--) {
      long end = start + 1 + random.nextInt(random.nextBoolean() ? 5 : 300);
      runs.add(ByteRuns.of(start, end));
      start = end + random.nextInt(200);
    }
    return runs;
  }

  /** At least a fortieth of the span, so that nothing is divided into very many. */
  private static long bound(Random random, long span) {
    return span / (1 + random.nextInt(40));
  }

  @Test
  void everyWayAmountsToItsRangesAndCoversWhatIsNeeded() {
    for (long seed = 0; seed < INSTANCES; seed++) {
      Random random = new Random(seed);
      List<ByteRuns> parts = runs(random);
      RangeOptions options = RangeOptions.of(parts);
      long span = options.span();
      long gap = random.nextInt(5) == 0 ? RangeOptions.UNBOUNDED : bound(random, span);
      long longest = random.nextInt(5) == 0 ? RangeOptions.UNBOUNDED : bound(random, span) + 1;

      List<ByteRange.Bounded> ranges = options.ranges(gap, longest);

      String as = "seed " + seed + ", gap " + gap + ", longest " + longest + ": " + parts;
      long most = ranges.stream().mapToLong(ByteRange.Bounded::length).max().orElseThrow();
      long bytes = ranges.stream().mapToLong(ByteRange.Bounded::length).sum();
      assertThat(options.cut(gap, longest))
          .as(as)
          .isEqualTo(new RangeOptions.Cut(ranges.size(), bytes, most));
      assertThat(most).as(as).isLessThanOrEqualTo(longest);
      for (int i = 1; i < ranges.size(); i++) {
        assertThat(ranges.get(i).start()).as(as).isGreaterThanOrEqualTo(ranges.get(i - 1).end());
      }
      for (ByteRange.Bounded needed : RangeMerge.merge(parts, GapRule.EXACT)) {
        long covered =
            ranges.stream()
                .mapToLong(
                    r -> Math.min(r.end(), needed.end()) - Math.max(r.start(), needed.start()))
                .filter(overlap -> overlap > 0)
                .sum();
        assertThat(covered).as(as).isEqualTo(needed.length());
      }
    }
  }
}
