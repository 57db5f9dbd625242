package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.RandomArrays;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.optimizer.plan.AccessPlan;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.optimizer.plan.FixedPlanner;
import io.arraymorph.optimizer.plan.GapPlanner;
import io.arraymorph.optimizer.plan.ObjectNeed;
import io.arraymorph.optimizer.plan.PlanEstimate;
import io.arraymorph.optimizer.plan.PlanEstimator;
import io.arraymorph.optimizer.plan.PlannedChunk;
import io.arraymorph.optimizer.plan.PlannerOptions;
import io.arraymorph.optimizer.plan.ShardNeed;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Estimates of unions of boxes that share chunks and shards, beside what reading them takes. */
class UnionPlansTest {
  private static final Compression ZSTD = Compression.parse("zstd:1");

  private final RecordingObjectStore store = new RecordingObjectStore(new MemoryObjectStore("t"));

  @AfterEach
  void close() {
    store.close();
  }

  private ZarrArray stored(Shape shape, Shape chunk, Optional<Shape> shard, Compression codec) {
    return StoredInt32.in(store, shape, chunk, shard, codec);
  }

  private static Selection union(int rank, Hyperslab... boxes) {
    return Selection.of(rank, Arrays.stream(boxes).map(OrthogonalSelection::of).toList());
  }

  private static Hyperslab box(long y0, long y1, long x0, long x1) {
    return Hyperslab.of(IndexRange.of(y0, y1), IndexRange.of(x0, x1));
  }

  private record Case(ZarrArray array, Selection selection, String text) {}

  /** Some boxes near each other in few chunks or shards. */
  private Case random(long seed, boolean sharded, Compression codec, int leastChunk) {
    Random random = new Random(seed);
    int rank = 1 + random.nextInt(3);
    long[] shape = new long[rank];
    long[] chunk = new long[rank];
    long[] shard = new long[rank];
    for (int d = 0; d < rank; d++) {
      chunk[d] = (long) leastChunk + random.nextInt(6);
      shard[d] = chunk[d] * (1 + random.nextInt(4));
      shape[d] = 1L + random.nextInt((int) ((rank == 3 ? 2 : 3) * (sharded ? shard : chunk)[d]));
    }
    List<OrthogonalSelection> boxes = new ArrayList<>();
    int count = 2 + random.nextInt(7);
    for (int i = 0; i < count; i++) {
      if (random.nextInt(4) == 0) {
        boxes.add(OrthogonalSelection.of(RandomArrays.hyperslab(random, Shape.of(shape))));
        continue;
      }
      IndexRange[] ranges = new IndexRange[rank];
      for (int d = 0; d < rank; d++) {
        long start = random.nextInt((int) shape[d]);
        ranges[d] = IndexRange.of(start, Math.min(shape[d], start + 1 + random.nextInt(4)));
      }
      boxes.add(OrthogonalSelection.of(Hyperslab.of(ranges)));
    }
    Selection selection = Selection.of(rank, boxes);
    Optional<Shape> object = sharded ? Optional.of(Shape.of(shard)) : Optional.empty();
    return new Case(
        stored(Shape.of(shape), Shape.of(chunk), object, codec),
        selection,
        "seed "
            + seed
            + ": "
            + selection
            + " of "
            + Shape.of(shape)
            + ", chunks "
            + Shape.of(chunk)
            + ", shards "
            + object);
  }

  private static boolean isShared(Case one) {
    return one.selection().parts().stream()
            .mapToLong(part -> ChunkSelections.touchedChunks(one.array().grid(), part))
            .sum()
        > ChunkSelections.touchedChunks(one.array().grid(), one.selection());
  }

  /** What a new reader asks the store for; it reads all in one batch. */
  private void read(ZarrArray array, Selection selection, AccessPlanner planner) {
    store.clear();
    try (HyperslabReader reader = new HyperslabReader(ReadSettings.DEFAULT.withPlanner(planner))) {
      reader.read(array, selection, (part, elements) -> {});
    }
  }

  private long indexes() {
    return store.requests().stream().filter(r -> r.range() instanceof ByteRange.Suffix).count();
  }

