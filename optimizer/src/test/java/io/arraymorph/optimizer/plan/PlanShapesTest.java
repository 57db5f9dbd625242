package io.arraymorph.optimizer.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.RandomArrays;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.cost.OverlapCostModel;
import io.arraymorph.optimizer.cost.PaperCostModel;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Plans of unions, strides, diagonals and shards, with and without a slice function. */
class PlanShapesTest {
  private static final DataType INT32 = new DataType.Int(32, true);
  private static final StorePath PATH = new StorePath(new MemoryObjectStore("shapes"), "a");

  private static ZarrArray array(Shape shape, Shape chunk, Optional<Shape> shard, String codec) {
    return ZarrArray.of(
        PATH,
        new ZarrArraySpec(
            INT32,
            shape,
            chunk,
            shard,
            Compression.parse(codec),
            ZarrArraySpec.defaultFill(INT32),
            java.util.stream.IntStream.range(0, shape.rank()).mapToObj(d -> "d" + d).toList(),
            JsonNodeFactory.instance.objectNode()));
  }

  private static Selection union(List<Hyperslab> boxes) {
    List<OrthogonalSelection> parts = new ArrayList<>();
    boxes.forEach(box -> parts.add(OrthogonalSelection.of(box)));
    return Selection.of(boxes.get(0).rank(), parts);
  }

  /**
   * Every selected element lies in what is fetched of its chunk; no chunk twice, none for naught.
   */
  private static void check(ZarrArray array, Selection selection, CostPlanner planner, String as) {
    List<PlannedChunk> planned = PlannedChunk.of(array, selection, planner, 1 << 20);
    Set<ChunkCoordinates> seen = new HashSet<>();
    long needed = 0;
    for (PlannedChunk chunk : planned) {
      assertThat(seen.add(chunk.chunk())).as(as).isTrue();
      ObjectNeed need = chunk.access().need();
      needed += need.neededBytes();
      if (chunk.access() instanceof ChunkAccess.Ranges) {
        for (ByteRuns part : ((NeededBytes.Runs) need.bytes()).parts()) {
          part.starts()
              .forEachRemaining(
                  (long start) ->
                      assertThat(
                              covers(
                                  ((ChunkAccess.Ranges) chunk.access()).ranges(),
                                  start,
                                  start + part.runLength()))
                          .as(as)
                          .isTrue());
        }
      }
    }
    assertThat(needed).as(as).isEqualTo(selection.elementCount() * 4);
  }

  private static boolean covers(List<ByteRange.Bounded> ranges, long start, long end) {
    long at = start;
    for (ByteRange.Bounded range : ranges) {
      if (range.start() <= at && at < range.end()) {
        at = range.end();
      }
    }
    return at >= end;
  }

