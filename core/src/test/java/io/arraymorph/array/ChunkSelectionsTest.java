package io.arraymorph.array;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ChunkSelectionsTest {

  @Test
  void cutsEverySelectionExactlyAtChunkEdges() {
    for (long seed = 0; seed < 6_000; seed++) {
      Random random = new Random(seed);
      Shape shape = RandomArrays.shape(random, 5, seed % 2 == 0 ? 5 : 3);
      ChunkGrid grid = RandomArrays.grid(random, shape);
      OrthogonalSelection selection =
          random.nextBoolean()
              ? OrthogonalSelection.of(RandomArrays.hyperslab(random, shape))
              : RandomArrays.orthogonal(random, shape);
      String seedText = "seed " + seed + ": " + selection + " on " + grid;

      Set<List<Long>> expected = new HashSet<>();
      selection.hyperslabs().forEach(slab -> expected.addAll(RandomArrays.elements(slab)));
      List<List<Long>> found = new ArrayList<>();
      Set<ChunkCoordinates> chunks = new HashSet<>();
      ChunkCoordinates previous = null;
      for (ChunkSelection part : ChunkSelections.of(grid, selection)) {
        assertThat(part.within().isEmpty()).as(seedText).isFalse();
        if (previous != null) {
          assertThat(previous.compareTo(part.chunk())).as(seedText).isLessThanOrEqualTo(0);
        }
        previous = part.chunk();
        chunks.add(part.chunk());
        Hyperslab box = grid.chunkBox(part.chunk());
        List<List<Long>> within = RandomArrays.elements(part.within());
        List<List<Long>> absolute = RandomArrays.elements(part.absolute());
        assertThat(within).as(seedText).hasSameSizeAs(absolute);
        for (int i = 0; i < within.size(); i++) {
          for (int d = 0; d < shape.rank(); d++) {
            assertThat(within.get(i).get(d) + box.range(d).start())
                .as(seedText)
                .isEqualTo(absolute.get(i).get(d));
            assertThat(box.range(d).contains(absolute.get(i).get(d))).as(seedText).isTrue();
          }
        }
        found.addAll(absolute);
      }
      assertThat(found).as(seedText).doesNotHaveDuplicates();
      assertThat(new HashSet<>(found)).as(seedText).isEqualTo(expected);
      assertThat(ChunkSelections.touchedChunks(grid, selection))
          .as(seedText)
          .isEqualTo(chunks.size());
    }
  }

  @Test
  void countsChunksOfSeveralPartsOnce() {
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      Shape shape = RandomArrays.shape(random, 3, 8);
      ChunkGrid grid = RandomArrays.grid(random, shape);
      Selection selection =
          Selection.of(
              shape.rank(),
              List.of(
                  RandomArrays.orthogonal(random, shape), RandomArrays.orthogonal(random, shape)));
      Set<ChunkCoordinates> chunks = new HashSet<>();
      ChunkSelections.of(grid, selection).forEach(part -> chunks.add(part.chunk()));
      assertThat(ChunkSelections.touchedChunks(grid, selection))
          .as("seed " + seed)
          .isEqualTo(chunks.size());
    }
  }

  @Test
  void isLazyAndCountsWithoutEnumeratingOnHugeGrids() {
    Shape shape = Shape.of(10_000_000_000L, 1_000_000);
    ChunkGrid grid = new RegularChunkGrid(shape, Shape.of(10_000, 1_000));
    assertThat(ChunkSelections.touchedChunks(grid, Hyperslab.all(shape))).isEqualTo(1_000_000_000);
    Hyperslab strided =
        Hyperslab.of(new IndexRange(5, 9_999_999_999L, 7), new IndexRange(999, 1_000_000, 2_000));
    assertThat(ChunkSelections.touchedChunks(grid, strided)).isEqualTo(500_000_000);
    Iterator<ChunkSelection> parts = ChunkSelections.of(grid, Hyperslab.all(shape)).iterator();
    parts.next();
    assertThat(parts.next().chunk()).isEqualTo(ChunkCoordinates.of(0, 1));
  }

  @Test
  void aScalarHasOneChunk() {
    ChunkGrid grid = new RegularChunkGrid(Shape.of(), Shape.of());
    assertThat(ChunkSelections.of(grid, Hyperslab.of()))
        .containsExactly(new ChunkSelection(ChunkCoordinates.of(), Hyperslab.of(), Hyperslab.of()));
  }
}
