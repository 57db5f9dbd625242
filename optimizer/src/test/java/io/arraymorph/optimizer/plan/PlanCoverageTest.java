package io.arraymorph.optimizer.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.RandomArrays;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.store.ByteRange;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Plans of all planners fetch exactly what is selected: every selected byte, none to the same place
 * twice, and none beyond an object's end.
 */
class PlanCoverageTest {
  private static final int PLANS = 600;

  /** Plans of an instance by each planner, by name. */
  private static Map<String, AccessPlan> plans(PlanInstance instance, Random random) {
    List<ObjectNeed> needs = instance.needs();
    CostPlanner ours = instance.planner();
    Map<String, AccessPlan> plans = new HashMap<>();
    plans.put("auto", ours.plan(needs));
    plans.put("auto with indexes", ours.planIndexed(needs, 1L << random.nextInt(20)));
    plans.put("auto for some", ours.planSome(needs, needs.size() + random.nextInt(100)));
    AlikePlans before = new AlikePlans();
    List<ChunkAccess> inTurn = new ArrayList<>();
    for (ObjectNeed need : needs) {
      inTurn.addAll(ours.planNext(List.of(need), needs.size(), before).accesses());
    }
    plans.put("auto in turn", new AccessPlan("auto", inTurn));
    List<NeedGroup> groups = needs.stream().map(need -> new NeedGroup(need, 3)).toList();
    List<ChunkAccess> grouped = new ArrayList<>();
    for (GroupPlan.Part part : ours.planGroups(groups).parts()) {
      if (grouped.size() == part.group()) {
        grouped.add(part.access());
      }
    }
    // A group of which only some objects are left to the function has two parts.
    plans.put("auto by groups", new AccessPlan("auto", grouped));
    for (FixedPlanner planner : FixedPlanner.values()) {
      plans.put(planner.label(), planner.plan(needs));
    }
    plans.put("gap", GapPlanner.DEFAULT.plan(needs));
    long gap = 1L << random.nextInt(26);
    long most = needs.stream().mapToLong(need -> need.assumedBytes(0)).max().orElseThrow();
    long split = 2 + most / (1 + random.nextInt(100));
    plans.put(
        "gap " + gap,
        new GapPlanner(gap, 4 * gap, 1 + random.nextInt(50), split, split / 2).plan(needs));
    plans.put(
        "paper",
        new PaperPlanner(instance.model(), instance.phi(), instance.function()).plan(needs));
    if (instance.function()) {
      plans.put("lambda", new FunctionPlanner(instance.model()).plan(needs));
    }
    return plans;
  }

  @Test
  void plansOfAllPlannersFetchWhatIsNeededOnceAndNothingBeyondTheEnd() {
    int calls = 0;
    for (long seed = 0; seed < PLANS; seed++) {
      PlanInstance instance = PlanInstance.of(seed);
      for (Map.Entry<String, AccessPlan> plan : plans(instance, new Random(seed)).entrySet()) {
        List<ChunkAccess> accesses = plan.getValue().accesses();
        assertThat(accesses).hasSameSizeAs(instance.needs());
        for (int i = 0; i < accesses.size(); i++) {
          String as = "seed " + seed + ", planner " + plan.getKey() + ", object " + i;
          assertThat(accesses.get(i).need()).as(as).isSameAs(instance.needs().get(i));
          calls += check(accesses.get(i), as) ? 1 : 0;
        }
      }
    }
    assertThat(calls).isGreaterThan(PLANS / 20);
  }

  /** True if it is several calls of the function. */
  private static boolean check(ChunkAccess access, String as) {
    ObjectNeed need = access.need();
    assertThat(access instanceof ChunkAccess.Nothing).as(as).isEqualTo(need.isNothing());
    if (access instanceof ChunkAccess.Ranges) {
      checkRanges(((ChunkAccess.Ranges) access).ranges(), need, as);
    } else if (access instanceof ChunkAccess.SliceFunction && need.decoded().isEmpty()) {
      ChunkAccess.SliceFunction function = (ChunkAccess.SliceFunction) access;
      List<ByteRange.Bounded> answered = new ArrayList<>();
      function
          .dividedRuns()
          .forEach(call -> answered.addAll(RangeMerge.merge(call, GapRule.EXACT)));
      // Of the function comes what is needed and nothing else.
      assertThat(joined(answered, as)).as(as).isEqualTo(needed(need));
      assertThat(function.dividedRuns().size()).as(as).isBetween(1, function.calls());
      return function.calls() > 1;
    }
    return false;
  }

