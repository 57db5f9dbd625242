package io.arraymorph.optimizer.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.optimizer.cost.OverlapCostModel;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ExactSearchTest {
  private static final StorePath OBJECT = new StorePath(new MemoryObjectStore("plans"), "a/c/0");
  private static final CostPlanner PLANNER =
      new CostPlanner(new OverlapCostModel(StoreProfiles.of("s3.in-region")), 0, true);

  /** Needs some runs of a mebibyte, each followed by as long a gap. */
  private static ObjectNeed need(int runs) {
    List<ByteRuns> parts = new ArrayList<>();
    for (long i = 0; i < runs; i++) {
      parts.add(ByteRuns.of(i << 21, (i << 21) + (1 << 20)));
    }
    return new ObjectNeed(OBJECT, OptionalLong.of((long) runs << 21), NeededBytes.runs(parts));
  }

  private static int looks(List<NeedGroup> groups) {
    GroupPlan plan = PLANNER.searchedGroups(groups);
    ExactSearch search = new ExactSearch(PLANNER, groups, 0);
    GroupPlan found = search.cheaper(plan);
    assertThat(found.cost().weighted(0)).isLessThanOrEqualTo(plan.cost().weighted(0));
    return search.looks();
  }

  @Test
  void manyObjectsOrRunsAreNotLookedAt() {
    assertThat(looks(List.of(new NeedGroup(need(2), 8)))).isPositive();
    assertThat(looks(List.of(new NeedGroup(need(2), 65)))).isZero();
    assertThat(looks(List.of(new NeedGroup(need(2), 1_000_000)))).isZero();
    assertThat(looks(List.of(new NeedGroup(need(49), 1)))).isZero();
    assertThat(looks(List.of(new NeedGroup(need(4), 50)))).isZero();
    assertThat(looks(Collections.nCopies(65, new NeedGroup(need(2), 1)))).isZero();
  }

  @Test
  void costsAreAskedForSomeThousandTimesAtMost() {
    for (long seed = 0; seed < 1_500; seed++) {
      PlanInstance instance = PlanInstance.of(seed);
      List<NeedGroup> groups =
          instance.needs().stream().map(need -> new NeedGroup(need, 1)).toList();
      CostPlanner planner = instance.planner();
      ExactSearch search = new ExactSearch(planner, groups, instance.indexBytes());
      search.cheaper(planner.searchedGroups(groups));
      assertThat(search.looks()).as("seed %s: %s", seed, instance).isLessThan(8_000);
    }
  }

  @Test
  void plansHaveAllThatIsNeededAndNothingTwice() {
    int found = 0;
    for (long seed = 0; seed < 3_000; seed++) {
      PlanInstance instance = PlanInstance.of(seed);
      List<NeedGroup> groups =
          instance.needs().stream().map(need -> new NeedGroup(need, 1)).toList();
      // Dearer than what is searched for, so that it is found in most instances.
      List<GroupPlan.Part> parts = new ArrayList<>();
      for (ObjectNeed need : instance.needs()) {
        ChunkAccess access = FixedPlanner.RANGE.plan(List.of(need)).accesses().get(0);
        parts.add(new GroupPlan.Part(parts.size(), access, 1));
      }
      GroupPlan dear = GroupPlan.of("dear", parts, instance.model());
      GroupPlan plan =
          new ExactSearch(instance.planner(), groups, instance.indexBytes()).cheaper(dear);
      found += plan.equals(dear) ? 0 : 1;
      for (int i = 0; i < groups.size(); i++) {
        assertThat(plan.parts().get(i).group()).as("seed %s", seed).isEqualTo(i);
        check(seed, groups.get(i).need(), plan.parts().get(i).access());
      }
    }
    assertThat(found).isGreaterThan(1_000);
  }

  private static void check(long seed, ObjectNeed need, ChunkAccess access) {
    assertThat(access.need()).as("seed %s", seed).isSameAs(need);
    if (!(access instanceof ChunkAccess.Ranges)) {
      return;
    }
    long before = 0;
    long got = 0;
    List<ByteRange.Bounded> needed =
        need.bytes() instanceof NeededBytes.Runs
            ? RangeMerge.merge(((NeededBytes.Runs) need.bytes()).parts(), GapRule.EXACT)
            : List.of(ByteRange.of(0, need.objectBytes().orElseThrow()));
    for (ByteRange.Bounded range : ((ChunkAccess.Ranges) access).ranges()) {
      assertThat(range.start()).as("seed %s: %s", seed, access).isGreaterThanOrEqualTo(before);
      before = range.end();
      for (ByteRange.Bounded run : needed) {
        long start = Math.max(run.start(), range.start());
        got += Math.max(0, Math.min(run.end(), range.end()) - start);
      }
    }
    assertThat(got)
        .as("seed %s: %s", seed, access)
        .isEqualTo(needed.stream().mapToLong(ByteRange.Bounded::length).sum());
  }
}
