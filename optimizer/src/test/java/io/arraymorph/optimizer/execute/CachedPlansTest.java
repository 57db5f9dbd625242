package io.arraymorph.optimizer.execute;

import static io.arraymorph.optimizer.execute.HyperslabReaderTest.assertReads;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.optimizer.plan.ChunkAccess;
import io.arraymorph.optimizer.plan.FixedPlanner;
import io.arraymorph.optimizer.plan.GapPlanner;
import io.arraymorph.optimizer.plan.HeldObjects;
import io.arraymorph.optimizer.plan.PlanEstimate;
import io.arraymorph.optimizer.plan.PlanEstimator;
import io.arraymorph.optimizer.plan.PlannedChunk;
import io.arraymorph.optimizer.plan.PlannerOptions;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Chunks that a reader holds are planned as cached, and take no request. */
class CachedPlansTest {
  private static final Compression ZSTD = Compression.parse("zstd:1");

  private final RecordingObjectStore store = new RecordingObjectStore(new MemoryObjectStore("t"));

  @AfterEach
  void close() {
    store.close();
  }

  private ZarrArray stored(Shape shape, Shape chunk, Shape shard) {
    ZarrArray array =
        HyperslabReaderTest.store(new StorePath(store, "a"), shape, chunk, shard, ZSTD);
    store.clear();
    return array;
  }

  private static Hyperslab box(long... edges) {
    IndexRange[] ranges = new IndexRange[edges.length / 2];
    for (int d = 0; d < ranges.length; d++) {
      ranges[d] = IndexRange.of(edges[2 * d], edges[2 * d + 1]);
    }
    return Hyperslab.of(ranges);
  }

  private static HyperslabReader reader(AccessPlanner planner) {
    return new HyperslabReader(ReadSettings.DEFAULT.withPlanner(planner));
  }

  private static PlanEstimate plan(
      HyperslabReader reader, ZarrArray array, Hyperslab box, AccessPlanner planner) {
    return PlanEstimator.estimate(array, Selection.of(box), planner, reader.held());
  }

  /** The requests that reading a box takes. */
  private int requests(HyperslabReader reader, ZarrArray array, Hyperslab box) {
    store.clear();
    assertReads(reader, array, box);
    return store.requests().size();
  }

  @Test
  void compressedChunksAreCachedColdHalfWarmAndWarm() {
    ZarrArray array = stored(Shape.of(64, 64), Shape.of(16, 16), null);
    AccessPlanner planner = PlannerOptions.DEFAULT.planner();
    try (HyperslabReader reader = reader(planner)) {
      Hyperslab left = box(0, 8, 1, 31);
      PlanEstimate cold = plan(reader, array, left, planner);
      assertThat(cold.held().chunks()).isZero();
      assertThat(cold.requests()).isEqualTo(2);
      assertThat(requests(reader, array, left)).isEqualTo(2);
      long bytes = store.bytesRead();

      Hyperslab half = box(8, 15, 1, 63);
      PlanEstimate halfWarm = plan(reader, array, half, planner);
      assertThat(halfWarm.held().chunks()).isEqualTo(2);
      assertThat(halfWarm.held().bytes()).isEqualTo(2 * 16 * 16 * 4);
      assertThat(halfWarm.requestsByMethod()).containsOnlyKeys("whole").containsValue(2L);
      assertThat(halfWarm.explain()).contains("4 of 16 chunks, 2 requests (whole 2), 2 cached");
      assertThat(requests(reader, array, half)).isEqualTo(2);
      assertThat(reader.metrics().bytesRead()).isEqualTo(bytes + store.bytesRead());
      assertThat(reader.metrics().cachedChunks()).isEqualTo(halfWarm.held().chunks());
      assertThat(reader.metrics().cacheHits()).isEqualTo(2);
      assertThat(reader.metrics().cacheBytes()).isEqualTo(halfWarm.held().bytes());

      PlanEstimate warm = plan(reader, array, half, planner);
      assertThat(warm.requests()).isZero();
      assertThat(warm.bytesToMove()).isZero();
      assertThat(warm.held().chunks()).isEqualTo(4);
      assertThat(warm.cost(planner.model("s3://b")).seconds()).isZero();
      assertThat(warm.cost(planner.model("s3://b")).dollars()).isZero();
      assertThat(PlannedChunk.of(array, Selection.of(half), planner, reader.held(), 16))
          .hasSize(4)
          .allSatisfy(c -> assertThat(c.access()).isInstanceOf(ChunkAccess.Cached.class));
      double dollars = reader.metrics().estimatedDollars();
      double seconds = reader.metrics().estimatedSeconds();
      assertThat(requests(reader, array, half)).isZero();
      assertThat(reader.metrics().cachedChunks()).isEqualTo(2 + 4);
      assertThat(reader.metrics().estimatedDollars()).isEqualTo(dollars);
      assertThat(reader.metrics().estimatedSeconds()).isEqualTo(seconds);
    }
  }

