package io.arraymorph.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ElementRunsTest {

  @Test
  void holdExactlyTheElementsInAscendingOrder() {
    for (long seed = 0; seed < 10_000; seed++) {
      Random random = new Random(seed);
      Shape shape = RandomArrays.shape(random, 5, seed % 2 == 0 ? 6 : 3);
      Hyperslab slab = RandomArrays.hyperslab(random, shape);
      ElementRuns runs = ElementRuns.of(slab, shape);
      String seedText = "seed " + seed + ": " + slab + " in " + shape + " as " + runs;

      List<Long> expected = new ArrayList<>();
      RandomArrays.elements(slab).forEach(e -> expected.add(RandomArrays.position(e, shape)));
      List<Long> found = new ArrayList<>();
      long previousEnd = -1;
      long count = 0;
      for (PrimitiveIterator.OfLong starts = runs.starts(); starts.hasNext(); count++) {
        long start = starts.nextLong();
        assertThat(start).as(seedText).isGreaterThanOrEqualTo(previousEnd);
        assertThat(runs.start(count)).as(seedText).isEqualTo(start);
        previousEnd = start + runs.runLength();
        for (long i = 0; i < runs.runLength(); i++) {
          found.add(start + i);
        }
      }
      assertThat(found).as(seedText).isEqualTo(expected);
      assertThat(runs.runCount()).as(seedText).isEqualTo(count);
      assertThat(runs.elementCount()).as(seedText).isEqualTo(expected.size());
      if (!expected.isEmpty()) {
        assertThat(runs.first()).as(seedText).isEqualTo(expected.get(0));
        assertThat(runs.end()).as(seedText).isEqualTo(expected.get(expected.size() - 1) + 1);
      }
    }
  }

  @Test
  void hasNoRunAfterTheLast() {
    ElementRuns runs = ElementRuns.of(Hyperslab.all(Shape.of(4)), Shape.of(4));
    assertThatThrownBy(() -> runs.start(1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> runs.start(-1)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void joinsContiguousAndRegularDimensions() {
    ElementRuns whole = ElementRuns.of(Hyperslab.all(Shape.of(4, 5, 6)), Shape.of(4, 5, 6));
    assertThat(whole.runCount()).isEqualTo(1);
    assertThat(whole.runLength()).isEqualTo(120);
    Hyperslab column = Hyperslab.of(IndexRange.of(0, 4), IndexRange.of(0, 5), IndexRange.single(2));
    assertThat(ElementRuns.of(column, Shape.of(4, 5, 6)))
        .hasToString("1 elements from 2, 20 times every 6");
  }

  @Test
  void takesNoMemoryInTheNumberOfRuns() {
    Shape shape = Shape.of(1L << 30, 1L << 30);
    ElementRuns runs =
        ElementRuns.of(Hyperslab.of(IndexRange.of(0, 1L << 30), IndexRange.single(7)), shape);
    assertThat(runs.runCount()).isEqualTo(1L << 30);
    assertThat(runs.end()).isEqualTo(((1L << 30) - 1) * (1L << 30) + 8);
  }
}
