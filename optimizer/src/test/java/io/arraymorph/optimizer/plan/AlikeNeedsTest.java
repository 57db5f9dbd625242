package io.arraymorph.optimizer.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.cost.OverlapCostModel;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Shards of which nearly the same is needed are planned as one. */
class AlikeNeedsTest {
  private static final StorePath ROOT = new StorePath(new MemoryObjectStore("alike"), "a");

  /** Inner chunks of about a length, some of which are needed; lengths differ by a thousandth. */
  private static List<ObjectNeed> shards(Random random, int count) {
    long length = 1000L + random.nextInt(20000);
    int inner = 1 + random.nextInt(64);
    boolean[] needed = new boolean[inner];
    needed[random.nextInt(inner)] = true;
    double share = random.nextDouble();
    for (int i = 0; i < inner; i++) {
      needed[i] |= random.nextDouble() < share;
    }
    List<ObjectNeed> shards = new ArrayList<>();
    for (int shard = 0; shard < count; shard++) {
      List<ByteRuns> runs = new ArrayList<>();
      long at = 0;
      for (int i = 0; i < inner; i++) {
        long bytes = length + random.nextInt((int) (length / 1000));
        if (needed[i]) {
          runs.add(ByteRuns.of(at, at + bytes));
        }
        at += bytes;
      }
      StorePath object = ROOT.resolve("c/" + shard);
      shards.add(new ObjectNeed(object, OptionalLong.empty(), NeededBytes.runs(runs)));
    }
    return shards;
  }

  private static void assertCovers(ChunkAccess access, ObjectNeed need) {
    assertThat(access.need()).isEqualTo(need);
    long before = -1;
    for (ByteRange range : access.requests()) {
      assertThat(((ByteRange.Bounded) range).start()).isGreaterThanOrEqualTo(before);
      before = ((ByteRange.Bounded) range).end();
    }
    for (ByteRuns part : ((NeededBytes.Runs) need.bytes()).parts()) {
      long at = part.first();
      for (ByteRange range : access.requests()) {
        ByteRange.Bounded bounded = (ByteRange.Bounded) range;
        at = bounded.start() <= at ? Math.max(at, bounded.end()) : at;
      }
      assertThat(at).as("%s of %s", access, need).isGreaterThanOrEqualTo(part.end());
    }
  }

  @Test
  void plansCoverWhatIsNeededAndCostLittleMoreThanIfEachShardWerePlannedForItself() {
    long seeds = System.nanoTime();
    for (String name : List.of("s3.in-region", "s3.wan", "gcs.wan", "azure-blob.in-region")) {
      CostModel model = new OverlapCostModel(StoreProfiles.of(name));
      double sum = 0;
      double sumInTurn = 0;
      double most = 0;
      int plans = 100;
      for (long seed = seeds; seed < seeds + plans; seed++) {
        Random random = new Random(seed);
        double phi = random.nextBoolean() ? 0 : random.nextInt(100);
        CostPlanner planner = new CostPlanner(model, phi, false);
        List<ObjectNeed> shards = shards(random, 2 + random.nextInt(12));

        AccessPlan plan = planner.planSome(shards, shards.size());

        for (int i = 0; i < shards.size(); i++) {
          assertCovers(plan.accesses().get(i), shards.get(i));
        }
        double each = CostPlannerTest.cost(planner.plan(shards), model, phi);
        AccessPlan oneByOne = inTurn(planner, shards);
        double later = CostPlannerTest.cost(oneByOne, model, phi) / each;
        assertThat(later).as("%s in turn, seed %s", name, seed).isLessThan(1.15);
        sumInTurn += later;
        double dearer = CostPlannerTest.cost(plan, model, phi) / each;
        assertThat(dearer).as("%s, seed %s of %s", name, seed, shards.size()).isLessThan(1.15);
        most = Math.max(most, dearer);
        sum += dearer;
      }
      System.out.println(name + ": mean " + sum / plans + ", most " + most + ", from " + seeds);
      assertThat(sum / plans).as("%s from seed %s", name, seeds).isLessThan(1.01);
      assertThat(sumInTurn / plans).as("%s in turn from %s", name, seeds).isLessThan(1.01);
    }
  }

  /** As shards are planned whose indexes come one after the other. */
  private static AccessPlan inTurn(CostPlanner planner, List<ObjectNeed> shards) {
    AlikePlans before = new AlikePlans();
    List<ChunkAccess> accesses = new ArrayList<>();
    for (ObjectNeed shard : shards) {
      List<ChunkAccess> next = planner.planNext(List.of(shard), shards.size(), before).accesses();
      assertThat(next).hasSize(1);
      assertCovers(next.get(0), shard);
      accesses.addAll(next);
    }
    assertThat(accesses.stream().map(access -> access.requests().size()).distinct()).hasSize(1);
    return new AccessPlan("in turn", accesses);
  }

  @Test
  void onlyObjectsLikeThoseBeforeAreReadLikeThem() {
    CostPlanner planner =
        new CostPlanner(new OverlapCostModel(StoreProfiles.of("s3.in-region")), 0, false);
    AlikePlans before = new AlikePlans();
    ObjectNeed first = runs("a", 0, 10_000, 5_000_000, 5_010_000);
    ObjectNeed like = runs("b", 0, 10_010, 5_000_010, 5_010_001);
    ObjectNeed other = runs("c", 0, 10_000, 10_000, 20_000);

    ChunkAccess way = planner.planNext(List.of(first), 3, before).accesses().get(0);
    List<ChunkAccess> next = planner.planNext(List.of(other, like), 3, before).accesses();

    assertThat(way.requests()).hasSize(2);
    assertThat(next.get(0)).isEqualTo(planner.planSome(List.of(other), 3).accesses().get(0));
    assertThat(next.get(0).need()).isEqualTo(other);
    assertThat(next.get(1))
        .isEqualTo(
            new ChunkAccess.Ranges(
                like, List.of(ByteRange.of(0, 10_010), ByteRange.of(5_000_010, 5_010_001))));
    // Of many more objects another plan may be best.
    assertThat(before.access(like, 3)).isPresent();
    assertThat(before.access(like, 300)).isEmpty();
  }

