package io.arraymorph.optimizer.plan;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The chunks that a product of indices touches, those with the same selection in them put together.
 * None is enumerated: the kinds of chunks are combinations of {@link ChunkClasses}.
 */
final class LikeChunks {
  private static final int MOST_KINDS = 1024;

  /** Takes chunks of one kind. */
  interface Visitor {
    /**
     * @param chunk one of them
     * @param within what is selected of each, in indices of the chunk
     * @param count how many there are
     */
    void accept(ChunkCoordinates chunk, OrthogonalSelection within, long count);
  }

  private final List<ChunkClasses> along = new ArrayList<>();
  private final List<List<ChunkClasses.ChunkClass>> classes = new ArrayList<>();
  private final Map<Long, Long> without = new HashMap<>();
  private final double share;
  private final long kinds;
  private final long step;
  private final boolean sampled;

  /**
   * @param touched how many chunks the product touches
   * @param excluded those of them that do not count, not all
   */
  LikeChunks(
      ChunkGrid grid,
      OrthogonalSelection product,
      long touched,
      Collection<ChunkCoordinates> excluded) {
    long combinations = 1;
    for (int d = 0; d < product.rank(); d++) {
      along.add(new ChunkClasses(grid, d, product.indices(d)));
      classes.add(along.get(d).classes());
      combinations *= Math.min(1 << 20, classes.get(d).size());
    }
    this.kinds = combinations;
    this.step = Math.max(1, kinds / MOST_KINDS);
    this.sampled = step > 1 || along.stream().anyMatch(ChunkClasses::isSampled);
    if (sampled) {
      // Which of the sampled chunks these are nobody can tell.
      this.share = (double) (touched - excluded.size()) / (double) touched;
    } else {
      this.share = 1;
      excluded.forEach(chunk -> without.merge(kind(chunk), 1L, Long::sum));
    }
  }

  /** True if there are too many kinds, so that some stand for all. */
  boolean isSampled() {
    return sampled;
  }

  private long kind(ChunkCoordinates chunk) {
    long kind = 0;
    for (int d = along.size() - 1; d >= 0; d--) {
      kind = kind * classes.get(d).size() + along.get(d).classOf(chunk.index(d));
    }
    return kind;
  }

  /** Visits one chunk of each kind that is left. */
  void forEach(Visitor visitor) {
    long planned = (kinds + step - 1) / step;
    for (long kind = 0; kind < kinds; kind += step) {
      visit(kind, share * (double) kinds / (double) planned, visitor);
    }
  }

  private void visit(long kind, double weight, Visitor visitor) {
    long rest = kind;
    double count = weight;
    long[] chunk = new long[classes.size()];
    List<IndexSet> within = new ArrayList<>();
    for (int d = 0; d < chunk.length; d++) {
      List<ChunkClasses.ChunkClass> those = classes.get(d);
      ChunkClasses.ChunkClass one = those.get((int) (rest % those.size()));
      rest /= those.size();
      chunk[d] = one.chunk();
      within.add(one.within());
      count *= (double) one.count();
    }
    long left = Math.round(count) - without.getOrDefault(kind, 0L);
    if (sampled || left > 0) {
      visitor.accept(ChunkCoordinates.of(chunk), OrthogonalSelection.of(within), Math.max(1, left));
    }
  }
}
