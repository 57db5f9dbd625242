package io.arraymorph.optimizer.plan;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Visits the chunks that a selection touches one by one. */
final class EachChunk {
  private final Hyperslab chunks;
  private final Predicate<ChunkCoordinates> visitor;

  private EachChunk(Hyperslab chunks, Predicate<ChunkCoordinates> visitor) {
    this.chunks = chunks;
    this.visitor = visitor;
  }

  /**
   * Visits chunks in grid order, until the visitor has seen enough.
   *
   * @param chunks indices of the grid
   * @param visitor false if it wants no more
   * @return false if the visitor wanted no more
   */
  static boolean of(OrthogonalSelection chunks, Predicate<ChunkCoordinates> visitor) {
    for (Hyperslab slab : chunks.hyperslabs()) {
      if (!new EachChunk(slab, visitor).visit(0, new long[slab.rank()])) {
        return false;
      }
    }
    return true;
  }

  private boolean visit(int dimension, long[] at) {
    if (dimension == at.length) {
      return visitor.test(ChunkCoordinates.of(at));
    }
    IndexRange range = chunks.range(dimension);
    for (long i = range.start(); i < range.stop(); i += range.stride()) {
      at[dimension] = i;
      if (!visit(dimension + 1, at)) {
        return false;
      }
    }
    return true;
  }

  /** What a product selects of a chunk that it touches, in indices of the chunk. */
  static OrthogonalSelection within(
      ChunkGrid grid, OrthogonalSelection selection, ChunkCoordinates chunk) {
    List<IndexSet> within = new ArrayList<>();
    for (int d = 0; d < selection.rank(); d++) {
      long start = grid.chunkStart(d, chunk.index(d));
      IndexSet clipped =
          selection.indices(d).clip(start, start + grid.chunkLength(d, chunk.index(d)));
      within.add(IndexSet.of(clipped.ranges().stream().map(r -> r.shift(-start)).toList()));
    }
    return OrthogonalSelection.of(within);
  }

  /**
   * The chunks that a selection touches, in grid order, each with what its parts select of it, in
   * indices of the chunk.
   *
   * @param most chunks; if there are more, one more than these is given, and not all of them
   */
  static Map<ChunkCoordinates, List<OrthogonalSelection>> of(
      ChunkGrid grid, Selection selection, int most) {
    Map<ChunkCoordinates, List<OrthogonalSelection>> touched = new TreeMap<>();
    for (OrthogonalSelection part : selection.parts()) {
      boolean all =
          of(
              ChunkSelections.touched(grid, part),
              chunk -> {
                touched
                    .computeIfAbsent(chunk, ignored -> new ArrayList<>())
                    .add(within(grid, part, chunk));
                return touched.size() <= most;
              });
      if (!all) {
        break;
      }
    }
    return touched;
  }
}
