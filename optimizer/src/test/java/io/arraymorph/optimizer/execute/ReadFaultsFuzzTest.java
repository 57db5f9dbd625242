package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.RandomArrays;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.store.FaultyObjectStore;
import io.arraymorph.store.FaultyObjectStore.Effect;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.RetryPolicy;
import io.arraymorph.store.RetryingObjectStore;
import io.arraymorph.store.StoreException.Kind;
import io.arraymorph.store.StoreOperation;
import io.arraymorph.store.StorePath;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Under random faults a stream gives right elements or a coded failure, and always ends. */
@Timeout(120)
class ReadFaultsFuzzTest {
  private static final RetryPolicy QUICK =
      RetryPolicy.DEFAULT.withAttempts(3).withFirstPause(Duration.ofMillis(1));

  private static final List<Effect> EFFECTS =
      List.of(
          new Effect.Fail(Kind.THROTTLED),
          new Effect.Fail(Kind.UNAVAILABLE),
          new Effect.Fail(Kind.PROTOCOL),
          new Effect.Fail(Kind.DENIED),
          new Effect.LoseAnswer(),
          new Effect.Delay(Duration.ofMillis(3)));

  @Test
  void elementsAreRightOrTheFailureIsCoded() {
    int failures = 0;
    int results = 0;
    for (long seed = 0; seed < 400; seed++) {
      Random random = new Random(seed);
      try (MemoryObjectStore memory = new MemoryObjectStore("fuzz")) {
        RandomZarr zarr = RandomZarr.store(random, new StorePath(memory, "a"));
        FaultyObjectStore faulty = new FaultyObjectStore(memory);
        StorePath path = new StorePath(new RetryingObjectStore(faulty, QUICK), "a");
        RandomZarr same =
            new RandomZarr(ZarrNodes.openArray(path), zarr.content(), zarr.metadata());
        for (int i = random.nextInt(6); i > 0; i--) {
          Effect effect = EFFECTS.get(random.nextInt(EFFECTS.size()));
          faulty.inject(StoreOperation.GET, "c", effect, 1 + random.nextInt(3));
        }
        int outcome = readAll(random, same, "seed " + seed);
        failures += outcome < 0 ? 1 : 0;
        results += Math.abs(outcome);
      }
    }
    assertThat(failures).isPositive();
    assertThat(results).isGreaterThan(1000);
  }

  /** Reads random requests; the number of results, negative if a failure ended the stream. */
  private static int readAll(Random random, RandomZarr zarr, String seed) {
    List<ReadRequest> requests = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      requests.add(
          new ReadRequest(
              zarr.array(), RandomArrays.hyperslab(random, zarr.array().schema().shape())));
    }
    ReadSettings settings =
        ReadSettings.DEFAULT.withWindow(1 + random.nextInt(20), random.nextInt(2000));
    int results = 0;
    try (HyperslabReader reader = new HyperslabReader(settings);
        ElementStream stream = reader.stream(requests.iterator())) {
      int wanted = random.nextInt(4) == 0 ? random.nextInt(12) : 12;
      for (; results < wanted; results++) {
        assertThat(RandomZarr.comparable(stream.next()))
            .as(seed + ", request " + results)
            .isEqualTo(
                RandomZarr.comparable(
                    HyperslabCopy.pack(zarr.content(), requests.get(results).hyperslab())));
      }
    } catch (ArrayMorphException e) {
      assertThat(e.code())
          .as(seed + ": " + e)
          .isIn(ErrorCode.ACCESS_DENIED, ErrorCode.STORE_UNAVAILABLE, ErrorCode.STORE_PROTOCOL);
      return -results;
    }
    return results;
  }
}