  private static List<ByteRange.Bounded> needed(ObjectNeed need) {
    return need.bytes() instanceof NeededBytes.Runs
        ? RangeMerge.merge(((NeededBytes.Runs) need.bytes()).parts(), GapRule.EXACT)
        : List.of(ByteRange.of(0, need.objectBytes().orElseThrow()));
  }

  /** The same bytes with ranges that touch joined; fails if a byte is in two. */
  private static List<ByteRange.Bounded> joined(List<ByteRange.Bounded> ranges, String as) {
    List<ByteRange.Bounded> joined = new ArrayList<>();
    for (ByteRange.Bounded range : ranges) {
      assertThat(range.length()).as(as).isPositive();
      ByteRange.Bounded before = joined.isEmpty() ? null : joined.get(joined.size() - 1);
      if (before != null) {
        assertThat(range.start()).as(as).isGreaterThanOrEqualTo(before.end());
      }
      if (before != null && before.end() == range.start()) {
        joined.set(joined.size() - 1, ByteRange.of(before.start(), range.end()));
      } else {
        joined.add(range);
      }
    }
    return joined;
  }

  private static void checkRanges(List<ByteRange.Bounded> ranges, ObjectNeed need, String as) {
    List<ByteRange.Bounded> fetched = joined(ranges, as);
    List<ByteRange.Bounded> needed = needed(need);
    int at = 0;
    for (ByteRange.Bounded part : needed) {
      while (at < fetched.size() && fetched.get(at).end() < part.end()) {
        at++;
      }
      assertThat(at).as("%s: %s of %s", as, part, ranges).isLessThan(fetched.size());
      assertThat(fetched.get(at).start()).as(as).isLessThanOrEqualTo(part.start());
    }
    // Nothing before the first and behind the last needed byte, so nothing beyond the end.
    assertThat(fetched.get(0).start()).as(as).isEqualTo(needed.get(0).start());
    assertThat(fetched.get(fetched.size() - 1).end())
        .as(as)
        .isEqualTo(needed.get(needed.size() - 1).end())
        .isLessThanOrEqualTo(need.objectBytes().orElse(Long.MAX_VALUE));
  }

  @Test
  void whatIsNeededOfObjectsAreTheBytesOfTheSelectedElements() {
    for (long seed = 0; seed < PLANS; seed++) {
      Random random = new Random(seed);
      ZarrArray array = PlanInstance.array(random, random.nextBoolean(), "none");
      Selection selection = PlanInstance.selection(random, array.grid().arrayShape());
      Map<ChunkCoordinates, BitSet> selected = selectedBytes(array, selection);
      for (PlannedChunk chunk : PlannedChunk.of(array, selection, FixedPlanner.RANGE, 1000)) {
        BitSet needed = new BitSet();
        for (ByteRange.Bounded range : needed(chunk.access().need())) {
          needed.set((int) range.start(), (int) range.end());
        }
        assertThat(needed)
            .as("seed %s, %s of %s", seed, selection, array)
            .isEqualTo(selected.remove(chunk.chunk()));
      }
      assertThat(selected).as("seed %s", seed).isEmpty();
    }
  }

  /**
   * The byte of each selected element, one by one, in a stored chunk or shard of single bytes. Of a
   * shard at the edge only the inner chunks are stored that have elements of the array.
   */
  private static Map<ChunkCoordinates, BitSet> selectedBytes(ZarrArray array, Selection selection) {
    Shape inner = array.readChunkShape();
    Map<ChunkCoordinates, BitSet> selected = new HashMap<>();
    for (Hyperslab slab : selection.hyperslabs()) {
      for (List<Long> element : RandomArrays.elements(slab)) {
        long[] chunk = new long[slab.rank()];
        long innerNumber = 0;
        long within = 0;
        for (int d = 0; d < chunk.length; d++) {
          chunk[d] = array.grid().chunkOf(d, element.get(d));
          long start = array.grid().chunkStart(d, chunk[d]);
          long inside =
              Math.min(
                  array.grid().chunkLength(d, chunk[d]),
                  array.grid().arrayShape().length(d) - start);
          long innerChunks = (inside + inner.length(d) - 1) / inner.length(d);
          long offset = element.get(d) - start;
          innerNumber = innerNumber * innerChunks + offset / inner.length(d);
          within = within * inner.length(d) + offset % inner.length(d);
        }
        selected
            .computeIfAbsent(ChunkCoordinates.of(chunk), ignored -> new BitSet())
            .set((int) (innerNumber * inner.elementCount() + within));
      }
    }
    return selected;
  }
}
