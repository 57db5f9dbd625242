package io.arraymorph.optimizer.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.arraymorph.array.DataType;
import io.arraymorph.array.ElementRuns;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
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
import io.arraymorph.optimizer.profile.FunctionProfile;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.optimizer.profile.Transport;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PrimitiveIterator;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CostPlannerTest {
  private static final StorePath OBJECT = new StorePath(new MemoryObjectStore("plans"), "a/c/0/0");
  static final double[] PHIS = {0, 1, 105, 1e4, 1e7, Double.POSITIVE_INFINITY};

  /** A store at random: shipped, with few or many slots. */
  static CostModel model(Random random) {
    StoreProfile profile =
        StoreProfiles.of(StoreProfiles.NAMES.get(random.nextInt(StoreProfiles.NAMES.size())));
    int slots = 1 + random.nextInt(random.nextBoolean() ? 6 : 200);
    Transport transport = profile.transport().withConcurrency(slots);
    if (random.nextInt(3) == 0) {
      transport =
          transport.withRequestSeconds(random.nextDouble() / 1e3, random.nextDouble() / 1e3);
    }
    profile = profile.withTransport(transport);
    if (random.nextInt(3) == 0 && profile.function().isPresent()) {
      FunctionProfile.Host host =
          new FunctionProfile.Host(
              random.nextDouble() / 1e3, random.nextDouble() / 1e9, random.nextDouble() * 2);
      profile = profile.withFunction(profile.function().map(f -> f.withHost(host)));
    }
    return random.nextBoolean() ? new OverlapCostModel(profile) : new PaperCostModel(profile);
  }

  static List<ObjectNeed> needs(Random random, int objects, int maxLength, int parts) {
    List<ObjectNeed> needs = new ArrayList<>();
    while (needs.size() < objects) {
      Shape shape = RandomArrays.shape(random, 3, maxLength);
      int width = 1 << random.nextInt(22);
      List<ByteRuns> runs = new ArrayList<>();
      for (int i = random.nextInt(parts); i >= 0; i--) {
        Hyperslab slab = RandomArrays.hyperslab(random, shape);
        if (!slab.isEmpty()) {
          runs.add(ByteRuns.of(ElementRuns.of(slab, shape), width, 0));
        }
      }
      long bytes = shape.elementCount() * width;
      NeededBytes needed = random.nextInt(9) == 0 ? NeededBytes.WHOLE : NeededBytes.runs(runs);
      if (bytes > 0) {
        ObjectNeed need = new ObjectNeed(OBJECT, OptionalLong.of(bytes), needed);
        for (int i = random.nextInt(4); i >= 0 && needs.size() < objects; i--) {
          needs.add(need);
        }
      }
    }
    return needs;
  }

  static double cost(AccessPlan plan, CostModel model, double phi) {
    return model.cost(plan.totals(model, 1 << 20)).weighted(phi);
  }

  private static AccessPlan functionOnly(List<ObjectNeed> needs, CostModel model) {
    return new FunctionPlanner(model).plan(needs);
  }

  @Test
  void plansCostNoMoreThanThoseOfAnyOtherPlanner() {
    for (long seed = 0; seed < 1_500; seed++) {
      Random random = new Random(seed);
      CostModel model = model(random);
      double phi = PHIS[random.nextInt(PHIS.length)];
      boolean function = random.nextBoolean();
      List<ObjectNeed> needs = needs(random, 1 + random.nextInt(7), 9, 3);
      AccessPlan ours = new CostPlanner(model, phi, function).plan(needs);
      double cost = cost(ours, model, phi);
      long at = seed;
      long gap = 1L << random.nextInt(26);
      Map<String, AccessPlan> others = new HashMap<>();
      others.put("get", FixedPlanner.GET.plan(needs));
      others.put("merge", FixedPlanner.MERGE.plan(needs));
      others.put("range", FixedPlanner.RANGE.plan(needs));
      others.put("gap", GapPlanner.DEFAULT.plan(needs));
      others.put(
          "gap " + gap,
          new GapPlanner(gap, gap, Integer.MAX_VALUE, Long.MAX_VALUE, 8 << 20).plan(needs));
      others.put("paper", new PaperPlanner(model, phi, function).plan(needs));
      if (function) {
        others.put("function", functionOnly(needs, model));
      }
      others.forEach(
          (name, other) ->
              assertThat(cost)
                  .as("seed %s, %s, phi %s, beside %s:%n%s%n%s", at, model, phi, name, ours, other)
                  .isLessThanOrEqualTo(cost(other, model, phi) * (1 + 1e-9)));
    }
  }

  @Test
  void plansCoverExactlyWhatIsNeededAndNoRangeTwice() {
    for (long seed = 0; seed < 1_500; seed++) {
      Random random = new Random(seed);
      CostModel model = model(random);
      double phi = PHIS[random.nextInt(PHIS.length)];
      List<ObjectNeed> needs = needs(random, 1 + random.nextInt(6), 9, 4);
      AccessPlan plan = new CostPlanner(model, phi, random.nextBoolean()).plan(needs);
      assertThat(plan.accesses()).hasSize(needs.size());
      for (int i = 0; i < needs.size(); i++) {
        check("seed " + seed + ", " + plan, needs.get(i), plan.accesses().get(i));
      }
    }
  }

  static void check(String seed, ObjectNeed need, ChunkAccess access) {
    assertThat(access.need()).as(seed).isSameAs(need);
    if (!(access instanceof ChunkAccess.Ranges)) {
      boolean nothing = need.bytes().equals(NeededBytes.runs(List.of()));
      assertThat(access instanceof ChunkAccess.Fill).as(seed).isEqualTo(nothing);
      return;
    }
    List<ByteRange.Bounded> ranges = ((ChunkAccess.Ranges) access).ranges();
    long before = -1;
    for (ByteRange.Bounded range : ranges) {
      assertThat(range.start()).as(seed).isGreaterThanOrEqualTo(before);
      before = range.end();
    }
    assertThat(before).as(seed).isLessThanOrEqualTo(need.objectBytes().orElseThrow());
    long first = ranges.get(0).start();
    if (!(need.bytes() instanceof NeededBytes.Runs)) {
      assertThat(access.bytesToMove()).as(seed).isEqualTo(need.objectBytes());
      return;
    }
    long least = Long.MAX_VALUE;
    long most = 0;
    for (ByteRuns part : ((NeededBytes.Runs) need.bytes()).parts()) {
      least = Math.min(least, part.first());
      most = Math.max(most, part.end());
      for (PrimitiveIterator.OfLong it = part.starts(); it.hasNext(); ) {
        long start = it.nextLong();
        assertThat(covered(ranges, start, start + part.runLength())).as(seed).isTrue();
      }
    }
    assertThat(first).as(seed).isEqualTo(least);
    assertThat(before).as(seed).isEqualTo(most);
    long sum = ranges.stream().mapToLong(ByteRange.Bounded::length).sum();
    assertThat(access.bytesToMove().orElseThrow()).as(seed).isEqualTo(sum);
  }

  private static boolean covered(List<ByteRange.Bounded> ranges, long start, long end) {
    long at = start;
    for (ByteRange.Bounded range : ranges) {
      if (range.start() <= at && at < range.end()) {
        at = range.end();
      }
    }
    return at >= end;
  }

  @Test
  void plansAreWithinOnePercentOfTheBestOfAll() {
    double worst = 0;
    for (long seed = 0; seed < 250; seed++) {
      Random random = new Random(seed);
      CostModel model = model(random);
      double phi = PHIS[random.nextInt(PHIS.length)];
      boolean function = random.nextBoolean();
      List<ObjectNeed> needs = needs(random, 1 + random.nextInt(2), 5, 2);
      List<List<AccessTotals>> all = new ArrayList<>();
      double combinations = 1;
      for (ObjectNeed need : needs) {
        all.add(everyAccess(need, model, function));
        combinations *= all.get(all.size() - 1).size();
      }
      if (combinations > 500_000) {
        continue;
      }
      double best = best(all, 0, AccessTotals.NONE, model, phi);
      AccessPlan plan = new CostPlanner(model, phi, function).plan(needs);
      double cost = cost(plan, model, phi);
      worst = best > 0 ? Math.max(worst, cost / best) : worst;
      assertThat(cost)
          .as("seed %s, %s, phi %s: %s", seed, model, phi, plan)
          .isLessThanOrEqualTo(best * 1.01);
    }
    System.out.println("dearest of the plans on small instances: " + worst + " of the best");
  }

  private static double best(
      List<List<AccessTotals>> all, int at, AccessTotals sum, CostModel model, double phi) {
    if (at == all.size()) {
      return model.cost(sum).weighted(phi);
    }
    double best = Double.POSITIVE_INFINITY;
    for (AccessTotals totals : all.get(at)) {
      best = Math.min(best, best(all, at + 1, sum.plus(totals), model, phi));
    }
    return best;
  }

  /** Each set of cuts, each divided into 1 to 4 parts a range; whole; by the slice function. */
  private static List<AccessTotals> everyAccess(
      ObjectNeed need, CostModel model, boolean function) {
    List<AccessTotals> every = new ArrayList<>();
    if (need.bytes().equals(NeededBytes.runs(List.of()))) {
      return List.of(AccessTotals.NONE);
    }
    every.add(new ChunkAccess.WholeObject(need).totals(model, 0));
    List<ByteRange.Bounded> exact = List.of(ByteRange.of(0, need.objectBytes().getAsLong()));
    if (need.bytes() instanceof NeededBytes.Runs) {
      exact = RangeMerge.merge(((NeededBytes.Runs) need.bytes()).parts(), GapRule.EXACT);
    }
    if (exact.size() <= 8) {
      for (int cuts = 0; cuts < 1 << (exact.size() - 1); cuts++) {
        List<ByteRange.Bounded> ranges = ExhaustiveOptimum.cut(exact, cuts);
        for (int parts = 1; parts <= 4; parts++) {
          every.add(
              new ChunkAccess.Ranges(need, ExhaustiveOptimum.divided(ranges, parts))
                  .totals(model, 0));
        }
      }
    }
    if (function) {
      need.sliceCall()
          .flatMap(model::calls)
          .ifPresent(calls -> every.add(new AccessTotals(0, 0, 0, 0, 0, calls)));
    }
    return every;
  }

  @Test
  void aMillionChunksArePlannedAtOnce() {
    Shape chunk = Shape.of(512, 512);
    CostModel model = new OverlapCostModel(StoreProfiles.of("s3.in-region"));
    CostPlanner planner = new CostPlanner(model, 0, false);
    IndexRange strided = new IndexRange(5, 511_990, 7);
    List<Hyperslab> slabs =
        List.of(
            Hyperslab.of(IndexRange.of(3, 511_997), IndexRange.of(100, 511_900)),
            Hyperslab.of(strided, IndexRange.of(100, 511_900)));
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (int round = 0; round < 3; round++) {
      for (Hyperslab slab : slabs) {
        long allocated = threads.getCurrentThreadAllocatedBytes();
        long start = System.nanoTime();
        GroupPlan plan = planner.planGroups(needs(Shape.of(512_000, 512_000), chunk, slab));
        double seconds = (System.nanoTime() - start) / 1e9;
        long bytes = threads.getCurrentThreadAllocatedBytes() - allocated;
        System.out.println("10^6 chunks: " + seconds + " s, " + bytes + " bytes allocated in all");
        assertThat(plan.totals().requests()).isEqualTo(1_000_000);
        assertThat(bytes).isLessThan(64 << 20);
        if (round > 0) {
          assertThat(seconds).isLessThan(0.5);
        }
      }
    }
  }

  private static List<NeedGroup> needs(Shape shape, Shape chunk, Hyperslab slab) {
    DataType type = new DataType.Int(32, true);
    ZarrArray array =
        ZarrArray.of(
            OBJECT,
            new ZarrArraySpec(
                type,
                shape,
                chunk,
                Optional.empty(),
                Compression.NONE,
                ZarrArraySpec.defaultFill(type),
                List.of("y", "x"),
                JsonNodeFactory.instance.objectNode()));
    return PlanEstimator.needs(array, Selection.of(slab), FixedPlanner.GET);
  }

  @Test
  void aBoxAcrossFourChunksTakesFourRanges() {
    Hyperslab box = Hyperslab.of(IndexRange.of(502, 523), IndexRange.of(1014, 1035));
    for (String name : List.of("s3.in-region", "s3.wan", "gcs.wan", "azure-dfs.wan", "local")) {
      CostModel model = new OverlapCostModel(StoreProfiles.of(name));
      GroupPlan plan =
          new CostPlanner(model, 0, false)
              .planGroups(needs(Shape.of(8192, 8192), Shape.of(512, 512), box));
      assertThat(plan.totals().requests()).as(name).isEqualTo(4);
      assertThat(plan.totals().bytes()).as(name).isLessThan(200_000);
    }
  }

  @Test
  void largeObjectsAreDividedForParallelStreams() {
    CostModel model = new OverlapCostModel(StoreProfiles.of("s3.in-region"));
    CostPlanner planner = new CostPlanner(model, 0, false);
    ObjectNeed large = new ObjectNeed(OBJECT, OptionalLong.of(256L << 20), NeededBytes.WHOLE);
    AccessPlan plan = planner.plan(List.of(large));
    assertThat(plan.requests()).isBetween(8L, 64L);
    assertThat(plan.bytesToMove()).isEqualTo(256L << 20);
    ObjectNeed unknown = new ObjectNeed(OBJECT, OptionalLong.empty(), NeededBytes.WHOLE);
    assertThat(planner.plan(List.of(unknown)).accesses().get(0).requests())
        .containsExactly(ByteRange.WHOLE);
  }

  @Test
  void theCheaperAPlanTheSlowerItMayBe() {
    ByteRuns columns =
        ByteRuns.of(
            ElementRuns.of(
                Hyperslab.of(IndexRange.of(0, 2048), IndexRange.of(0, 20)), Shape.of(2048, 2048)),
            4,
            0);
    ObjectNeed need =
        new ObjectNeed(OBJECT, OptionalLong.of(16 << 20), NeededBytes.runs(List.of(columns)));
    CostModel wan = new OverlapCostModel(StoreProfiles.of("s3.wan"));
    double before = -1;
    double dollars = Double.MAX_VALUE;
    for (double phi : PHIS) {
      AccessPlan plan = new CostPlanner(wan, phi, true).plan(List.of(need));
      double seconds = wan.cost(plan.totals(wan, 0)).seconds();
      assertThat(wan.cost(plan.totals(wan, 0)).dollars()).isLessThanOrEqualTo(dollars);
      dollars = wan.cost(plan.totals(wan, 0)).dollars();
      assertThat(seconds).isGreaterThanOrEqualTo(before * (1 - 1e-9));
      before = seconds;
    }
  }
}
