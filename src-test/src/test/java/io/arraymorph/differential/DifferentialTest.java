package io.arraymorph.differential;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random arrays that zarr-python and tensorstore wrote and read back, read by us with every access
 * planner, whole and in parts, and some of them through Spark in every row mode; every bit must be
 * the same. {@code -Ddifferential.python=<interpreter>} runs it, {@code -Dfuzz.seconds=3600} runs
 * longer, {@code -Dfuzz.seed=..} repeats.
 */
@EnabledIfSystemProperty(named = "differential.python", matches = ".+")
class DifferentialTest {
  private static final long SECONDS = Long.getLong("fuzz.seconds", 20);
  private static final long SEED = Long.getLong("fuzz.seed", System.nanoTime() >>> 1);

  /** One array in so many goes through Spark too. */
  private static final int SPARK_EVERY = 6;

  @TempDir Path folder;

  @Test
  void readsWhatOthersWroteAsTheyReadIt() throws Exception {
    System.out.println("fuzz.seed=" + SEED);
    Map<String, Integer> tally = new TreeMap<>();
    List<String> differing = new ArrayList<>();
    long begun = System.nanoTime();
    long end = begun + SECONDS * 1_000_000_000L;
    try (Corpus corpus = new Corpus(System.getProperty("differential.python"), folder, SEED)) {
      corpus.ask(0);
      long number = 0;
      for (; number == 0 || System.nanoTime() < end; number++) {
        JsonNode array = corpus.answer();
        corpus.ask(number + 1);
        if (array.has("skipped")) {
          tally.merge("skipped by its writer", 1, Integer::sum);
          continue;
        }
        JsonNode peers = array.get("peers");
        peers
            .fieldNames()
            .forEachRemaining(
                peer -> tally.merge(peer + " " + peers.get(peer).asText(), 1, Integer::sum));
        String what = "array " + number + " of fuzz.seed=" + SEED + ": " + array.get("about");
        if (peers.toString().contains("differs")) {
          differing.add(what + " " + peers);
          corpus.delete(number);
          continue;
        }
        Random random = new Random(SEED ^ number);
        WithoutSpark.compare(corpus.array(number), array, random, what, tally);
        if (number % SPARK_EVERY == 0 && !array.get("cells").isNull()) {
          ThroughSpark.compare(corpus.array(number), array, random, what, tally);
        }
        corpus.delete(number);
      }
      System.out.println(
          number + " arrays in " + (System.nanoTime() - begun) / 1_000_000_000L + " s: " + tally);
    }
    assertThat(tally).containsKey("read");
    assertThat(differing).as("what its writer reads otherwise").isEmpty();
  }
}