  private static long seed() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    return seed;
  }

  private void assertReadAsEstimated(Case one, AccessPlanner planner, Compression codec) {
    String text = planner.label() + ", " + one.text();
    PlanEstimate estimate = PlanEstimator.estimate(one.array(), one.selection(), planner);
    read(one.array(), one.selection(), planner);
    assertThat(estimate.chunks())
        .as(text)
        .isEqualTo(ChunkSelections.touchedChunks(one.array().grid(), one.selection()));
    assertThat(estimate.requestsByMethod().getOrDefault("index", 0L)).as(text).isEqualTo(indexes());
    assertThat(estimate.requests()).as(text).isEqualTo(store.requests().size());
    if (codec.equals(Compression.NONE)) {
      assertThat(estimate.bytesToMove()).as(text).isEqualTo(store.bytesRead());
    } else {
      assertThat(estimate.bytesToMove()).as(text).isGreaterThanOrEqualTo(store.bytesRead());
    }
    assertThat(estimate.sampled()).as(text).isFalse();
    List<PlannedChunk> chunks = PlannedChunk.of(one.array(), one.selection(), planner, 10_000);
    assertThat(chunks).as(text).hasSize((int) estimate.chunks());
    assertThat(indexes() + chunks.stream().mapToLong(PlannedChunk::requests).sum())
        .as(text)
        .isEqualTo(store.requests().size());
  }

  @Test
  void rawChunksAndShardsAreReadExactlyAsEstimated() {
    long first = seed();
    List<AccessPlanner> planners =
        List.of(
            FixedPlanner.RANGE,
            FixedPlanner.MERGE,
            FixedPlanner.GET,
            new GapPlanner(4, 20, 3, 60, 30));
    int shared = 0;
    for (long seed = first; seed < first + 300; seed++) {
      Case one = random(seed, seed % 2 == 0, Compression.NONE, 1);
      shared += isShared(one) ? 1 : 0;
      for (AccessPlanner planner : planners) {
        assertReadAsEstimated(one, planner, Compression.NONE);
      }
    }
    assertThat(shared).isGreaterThan(100);
  }

  @Test
  void theCheapestWayIsThatOfTheEstimate() {
    long first = seed();
    AccessPlanner planner = PlannerOptions.DEFAULT.planner();
    for (long seed = first; seed < first + 300; seed++) {
      assertReadAsEstimated(
          random(seed, seed % 2 == 0, Compression.NONE, 1), planner, Compression.NONE);
    }
  }

  /** Of both shards the same is selected, but the second one is half in the array. */
  @Test
  void shardsAtTheEdgeAreNotLikeOthers() {
    Shape shape = Shape.of(8, 12);
    ZarrArray array = stored(shape, Shape.of(4, 4), Optional.of(Shape.of(8, 8)), Compression.NONE);
    IndexRange y = IndexRange.single(0);
    Selection boxes =
        union(
            2,
            Hyperslab.of(y, new IndexRange(0, 9, 8)),
            Hyperslab.of(y.shift(5), new IndexRange(1, 10, 8)));
    for (AccessPlanner planner : List.of(FixedPlanner.MERGE, FixedPlanner.GET)) {
      assertReadAsEstimated(new Case(array, boxes, "two shards"), planner, Compression.NONE);
    }
  }

  @Test
  void compressedChunksAndShardsTakeNoMoreThanEstimated() {
    long first = seed();
    int shared = 0;
    for (long seed = first; seed < first + 100; seed++) {
      Case one = random(seed, seed % 2 == 0, ZSTD, 8);
      shared += isShared(one) ? 1 : 0;
      for (AccessPlanner planner : List.of(FixedPlanner.RANGE, FixedPlanner.GET)) {
        assertReadAsEstimated(one, planner, ZSTD);
      }
    }
    assertThat(shared).isGreaterThan(30);
  }

  @Test
  void innerChunksThatBoxesShareAreNotAllOfTheShard() {
    ZarrArray array =
        stored(Shape.of(8, 16), Shape.of(8, 8), Optional.of(Shape.of(8, 16)), Compression.NONE);
    Selection inOne = union(2, box(1, 2, 1, 2), box(4, 5, 4, 5), box(6, 7, 6, 7));
    assertThat(PlanEstimator.estimate(array, inOne, new RangesOrWhole()).requestsByMethod())
        .containsEntry("index", 1L)
        .containsEntry("ranges", 3L)
        .hasSize(2);
    read(array, inOne, new RangesOrWhole());
    assertThat(store.requests()).hasSize(4);
    Selection inBoth = union(2, box(1, 2, 1, 2), box(4, 5, 12, 13));
    assertThat(PlanEstimator.estimate(array, inBoth, new RangesOrWhole()).requestsByMethod())
        .containsEntry("whole", 1L)
        .hasSize(1);
    read(array, inBoth, new RangesOrWhole());
    assertThat(store.requests()).hasSize(1);
  }

  /** Exact ranges; keeps what it is told of shards. */
  private record Judging(Set<ShardNeed> told) implements AccessPlanner {
    @Override
    public String label() {
      return "judging";
    }

    @Override
    public AccessPlan plan(List<ObjectNeed> needs) {
      return FixedPlanner.RANGE.plan(needs);
    }

    @Override
    public boolean readsWhole(ShardNeed shard) {
      told.add(
          new ShardNeed(
              shard.innerChunks(),
              shard.neededInnerChunks(),
              shard.decodedBytes(),
              shard.together(),
              Math.rint(shard.bytesTogether()),
              shard.compressed(),
              new StorePath(shard.object().store(), "any")));
      return false;
    }
  }

  @Test
  void ofShardsPlansKnowWhatReadersKnow() {
    long first = seed();
    int shared = 0;
    for (long seed = first; seed < first + 200; seed++) {
      boolean compressed = seed % 2 == 0;
      Case one = random(seed, true, compressed ? ZSTD : Compression.NONE, 1);
      shared += isShared(one) ? 1 : 0;
      Judging reading = new Judging(new HashSet<>());
      read(one.array(), one.selection(), reading);
      assertThat(reading.told).as(one.text()).allMatch(need -> need.compressed() == compressed);
      Judging planning = new Judging(new HashSet<>());
      PlanEstimator.estimate(one.array(), one.selection(), planning);
      assertThat(planning.told).as(one.text()).isEqualTo(reading.told);
      Judging naming = new Judging(new HashSet<>());
      PlannedChunk.of(one.array(), one.selection(), naming, 10_000);
      assertThat(naming.told).as(one.text()).isEqualTo(reading.told);
    }
    assertThat(shared).isGreaterThan(50);
  }

  @Test
  void whatIsHeldIsAskedOnceForAllBoxesOfAShard() {
    Shape shape = Shape.of(32, 32);
    ZarrArray array = stored(shape, Shape.of(16, 16), Optional.of(shape), ZSTD);
    AccessPlanner planner = FixedPlanner.RANGE;
    try (HyperslabReader reader = new HyperslabReader(ReadSettings.DEFAULT.withPlanner(planner))) {
      reader.read(array, box(1, 4, 1, 4));
      Selection boxes = union(2, box(0, 2, 0, 2), box(5, 9, 5, 9), box(12, 20, 12, 14));
      PlanEstimate estimate = PlanEstimator.estimate(array, boxes, planner, reader.held());
      assertThat(estimate.held().chunks()).isEqualTo(1);
      assertThat(estimate.held().bytes()).isEqualTo(16 * 16 * 4);
      assertThat(estimate.requestsByMethod()).containsEntry("ranges", 1L).hasSize(1);
      assertThat(PlannedChunk.of(array, boxes, planner, reader.held(), 9))
          .singleElement()
          .satisfies(
              chunk -> {
                assertThat(chunk.access().need().held().chunks()).isEqualTo(1);
                assertThat(chunk.requests()).isEqualTo(1);
              });
      store.clear();
      reader.read(array, boxes, (part, elements) -> {});
      assertThat(store.requests()).hasSize(1);
    }
  }
}
