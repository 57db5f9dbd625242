package io.arraymorph.optimizer.plan;

import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Shape;
import java.util.BitSet;

/** Counts the inner chunks of a shard that boxes touch, each once. */
public final class TouchedInnerChunks {
  /** Of shards that can hold more, inner chunks count for each box. */
  private static final long MOST_MARKED = 1 << 24;

  private final RegularChunkGrid innerGrid;
  private final BitSet marked = new BitSet();
  private OrthogonalSelection only;
  private long sum;
  private boolean all;

  /** Nothing is touched yet. */
  public TouchedInnerChunks(RegularChunkGrid innerGrid) {
    this.innerGrid = innerGrid;
  }

  /** Adds those that a box touches. */
  public void add(Hyperslab stored) {
    OrthogonalSelection touched =
        ChunkSelections.touched(innerGrid, OrthogonalSelection.of(stored));
    long count = touched.elementCount();
    if (all || count == 0) {
      return;
    }
    long most = innerGrid.gridShape().elementCountAtMost(Long.MAX_VALUE);
    all = count == most;
    sum = Math.min(most - count, sum) + count;
    if (sum == count) { // Of most shards one box is all that is needed.
      only = touched;
    } else if (most <= MOST_MARKED) {
      if (only != null) {
        mark(only);
        only = null;
      }
      mark(touched);
    }
  }

  /** How many there are. */
  public long count() {
    return all || marked.isEmpty() ? sum : marked.cardinality();
  }

  private void mark(OrthogonalSelection touched) {
    for (Hyperslab slab : touched.hyperslabs()) {
      mark(slab, 0, 0);
    }
  }

  private void mark(Hyperslab slab, int dimension, long before) {
    Shape grid = innerGrid.gridShape();
    boolean last = dimension == grid.rank() - 1;
    long row = before * grid.length(dimension);
    IndexRange range = slab.range(dimension);
    if (last && range.stride() == 1) {
      marked.set((int) (row + range.start()), (int) (row + range.stop()));
      return;
    }
    for (long i = range.start(); i < range.stop(); i += range.stride()) {
      if (last) {
        marked.set((int) (row + i));
      } else {
        mark(slab, dimension + 1, row + i);
      }
    }
  }
}