  @Test
  void innerChunksAndTheIndexOfAShardAreCachedEachAlone() {
    ZarrArray array = stored(Shape.of(64, 64), Shape.of(16, 16), Shape.of(64, 64));
    AccessPlanner planner = FixedPlanner.RANGE;
    try (HyperslabReader reader = reader(planner)) {
      Hyperslab one = box(1, 9, 1, 9);
      assertThat(plan(reader, array, one, planner).requestsByMethod())
          .containsEntry("index", 1L)
          .containsEntry("ranges", 1L);
      assertThat(requests(reader, array, one)).isEqualTo(2);

      // The index is held, and one of two inner chunks.
      Hyperslab two = box(1, 9, 1, 60);
      PlanEstimate halfWarm = plan(reader, array, two, planner);
      assertThat(halfWarm.requestsByMethod()).doesNotContainKey("index");
      assertThat(halfWarm.held().index()).isTrue();
      assertThat(halfWarm.held().chunks()).isEqualTo(1);
      int sent = requests(reader, array, two);
      assertThat(halfWarm.requests()).isEqualTo(sent);
      assertThat(halfWarm.bytesToMove()).isEqualTo(store.bytesRead());

      PlanEstimate warm = plan(reader, array, two, planner);
      assertThat(warm.requests()).isZero();
      assertThat(warm.held().chunks()).isEqualTo(4);
      assertThat(requests(reader, array, two)).isZero();
    }
  }

  @Test
  void ofAShardThatIsReadWholeNothingIsPlannedAsCached() {
    ZarrArray array = stored(Shape.of(64, 64), Shape.of(16, 16), Shape.of(64, 64));
    AccessPlanner planner = new RangesOrWhole();
    try (HyperslabReader reader =
        new HyperslabReader(ReadSettings.DEFAULT.withPlanner(planner).withCaches(1 << 20, 0))) {
      assertThat(requests(reader, array, box(1, 9, 1, 9))).isEqualTo(2);
      // Who does not know the index does not know which inner chunk the one in memory is.
      PlanEstimate all = plan(reader, array, box(0, 64, 0, 64), planner);
      assertThat(all.requestsByMethod()).containsOnlyKeys("whole").containsValue(1L);
      assertThat(requests(reader, array, box(0, 64, 0, 64))).isEqualTo(1);
      assertThat(reader.metrics().cacheHits()).isEqualTo(1);
      assertThat(all.held().chunks()).isZero();
      assertThat(reader.metrics().cachedChunks()).isZero();
    }
  }

  @Test
  void aHeldChunkOfSeveralRowsOfABatchIsPlannedOnce() {
    ZarrArray array = stored(Shape.of(64, 64), Shape.of(16, 16), null);
    try (HyperslabReader reader = reader(PlannerOptions.DEFAULT.planner())) {
      assertThat(requests(reader, array, box(0, 8, 0, 8))).isEqualTo(1);
      store.clear();
      List<ReadRequest> rows =
          List.of(
              new ReadRequest(array, box(1, 2, 0, 16)),
              new ReadRequest(array, box(3, 4, 0, 16)),
              new ReadRequest(array, box(5, 6, 0, 16)));
      try (ElementStream stream = reader.stream(rows.iterator())) {
        while (stream.hasNext()) {
          assertThat(stream.next().count()).isEqualTo(16);
        }
      }
      assertThat(store.requests()).isEmpty();
      assertThat(reader.metrics().cacheHits()).isEqualTo(3);
      assertThat(reader.metrics().cachedChunks()).isEqualTo(1);
    }
  }

