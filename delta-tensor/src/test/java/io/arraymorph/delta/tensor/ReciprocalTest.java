package io.arraymorph.delta.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class ReciprocalTest {
  @Test
  void quotients_are_those_of_division_also_beside_multiples() {
    Random random = new Random(11);
    for (int i = 0; i < 200_000; i++) {
      long divisor = 2 + (random.nextLong() >>> (1 + random.nextInt(62))) % (1L << 61);
      long greatest = ((1L << 62) - 1) / divisor;
      long multiple = greatest == 0 ? 0 : random.nextLong(greatest + 1) / divisor * divisor;
      for (long number : new long[] {greatest, multiple, Math.max(0, multiple - 1), multiple + 1}) {
        Reciprocal by = new Reciprocal(divisor, number);
        if (by.isExact()) {
          assertThat(Math.multiplyHigh(number << 1, by.factor()))
              .as("%d / %d", number, divisor)
              .isEqualTo(number / divisor);
        } else {
          assertThat(number).isGreaterThanOrEqualTo(greatest);
        }
      }
    }
  }
}