  @Test
  void unionsStridesAndDiagonalsAreCoveredChunkByChunk() {
    String[] names = {"s3.in-region", "s3.wan", "gcs.wan", "azure-dfs.in-region", "local"};
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      Shape shape = RandomArrays.shape(random, 3, 40);
      if (shape.isEmpty() || shape.rank() == 0) {
        continue;
      }
      long[] chunk = new long[shape.rank()];
      for (int d = 0; d < chunk.length; d++) {
        chunk[d] = 1L + random.nextInt(12);
      }
      List<Hyperslab> boxes = new ArrayList<>();
      if (random.nextInt(3) == 0) {
        for (long at = 0; at < 6; at++) {
          long[] from = new long[chunk.length];
          long[] to = new long[chunk.length];
          for (int d = 0; d < chunk.length; d++) {
            from[d] = Math.min(shape.length(d) - 1, at * shape.length(d) / 6);
            to[d] = Math.min(shape.length(d), from[d] + 1 + random.nextInt(3));
          }
          boxes.add(Hyperslab.box(from, to));
        }
      } else {
        for (int i = 0; i <= random.nextInt(4); i++) {
          boxes.add(RandomArrays.hyperslab(random, shape));
        }
      }
      CostModel model = new OverlapCostModel(StoreProfiles.of(names[random.nextInt(names.length)]));
      CostPlanner planner = new CostPlanner(model, random.nextInt(3) * 100, random.nextBoolean());
      ZarrArray raw = array(shape, Shape.of(chunk), Optional.empty(), "none");
      check(raw, union(boxes), planner, "seed " + seed + ", " + boxes + " of " + shape);
    }
  }

  @Test
  void aDiagonalOfBoxesTakesOneRequestAChunkAndFewBytes() {
    ZarrArray array = array(Shape.of(8192, 8192), Shape.of(512, 512), Optional.empty(), "none");
    List<Hyperslab> boxes = new ArrayList<>();
    for (long i = 0; i < 64; i++) {
      IndexRange range = IndexRange.of(128 * i + 50, 128 * i + 82);
      boxes.add(Hyperslab.of(range, range));
    }
    CostModel model = new OverlapCostModel(StoreProfiles.of("s3.in-region"));
    List<PlannedChunk> planned =
        PlannedChunk.of(array, union(boxes), new CostPlanner(model, 0, false), 1000);
    assertThat(planned).hasSize(16);
    long requests = planned.stream().mapToLong(PlannedChunk::requests).sum();
    long bytes = planned.stream().mapToLong(c -> c.access().bytesToMove().orElseThrow()).sum();
    assertThat(requests).isBetween(16L, 64L);
    assertThat(bytes).isLessThan(16L << 20);
  }

  @Test
  void plansOfShardsAndCompressedChunksCostNoMoreThanThoseOfOtherPlanners() {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      long inner = 16L << random.nextInt(5);
      Shape shape = Shape.of(inner * 16, inner * 16);
      boolean sharded = random.nextBoolean();
      ZarrArray array =
          array(
              shape,
              sharded ? Shape.of(inner, inner) : Shape.of(inner * 4, inner * 4),
              sharded ? Optional.of(Shape.of(inner * 8, inner * 8)) : Optional.empty(),
              random.nextInt(4) == 0 ? "none" : "zstd");
      Hyperslab box = RandomArrays.hyperslab(random, shape);
      if (box.isEmpty()) {
        continue;
      }
      StoreProfile profile =
          StoreProfiles.of(StoreProfiles.NAMES.get(random.nextInt(StoreProfiles.NAMES.size())));
      CostModel model =
          random.nextBoolean() ? new OverlapCostModel(profile) : new PaperCostModel(profile);
      boolean function = random.nextBoolean() && profile.function().isPresent();
      double phi = random.nextInt(4) * 50;
      CostPlanner ours = new CostPlanner(model, phi, function);
      List<ObjectNeed> needs = new ArrayList<>();
      for (PlannedChunk chunk : PlannedChunk.of(array, Selection.of(box), ours, 10_000)) {
        needs.add(chunk.access().need());
      }
      double cost = cost(ours.plan(needs), model, phi);
      List<AccessPlanner> others =
          new ArrayList<>(
              List.of(
                  FixedPlanner.GET, FixedPlanner.MERGE, FixedPlanner.RANGE, GapPlanner.DEFAULT));
      if (function) {
        others.add(new FunctionPlanner(model));
      }
      for (AccessPlanner other : others) {
        assertThat(cost)
            .as("seed %s, %s, phi %s, beside %s", seed, model, phi, other.label())
            .isLessThanOrEqualTo(cost(other.plan(needs), model, phi) * (1 + 1e-9));
      }
    }
  }

  private static double cost(AccessPlan plan, CostModel model, double phi) {
    return model.cost(plan.totals(model, GroupPlan.UNKNOWN_BYTES)).weighted(phi);
  }

  @Test
  void planningTakesTimeByTheNumberOfObjectsAndNotMore() {
    CostPlanner planner =
        new CostPlanner(new OverlapCostModel(StoreProfiles.of("s3.in-region")), 0, true);
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    double[] seconds = new double[3];
    int[] objects = {25_000, 100_000, 400_000};
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < objects.length; i++) {
        List<ObjectNeed> needs = needs(objects[i]);
        long start = threads.getCurrentThreadCpuTime();
        AccessPlan plan = planner.plan(needs);
        seconds[i] = (threads.getCurrentThreadCpuTime() - start) / 1e9;
        assertThat(plan.accesses()).hasSize(objects[i]);
      }
    }
    System.out.println(
        "processor time of plans of 25k, 100k, 400k objects: "
            + List.of(seconds[0], seconds[1], seconds[2]));
    // Linear would be 16 times; collecting garbage may add some.
    assertThat(seconds[2]).isLessThan(0.5 + 40 * seconds[0]);
    AccessTotals totals = planner.plan(needs(1000)).totals(planner.model(), 0);
    assertThat(totals.requests() + totals.calls().calls()).isPositive();
  }

  private static List<ObjectNeed> needs(int count) {
    Random random = new Random(1);
    List<ObjectNeed> kinds = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      long from = random.nextInt(1 << 20);
      ByteRuns runs = ByteRuns.of(from, from + 1 + random.nextInt(1 << 18));
      kinds.add(new ObjectNeed(PATH, OptionalLong.of(2 << 20), NeededBytes.runs(List.of(runs))));
    }
    List<ObjectNeed> needs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      needs.add(kinds.get(random.nextInt(kinds.size())));
    }
    return needs;
  }
}
