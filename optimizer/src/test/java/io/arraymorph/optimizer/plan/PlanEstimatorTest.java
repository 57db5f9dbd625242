package io.arraymorph.optimizer.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.ElementRuns;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.RandomArrays;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.cost.OverlapCostModel;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PlanEstimatorTest {
  private static ZarrArray array(Shape shape, Shape chunk, Shape shard, Compression codec) {
    StorePath path = new StorePath(new MemoryObjectStore("t"), "a");
    return Int32Arrays.at(path, shape, chunk, Optional.ofNullable(shard), codec);
  }

  @Test
  void sumsWhatPlanningEveryChunkWouldGive() {
    for (long seed = 0; seed < 1500; seed++) {
      Random random = new Random(seed);
      Shape shape = RandomArrays.shape(random, 3, 12);
      long[] chunk = new long[shape.rank()];
      for (int d = 0; d < chunk.length; d++) {
        chunk[d] = 1L + random.nextInt(5);
      }
      ZarrArray array = array(shape, Shape.of(chunk), null, Compression.NONE);
      OrthogonalSelection selection = RandomArrays.orthogonal(random, shape);
      AccessPlanner planner =
          random.nextBoolean() ? new GapPlanner(4, 20, 3, 60, 30) : FixedPlanner.RANGE;

      Map<Object, List<ByteRuns>> runs = new LinkedHashMap<>();
      for (ChunkSelection part : ChunkSelections.of(array.grid(), selection)) {
        runs.computeIfAbsent(part.chunk(), c -> new ArrayList<>())
            .add(ByteRuns.of(ElementRuns.of(part.within(), Shape.of(chunk)), 4, 0));
      }
      long size = Shape.of(chunk).elementCount() * 4;
      List<ObjectNeed> needs =
          runs.values().stream()
              .map(
                  parts ->
                      new ObjectNeed(
                          new StorePath(array.path().store(), "x"),
                          OptionalLong.of(size),
                          NeededBytes.runs(parts)))
              .toList();
      AccessPlan expected = planner.plan(needs);

      PlanEstimate estimate = PlanEstimator.estimate(array, Selection.of(selection), planner);
      String seedText = "seed " + seed + ": " + selection + " of " + shape;
      assertThat(estimate.chunks()).as(seedText).isEqualTo(needs.size());
      assertThat(estimate.requests()).as(seedText).isEqualTo(expected.requests());
      assertThat(estimate.requestsByMethod()).as(seedText).isEqualTo(expected.requestsByMethod());
      assertThat(estimate.bytesToMove()).as(seedText).isEqualTo(expected.bytesToMove());
      assertThat(estimate.bytesNeeded()).as(seedText).isEqualTo(selection.elementCount() * 4);
      assertThat(estimate.sampled()).as(seedText).isFalse();
      assertThat(estimate.upperBound()).as(seedText).isFalse();
    }
  }

  @Test
  void estimatesABillionChunksByArithmetic() {
    Shape shape = Shape.of(10_000_000_000L, 1_000_000);
    ZarrArray array = array(shape, Shape.of(10_000, 1_000), null, Compression.NONE);
    long start = System.nanoTime();
    PlanEstimate all = PlanEstimator.estimate(array, Selection.all(shape), GapPlanner.DEFAULT);
    Hyperslab box = Hyperslab.of(IndexRange.of(5, 9_999_999_999L), new IndexRange(7, 999_999, 500));
    PlanEstimate most = PlanEstimator.estimate(array, Selection.of(box), GapPlanner.DEFAULT);
    double seconds = (System.nanoTime() - start) / 1e9;
    assertThat(all.chunks()).isEqualTo(1_000_000_000);
    assertThat(all.explain()).startsWith("1000000000 of 1000000000 chunks, ");
    assertThat(most.chunks()).isEqualTo(1_000_000_000);
    assertThat(seconds).isLessThan(2);
  }

  @Test
  void compressedChunksCountAsDecoded() {
    ZarrArray plain = array(Shape.of(100), Shape.of(10), null, Compression.ZSTD);
    Selection some = Selection.of(Hyperslab.of(IndexRange.of(5, 25)));
    assertThat(PlanEstimator.estimate(plain, some, GapPlanner.DEFAULT).explain())
        .isEqualTo("3 of 10 chunks, 3 requests (whole 3), at most 120 bytes to move for 80 needed");
    ZarrArray sharded = array(Shape.of(100), Shape.of(10), Shape.of(50), Compression.ZSTD);
    assertThat(PlanEstimator.estimate(sharded, some, FixedPlanner.RANGE).explain())
        .isEqualTo(
            "1 of 2 chunks, 2 requests (index 1, ranges 1), at most 204 bytes to move for 80"
                + " needed");
  }

  @Test
  void rangesOfAShardFollowItsIndex() {
    ZarrArray sharded = array(Shape.of(100), Shape.of(10), Shape.of(50), Compression.ZSTD);
    Selection some = Selection.of(Hyperslab.of(IndexRange.of(5, 25)));
    CostModel model = new OverlapCostModel(StoreProfiles.of("s3.in-region"));
    double latency = model.profile().transport().latencySeconds();
    PlanEstimate ranges = PlanEstimator.estimate(sharded, some, FixedPlanner.RANGE);
    PlanEstimate whole = PlanEstimator.estimate(sharded, some, FixedPlanner.GET);
    assertThat(ranges.cost(model).seconds()).isBetween(2 * latency, 2.2 * latency);
    assertThat(whole.cost(model).seconds()).isBetween(latency, 1.1 * latency);
    assertThat(ranges.cost(model).dollars()).isEqualTo(2 * whole.cost(model).dollars());
  }
}
