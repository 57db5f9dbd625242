package io.arraymorph.optimizer.plan;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.OrthogonalSelection;
import java.util.function.BiConsumer;

/** Visits the chunks that a selection touches one by one, each with what is selected of it. */
final class EachChunk {
  private final ChunkGrid grid;
  private final OrthogonalSelection selection;
  private final BiConsumer<ChunkCoordinates, OrthogonalSelection> visitor;

  private EachChunk(
      ChunkGrid grid,
      OrthogonalSelection selection,
      BiConsumer<ChunkCoordinates, OrthogonalSelection> visitor) {
    this.grid = grid;
    this.selection = selection;
    this.visitor = visitor;
  }

  /**
   * Visits all touched chunks in grid order.
   *
   * @param visitor is given the selected elements in indices of the array
   */
  static void of(
      ChunkGrid grid,
      OrthogonalSelection selection,
      BiConsumer<ChunkCoordinates, OrthogonalSelection> visitor) {
    OrthogonalSelection chunks = ChunkSelections.touched(grid, selection);
    if (chunks.isEmpty()) {
      return;
    }
    EachChunk each = new EachChunk(grid, selection, visitor);
    for (Hyperslab slab : chunks.hyperslabs()) {
      each.visit(slab, 0, new long[slab.rank()]);
    }
  }

  private void visit(Hyperslab slab, int dimension, long[] at) {
    if (dimension == slab.rank()) {
      IndexRange[] box = new IndexRange[at.length];
      for (int d = 0; d < at.length; d++) {
        long start = grid.chunkStart(d, at[d]);
        box[d] = IndexRange.of(start, start + grid.chunkLength(d, at[d]));
      }
      visitor.accept(ChunkCoordinates.of(at.clone()), selection.clip(Hyperslab.of(box)));
      return;
    }
    IndexRange range = slab.range(dimension);
    for (long i = range.start(); i < range.stop(); i += range.stride()) {
      at[dimension] = i;
      visit(slab, dimension + 1, at);
    }
  }
}
