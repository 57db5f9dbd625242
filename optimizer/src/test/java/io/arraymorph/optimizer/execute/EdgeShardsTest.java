package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.RandomArrays;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.optimizer.plan.FixedPlanner;
import io.arraymorph.optimizer.plan.GapPlanner;
import io.arraymorph.optimizer.plan.PlanEstimate;
import io.arraymorph.optimizer.plan.PlanEstimator;
import io.arraymorph.optimizer.plan.PlannerOptions;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.RecordingObjectStore;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Estimates of arrays that end within a shard, beside what reading them really takes. */
class EdgeShardsTest {
  private final RecordingObjectStore store = new RecordingObjectStore(new MemoryObjectStore("t"));

  @AfterEach
  void close() {
    store.close();
  }

  private record Case(ZarrArray array, Selection selection, String text) {}

  /** Shapes are mostly no multiple of shards. */
  private Case random(long seed, Compression codec, int leastChunk) {
    Random random = new Random(seed);
    int rank = 1 + random.nextInt(3);
    long[] shape = new long[rank];
    long[] chunk = new long[rank];
    long[] shard = new long[rank];
    for (int d = 0; d < rank; d++) {
      chunk[d] = (long) leastChunk + random.nextInt(rank == 3 ? 3 : 6);
      shard[d] = chunk[d] * (1 + random.nextInt(4));
      shape[d] = 1L + random.nextInt((int) (3 * shard[d]));
    }
    OrthogonalSelection selection = RandomArrays.orthogonal(random, Shape.of(shape));
    ZarrArray array =
        StoredInt32.in(
            store, Shape.of(shape), Shape.of(chunk), Optional.of(Shape.of(shard)), codec);
    return new Case(
        array,
        Selection.of(selection),
        "seed "
            + seed
            + ": "
            + selection
            + " of "
            + Shape.of(shape)
            + ", chunks "
            + Shape.of(chunk)
            + ", shards "
            + Shape.of(shard));
  }

  /** What a new reader asks the store for. */
  private void read(Case one, AccessPlanner planner) {
    store.clear();
    try (HyperslabReader reader = new HyperslabReader(ReadSettings.DEFAULT.withPlanner(planner))) {
      reader.read(one.array(), one.selection(), (part, elements) -> {});
    }
  }

  private long indexes() {
    return store.requests().stream().filter(r -> r.range() instanceof ByteRange.Suffix).count();
  }

  @Test
  void rawInnerChunksAreReadExactlyAsEstimated() {
    long first = seed();
    List<AccessPlanner> planners =
        List.of(
            FixedPlanner.RANGE,
            FixedPlanner.MERGE,
            FixedPlanner.GET,
            new GapPlanner(4, 20, 3, 60, 30));
    for (long seed = first; seed < first + 300; seed++) {
      Case one = random(seed, Compression.NONE, 1);
      for (AccessPlanner planner : planners) {
        String text = planner.label() + ", " + one.text();
        PlanEstimate estimate = PlanEstimator.estimate(one.array(), one.selection(), planner);
        read(one, planner);
        assertThat(estimate.requestsByMethod().getOrDefault("index", 0L))
            .as(text)
            .isEqualTo(indexes());
        assertThat(estimate.requests()).as(text).isEqualTo(store.requests().size());
        assertThat(estimate.bytesToMove()).as(text).isEqualTo(store.bytesRead());
      }
    }
  }

  private static long seed() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    return seed;
  }

  /** The planner sees all shards at once, as the reader does: they are few and small. */
  @Test
  void theCheapestWayIsThatOfTheEstimate() {
    long first = seed();
    AccessPlanner planner = PlannerOptions.DEFAULT.planner();
    for (long seed = first; seed < first + 300; seed++) {
      Case one = random(seed, Compression.NONE, 1);
      PlanEstimate estimate = PlanEstimator.estimate(one.array(), one.selection(), planner);
      read(one, planner);
      assertThat(estimate.requests()).as(one.text()).isEqualTo(store.requests().size());
      assertThat(estimate.bytesToMove()).as(one.text()).isEqualTo(store.bytesRead());
    }
  }

  @Test
  void compressedInnerChunksTakeNoMoreThanEstimated() {
    long first = seed();
    for (long seed = first; seed < first + 100; seed++) {
      Case one = random(seed, Compression.parse("zstd:1"), 8);
      for (AccessPlanner planner : List.of(FixedPlanner.RANGE, FixedPlanner.GET)) {
        String text = planner.label() + ", " + one.text();
        PlanEstimate estimate = PlanEstimator.estimate(one.array(), one.selection(), planner);
        read(one, planner);
        assertThat(estimate.upperBound() || one.selection().isEmpty()).as(text).isTrue();
        assertThat(estimate.requests()).as(text).isEqualTo(store.requests().size());
        assertThat(store.bytesRead()).as(text).isLessThanOrEqualTo(estimate.bytesToMove());
      }
    }
  }
}
