package io.arraymorph.delta.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PackedSortTest {

  @Test
  void sortsStablyByTheBitsAskedFor() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int count : new int[] {0, 1, 2, 100, 511, 512, 5_000, 9_000, 140_000}) {
      int from = random.nextInt(30);
      int to = from + random.nextInt(63 - from);
      long[] numbers = random.longs(count).map(n -> n & Long.MAX_VALUE).toArray();
      long mask = (1L << (to - from)) - 1;
      Long[] expected = Arrays.stream(numbers).boxed().toArray(Long[]::new);
      Arrays.sort(expected, Comparator.comparingLong((Long n) -> n >>> from & mask));

      long[] sorted = PackedSort.sorted(numbers.clone(), count, from, to);

      assertThat(sorted)
          .as("seed %d, %d numbers, bits %d to %d", seed, count, from, to)
          .containsExactly(Arrays.stream(expected).mapToLong(Long::longValue).toArray());
    }
  }
}