  private static ObjectNeed runs(String name, long... bounds) {
    List<ByteRuns> runs = new ArrayList<>();
    for (int i = 0; i < bounds.length; i += 2) {
      runs.add(ByteRuns.of(bounds[i], bounds[i + 1]));
    }
    return new ObjectNeed(ROOT.resolve(name), OptionalLong.empty(), NeededBytes.runs(runs));
  }

  /** What is executed: plans of some objects, shards among them, also half in memory. */
  @Test
  void plansOfSomeCostNoMoreThanThoseOfAnyOtherPlanner() {
    long seeds = System.nanoTime();
    for (long seed = seeds; seed < seeds + 600; seed++) {
      Random random = new Random(seed);
      CostModel model = CostPlannerTest.model(random);
      double phi = CostPlannerTest.PHIS[random.nextInt(CostPlannerTest.PHIS.length)];
      boolean function = random.nextInt(3) == 0;
      CostPlanner planner = new CostPlanner(model, phi, function);
      List<ObjectNeed> needs = new ArrayList<>();
      if (random.nextInt(4) > 0) {
        needs.addAll(shards(random, 1 + random.nextInt(12)));
      }
      if (needs.isEmpty() || random.nextInt(3) == 0) {
        needs.addAll(CostPlannerTest.needs(random, 1 + random.nextInt(6), 9, 3));
      }
      if (random.nextBoolean()) {
        needs = CachedCostTest.warmed(random, needs);
      }
      List<AccessPlanner> others = new ArrayList<>(List.of(FixedPlanner.values()));
      others.add(GapPlanner.DEFAULT);
      others.add(new PaperPlanner(model, phi, function));
      if (function) {
        others.add(new FunctionPlanner(model));
      }
      long of = needs.size() * (random.nextBoolean() ? 1L : 1L + random.nextInt(20));
      double factor = (double) of / needs.size();
      double indexBytes = 1 << random.nextInt(16);
      IndexedPlans indexed = new IndexedPlans(planner, (long) indexBytes);
      AccessPlan ours = planner.planSome(needs, of);
      AccessPlan oursIndexed = planner.planIndexed(needs, (long) indexBytes);
      for (AccessPlanner other : others) {
        AccessPlan plan = other.plan(needs);
        if (!plan.isWeighable()) {
          continue; // Nobody knows what it costs.
        }
        String as = String.format("seed %s, %s, phi %s, %s", seed, model, phi, other.label());
        assertThat(weighted(ours, model, phi, factor))
            .as("%s of %s objects", as, of)
            .isLessThanOrEqualTo(weighted(plan, model, phi, factor) * (1 + 1e-9));
        if (function && other != FixedPlanner.GET && !(other instanceof PaperPlanner)) {
          assertThat(indexed.cost(GroupPlan.of(oursIndexed, model)))
              .as("%s, indexes of %s bytes", as, indexBytes)
              .isLessThanOrEqualTo(indexed.cost(GroupPlan.of(plan, model)) * (1 + 1e-9));
        }
      }
    }
  }

  private static double weighted(AccessPlan plan, CostModel model, double phi, double factor) {
    return model.cost(plan.totals(model, GroupPlan.UNKNOWN_BYTES).times(factor)).weighted(phi);
  }

  @Test
  void rangesAreThoseOfTheSameParts() {
    Random random = new Random(7);
    List<ObjectNeed> shards = shards(random, 5);
    AlikeNeeds alike = AlikeNeeds.of(shards).orElseThrow();
    assertThat(alike.groups(5).stream().map(NeedGroup::objects).collect(Collectors.toList()))
        .containsExactly(5L);
    List<ByteRuns> parts = ((NeededBytes.Runs) shards.get(0).bytes()).parts();
    ChunkAccess all =
        new ChunkAccess.Ranges(
            shards.get(0),
            List.of(ByteRange.of(parts.get(0).first(), parts.get(parts.size() - 1).end())));
    List<ChunkAccess> accesses = alike.accesses(List.of(all)).orElseThrow();
    for (int i = 0; i < 5; i++) {
      List<ByteRuns> own = ((NeededBytes.Runs) shards.get(i).bytes()).parts();
      assertThat(accesses.get(i).requests())
          .containsExactly(ByteRange.of(own.get(0).first(), own.get(own.size() - 1).end()));
    }
  }

  @Test
  void needsThatDifferAreNotPlannedAsOne() {
    Random random = new Random(3);
    List<ObjectNeed> needs = new ArrayList<>(shards(random, 1));
    needs.addAll(shards(random, 1));
    assertThat(AlikeNeeds.of(needs)).isEmpty();
    List<ObjectNeed> whole =
        List.of(
            new ObjectNeed(ROOT.resolve("1"), OptionalLong.empty(), NeededBytes.WHOLE),
            new ObjectNeed(ROOT.resolve("2"), OptionalLong.empty(), NeededBytes.WHOLE));
    assertThat(AlikeNeeds.of(whole)).isEmpty();
  }
}
