package io.arraymorph.optimizer.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.RandomArrays;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class TouchedChunksTest {
  /** The parts that touch each chunk, chunk by chunk. */
  private static Map<ChunkCoordinates, SortedSet<Integer>> touching(
      ChunkGrid grid, Selection selection) {
    Map<ChunkCoordinates, SortedSet<Integer>> touching = new TreeMap<>();
    for (int i = 0; i < selection.parts().size(); i++) {
      int part = i;
      for (Hyperslab slab : ChunkSelections.touched(grid, selection.parts().get(i)).hyperslabs()) {
        RandomArrays.elements(slab)
            .forEach(
                at ->
                    touching
                        .computeIfAbsent(
                            ChunkCoordinates.of(at.stream().mapToLong(n -> n).toArray()),
                            chunk -> new TreeSet<>())
                        .add(part));
      }
    }
    return touching;
  }

  private static OrthogonalSelection box(Random random, long length, int most) {
    List<IndexRange> ranges = new ArrayList<>();
    for (int d = 0; d < 2; d++) {
      long start = random.nextInt((int) length);
      long stop = Math.min(length, start + 1 + random.nextInt(most));
      long stride = random.nextInt(3) == 0 ? 1L + random.nextInt(12) : 1;
      ranges.add(new IndexRange(start, stop, stride));
    }
    return OrthogonalSelection.of(Hyperslab.of(ranges));
  }

  private static void assertFound(ChunkGrid grid, Selection selection, String as) {
    Map<ChunkCoordinates, SortedSet<Integer>> expected = touching(grid, selection);
    TouchedChunks touched = new TouchedChunks(grid, selection);
    assertThat(touched.isKnown()).as(as).isTrue();
    assertThat(touched.count()).as(as).isEqualTo(expected.size());
    expected.values().removeIf(parts -> parts.size() < 2);
    assertThat(touched.shared()).as(as).isEqualTo(expected);
  }

  /** Of few boxes of many chunks pairs are compared, of many boxes of few chunks all is entered. */
  @Test
  void sharedChunksAreFoundBySweepAndByTable() {
    long first = System.nanoTime();
    System.out.println("seed " + first);
    int[] large = new int[2];
    for (long seed = first; seed < first + 150; seed++) {
      Random random = new Random(seed);
      long length = 400;
      // Never more chunks than are looked at.
      long chunk = 3L + random.nextInt(3);
      ChunkGrid grid = new RegularChunkGrid(Shape.of(length, length), Shape.of(chunk, chunk));
      boolean few = random.nextBoolean();
      List<OrthogonalSelection> boxes = new ArrayList<>();
      for (int i = 0; i < (few ? 6 : 100); i++) {
        boxes.add(box(random, length, few ? 300 : 20));
      }
      Selection selection = Selection.of(2, boxes);
      long entries =
          selection.parts().stream()
              .mapToLong(part -> ChunkSelections.touchedChunks(grid, part))
              .sum();
      large[entries > 1 << 12 ? 1 : 0]++;
      assertFound(grid, selection, "seed " + seed + ", " + selection);
    }
    assertThat(Math.min(large[0], large[1])).isGreaterThan(5);
  }

  /** Boxes along the diagonal of a plane, with all that is beside them along two others. */
  private static Selection diagonal(int first) {
    List<OrthogonalSelection> boxes = new ArrayList<>();
    for (long i = 0; i < 100; i++) {
      IndexRange[] ranges = new IndexRange[4];
      Arrays.fill(ranges, IndexRange.of(0, 1000));
      ranges[first] = IndexRange.of(10 * i, 10 * i + 9);
      ranges[first + 1] = IndexRange.of(10 * i + 1, 10 * i + 10);
      boxes.add(OrthogonalSelection.of(Hyperslab.of(ranges)));
    }
    return Selection.of(4, boxes);
  }

  @Test
  void boxesThatLieTooDenseForASweepAreEnteredInATable() {
    Selection boxes = diagonal(0).intersect(diagonal(2));
    assertThat(boxes.parts()).hasSize(10_000);
    ChunkGrid grid =
        new RegularChunkGrid(Shape.of(1000, 1000, 1000, 1000), Shape.of(27, 27, 27, 27));
    assertFound(grid, boxes, "diagonals");
  }

  @Test
  void whereTooManyAreSharedNoneIsAndAllAreCounted() {
    ChunkGrid grid = new RegularChunkGrid(Shape.of(30, 1_000_000), Shape.of(10, 10));
    OrthogonalSelection one =
        OrthogonalSelection.of(Hyperslab.box(new long[] {0, 0}, new long[] {3, 1_000_000}));
    OrthogonalSelection other =
        OrthogonalSelection.of(Hyperslab.box(new long[] {5, 0}, new long[] {8, 999_999}));
    TouchedChunks touched = new TouchedChunks(grid, Selection.of(2, List.of(one, other)));
    assertThat(touched.isKnown()).isFalse();
    assertThat(touched.isFew()).isFalse();
    assertThat(touched.shared()).isEmpty();
    assertThat(touched.count()).isEqualTo(100_000);
  }
}
