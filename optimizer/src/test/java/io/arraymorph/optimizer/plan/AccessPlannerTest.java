package io.arraymorph.optimizer.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.ElementRuns;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.RandomArrays;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Shape;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.PrimitiveIterator;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AccessPlannerTest {
  private static final StorePath OBJECT = new StorePath(new MemoryObjectStore("plans"), "a/c/0/0");
  private static final List<AccessPlanner> PLANNERS =
      List.of(
          GapPlanner.DEFAULT,
          new GapPlanner(3, 40, 4, 50, 20),
          FixedPlanner.GET,
          FixedPlanner.RANGE,
          FixedPlanner.MERGE);

  @Test
  void plansCoverTheNeededBytesAndRangePlansNothingElse() {
    for (long seed = 0; seed < 3_000; seed++) {
      Random random = new Random(seed);
      Shape shape = RandomArrays.shape(random, 4, 6);
      int width = 1 + random.nextInt(8);
      long offset = random.nextInt(50);
      List<ByteRuns> parts = new ArrayList<>();
      BitSet needed = new BitSet();
      for (int i = random.nextInt(4); i >= 0; i--) {
        Hyperslab slab = RandomArrays.hyperslab(random, shape);
        if (!slab.isEmpty()) {
          parts.add(ByteRuns.of(ElementRuns.of(slab, shape), width, offset));
        }
        for (List<Long> element : RandomArrays.elements(slab)) {
          int at = (int) (offset + RandomArrays.position(element, shape) * width);
          needed.set(at, at + width);
        }
      }
      int size = (int) (offset + shape.elementCount() * width);
      OptionalLong known = random.nextBoolean() ? OptionalLong.of(size) : OptionalLong.empty();
      ObjectNeed need = new ObjectNeed(OBJECT, known, NeededBytes.runs(parts));
      for (AccessPlanner planner : PLANNERS) {
        String seedText = "seed " + seed + ", planner " + planner + ", parts " + parts;
        AccessPlan plan = planner.plan(List.of(need));
        assertThat(plan.accesses()).as(seedText).hasSize(1);
        ChunkAccess access = plan.accesses().get(0);
        BitSet moved = new BitSet();
        long previousEnd = -1;
        for (ByteRange range : access.requests()) {
          if (range instanceof ByteRange.Bounded) {
            ByteRange.Bounded bounded = (ByteRange.Bounded) range;
            assertThat(bounded.start()).as(seedText).isGreaterThanOrEqualTo(previousEnd);
            previousEnd = bounded.end();
            moved.set((int) bounded.start(), (int) bounded.end());
          } else {
            moved.set(0, size);
          }
        }
        BitSet missed = (BitSet) needed.clone();
        missed.andNot(moved);
        assertThat(missed.isEmpty()).as(seedText).isTrue();
        if (planner == FixedPlanner.RANGE) {
          assertThat(moved).as(seedText).isEqualTo(needed);
        }
        if (planner == FixedPlanner.MERGE) {
          assertThat(access.requests()).as(seedText).hasSizeLessThanOrEqualTo(1);
        }
        if (needed.isEmpty()) {
          assertThat(access).as(seedText).isInstanceOf(ChunkAccess.Fill.class);
        }
      }
    }
  }

  @Test
  void aSmallBoxTakesOneCoveringRangeOfEachChunk() {
    Shape chunk = Shape.of(512, 512);
    RegularChunkGrid grid = new RegularChunkGrid(Shape.of(8192, 8192), chunk);
    Hyperslab box = Hyperslab.of(IndexRange.of(502, 523), IndexRange.of(1014, 1035));
    List<ObjectNeed> needs = new ArrayList<>();
    ChunkSelections.of(grid, box)
        .forEach(
            part -> {
              ByteRuns runs = ByteRuns.of(ElementRuns.of(part.within(), chunk), 4, 0);
              needs.add(
                  new ObjectNeed(
                      OBJECT, OptionalLong.of(1 << 20), NeededBytes.runs(List.of(runs))));
            });
    AccessPlan plan = GapPlanner.DEFAULT.plan(needs);
    assertThat(plan.requests()).isEqualTo(4);
    assertThat(plan.bytesNeeded()).isEqualTo(21 * 21 * 4);
    assertThat(plan.bytesToMove()).isEqualTo(77_992);
    assertThat(plan.explain())
        .startsWith("planner gap: 4 objects, 4 requests {ranges=4}")
        .contains("1764 needed")
        .contains("a/c/0/0: ranges [");
  }

  @Test
  void cutsGapsThatCostMoreThanARequest() {
    ByteRuns far = ByteRuns.of(10_000_000, 10_000_100);
    ByteRuns near = ByteRuns.of(0, 100);
    ObjectNeed need =
        new ObjectNeed(OBJECT, OptionalLong.empty(), NeededBytes.runs(List.of(far, near)));
    assertThat(GapPlanner.DEFAULT.plan(List.of(need)).accesses().get(0).requests())
        .containsExactly(ByteRange.of(0, 100), ByteRange.of(10_000_000, 10_000_100));
  }

  @Test
  void splitsLargeObjectsForParallelStreams() {
    long size = (40L << 20) + 5;
    ObjectNeed need = new ObjectNeed(OBJECT, OptionalLong.of(size), NeededBytes.WHOLE);
    List<ByteRange> parts = GapPlanner.DEFAULT.plan(List.of(need)).accesses().get(0).requests();
    assertThat(parts).hasSize(6);
    assertThat(FixedPlanner.GET.plan(List.of(need)).accesses().get(0).requests())
        .containsExactly(ByteRange.WHOLE);
    ObjectNeed unknown = new ObjectNeed(OBJECT, OptionalLong.empty(), NeededBytes.WHOLE);
    assertThat(GapPlanner.DEFAULT.plan(List.of(unknown)).accesses().get(0).requests())
        .containsExactly(ByteRange.WHOLE);
  }

  @Test
  void readsAlongLargerGapsRatherThanListingTooManyRanges() {
    Shape shape = Shape.of(1L << 21, 1L << 21);
    Hyperslab column = Hyperslab.of(IndexRange.of(0, 1L << 21), IndexRange.single(0));
    ByteRuns runs = ByteRuns.of(ElementRuns.of(column, shape), 8, 0);
    ObjectNeed need = new ObjectNeed(OBJECT, OptionalLong.empty(), NeededBytes.runs(List.of(runs)));
    GapPlanner cover = new GapPlanner(64 << 10, 1 << 20, 256, Long.MAX_VALUE, 8 << 20);
    assertThat(cover.plan(List.of(need)).requests()).isEqualTo(1);
    assertThatThrownBy(() -> FixedPlanner.RANGE.plan(List.of(need)))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("ARRAYMORPH_TOO_LARGE");
  }

  @Test
  void plansAMillionObjectsInLittleTime() {
    Hyperslab rows = Hyperslab.of(IndexRange.of(3, 500), IndexRange.of(7, 30));
    ByteRuns runs = ByteRuns.of(ElementRuns.of(rows, Shape.of(512, 512)), 4, 0);
    ObjectNeed need =
        new ObjectNeed(OBJECT, OptionalLong.of(1 << 20), NeededBytes.runs(List.of(runs)));
    long requests = 0;
    long start = System.nanoTime();
    for (int i = 0; i < 1_000_000; i++) {
      requests += GapPlanner.DEFAULT.plan(List.of(need)).requests();
    }
    assertThat(requests).isEqualTo(1_000_000);
    assertThat((System.nanoTime() - start) / 1e9).isLessThan(20);
  }

  @Test
  void plannersHaveNames() {
    for (String name : List.of("auto", "get", "range", "merge", "paper")) {
      assertThat(AccessPlanner.named(name).label()).isEqualTo(name);
    }
    assertThatThrownBy(() -> AccessPlanner.named("best"))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("ARRAYMORPH_INVALID_OPTION")
        .hasMessageContaining("'best'");
  }

  @Test
  void byteRunsKnowTheirExtent() {
    Hyperslab slab = Hyperslab.of(IndexRange.of(1, 3), IndexRange.of(2, 4));
    ByteRuns runs = ByteRuns.of(ElementRuns.of(slab, Shape.of(4, 5)), 2, 100);
    assertThat(runs.first()).isEqualTo(114);
    assertThat(runs.end()).isEqualTo(128);
    assertThat(runs.byteCount()).isEqualTo(8);
    List<Long> starts = new ArrayList<>();
    for (PrimitiveIterator.OfLong it = runs.starts(); it.hasNext(); ) {
      starts.add(it.nextLong());
    }
    assertThat(starts).containsExactly(114L, 124L);
  }
}
