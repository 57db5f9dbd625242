package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The comparisons of {@link HyperslabReaderOracleTest} with new seeds for as long as is asked:
 * {@code -Dfuzz.seconds=3600} runs longer, {@code -Dfuzz.seed=..} repeats.
 */
class HyperslabReaderFuzzTest {
  private static final long SECONDS = Long.getLong("fuzz.seconds", 45);
  private static final long SEED = Long.getLong("fuzz.seed", System.nanoTime());

  @Test
  void whateverIsReadEqualsSlicingInMemory() {
    System.out.println("fuzz.seed=" + SEED);
    Random seeds = new Random(SEED);
    long end = System.nanoTime() + SECONDS * 1_000_000_000L;
    long rounds = 0;
    for (; System.nanoTime() < end; rounds++) {
      long seed = seeds.nextLong();
      HyperslabReaderOracleTest.compareHyperslabs(seed);
      HyperslabReaderOracleTest.compareStreams(seed);
      HyperslabReaderOracleTest.compareSelections(seed);
    }
    System.out.println(rounds + " rounds of three comparisons, fuzz.seed=" + SEED);
    assertThat(rounds).isPositive();
  }
}