  @Test
  void aHeldChunkWhoseObjectChangedIsNotMixedWithTheNewOne() {
    ZarrArray array = stored(Shape.of(64, 64), Shape.of(16, 16), Shape.of(64, 64));
    try (HyperslabReader reader = reader(FixedPlanner.RANGE)) {
      assertReads(reader, array, box(1, 9, 1, 9));
      store.put("a/c/0/0", ByteBuffer.wrap(new byte[5000]), WriteCondition.NONE).join();
      // What is held is of the version that this query reads.
      assertThat(requests(reader, array, box(2, 8, 2, 8))).isZero();
      assertThatThrownBy(() -> reader.read(array, box(1, 9, 1, 60)))
          .isInstanceOfSatisfying(
              ArrayMorphException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.OBJECT_CHANGED));
    }
  }

  @Test
  void whatIsNotKeptIsNotPlannedAsCached() {
    ZarrArray array = stored(Shape.of(64, 64), Shape.of(16, 16), null);
    AccessPlanner planner = PlannerOptions.DEFAULT.planner();
    try (HyperslabReader reader =
        new HyperslabReader(
            ReadSettings.DEFAULT.withPlanner(planner).withCaches(2 * 16 * 16 * 4, 0))) {
      assertThat(requests(reader, array, box(0, 8, 0, 64))).isEqualTo(4);
      PlanEstimate second = plan(reader, array, box(8, 16, 0, 64), planner);
      assertThat(second.held().chunks()).isEqualTo(2);
      assertThat(second.requests()).isEqualTo(2);
    }
    assertThat(HeldObjects.NONE.isNothing()).isTrue();
    try (HyperslabReader fresh = reader(planner)) {
      assertThat(fresh.held().isNothing()).isTrue();
    }
  }

  @Test
  void anyOrderOfReadsGivesTheSameElementsAndPlansWhatItThenSends() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<AccessPlanner> planners =
        List.of(PlannerOptions.DEFAULT.planner(), FixedPlanner.RANGE, GapPlanner.DEFAULT);
    for (int round = 0; round < 60; round++) {
      String at = "seed " + seed + ", round " + round;
      boolean sharded = random.nextBoolean();
      Shape shape = Shape.of(20 + random.nextInt(60), 20 + random.nextInt(60));
      Shape chunk = Shape.of(5 + random.nextInt(8), 5 + random.nextInt(8));
      Shape shard = Shape.of(chunk.length(0) * 3, chunk.length(1) * 2);
      ZarrArray array = stored(shape, chunk, sharded ? shard : null);
      AccessPlanner planner = planners.get(random.nextInt(planners.size()));
      try (HyperslabReader reader = reader(planner)) {
        for (int read = 0; read < 8; read++) {
          Hyperslab box = randomBox(random, shape);
          PlanEstimate before = plan(reader, array, box, planner);
          if (planner == planners.get(0)) {
            // What is cheapest may take more requests, but never costs more.
            CostModel model = planner.model(array.path().storeUri());
            PlanEstimate cold = PlanEstimator.estimate(array, Selection.of(box), planner);
            assertThat(before.cost(model).weighted(0))
                .as(at)
                .isLessThanOrEqualTo(cold.cost(model).weighted(0) * (1 + 1e-9));
          }
          long cached = reader.metrics().cachedChunks();
          store.clear();
          assertThat(RandomZarr.comparable(reader.read(array, box)))
              .as(at)
              .isEqualTo(RandomZarr.comparable(HyperslabCopy.pack(all(shape), box)));
          assertThat(reader.metrics().cachedChunks() - cached)
              .as(at)
              .isGreaterThanOrEqualTo(before.held().chunks());
          if (!sharded) {
            assertThat(reader.metrics().cachedChunks() - cached)
                .as(at)
                .isEqualTo(before.held().chunks());
            assertThat(store.requests()).as(at).hasSize((int) before.requests());
          }
        }
      }
    }
  }

  private static Elements all(Shape shape) {
    return HyperslabReaderTest.counted(shape);
  }

  private static Hyperslab randomBox(Random random, Shape shape) {
    IndexRange[] ranges = new IndexRange[shape.rank()];
    for (int d = 0; d < ranges.length; d++) {
      long start = random.nextInt((int) shape.length(d));
      long length = 1L + random.nextInt((int) (shape.length(d) - start));
      ranges[d] = IndexRange.of(start, start + length);
    }
    return Hyperslab.of(ranges);
  }
}
