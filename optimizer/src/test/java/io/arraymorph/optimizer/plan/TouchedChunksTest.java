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

  /** Of few boxes of many chunks pairs are compared, of many boxes of few chunks all is entered. */
  @Test
  void sharedChunksAreFoundBySweepAndByTable() {
    long first = System.nanoTime();
    System.out.println("seed " + first);
    int[] large = new int[2];
    for (long seed = first; seed < first + 150; seed++) {
      Random random = new Random(seed);
      long length = 400;
      long chunk = 2L + random.nextInt(4);
      ChunkGrid grid = new RegularChunkGrid(Shape.of(length, length), Shape.of(chunk, chunk));
      boolean few = random.nextBoolean();
      List<OrthogonalSelection> boxes = new ArrayList<>();
      for (int i = 0; i < (few ? 6 : 100); i++) {
        boxes.add(box(random, length, few ? 300 : 20));
      }
      Selection selection = Selection.of(2, boxes);
      Map<ChunkCoordinates, SortedSet<Integer>> expected = touching(grid, selection);
      long entries = expected.values().stream().mapToLong(parts -> parts.size()).sum();
      large[entries > 1 << 12 ? 1 : 0]++;
      TouchedChunks touched = new TouchedChunks(grid, selection);
      String as = "seed " + seed + ", " + selection;
      assertThat(touched.isKnown()).as(as).isTrue();
      assertThat(touched.count()).as(as).isEqualTo(expected.size());
      expected.values().removeIf(parts -> parts.size() < 2);
      assertThat(touched.shared()).as(as).isEqualTo(expected);
    }
    assertThat(Math.min(large[0], large[1])).isGreaterThan(5);
  }
}
