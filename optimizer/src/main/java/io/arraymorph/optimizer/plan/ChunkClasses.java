package io.arraymorph.optimizer.plan;

import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.RegularChunkGrid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The chunks that a selection touches along one dimension, grouped by what it selects within them
 * and how far they lie in the array: a shard at its edge holds less.
 *
 * <p>A contiguous range has at most three classes (first, inner, last), however many chunks there
 * are; so sums over a grid are products of a few numbers.
 */
final class ChunkClasses {
  private static final int MAX_ENUMERATED = 10_000;

  /**
   * Chunks with the same selection in them.
   *
   * @param chunk one of them
   * @param within the indices selected in each, relative to its start
   * @param count how many there are
   */
  record ChunkClass(long chunk, IndexSet within, long count) {}

  private record Key(List<IndexRange> within, long length, long inside) {}

  private final ChunkGrid grid;
  private final int dimension;
  private final IndexSet indices;
  private final Map<Key, ChunkClass> classes = new LinkedHashMap<>();
  private final Map<Key, Integer> numbers = new HashMap<>();
  private boolean sampled;

  ChunkClasses(ChunkGrid grid, int dimension, IndexSet indices) {
    this.grid = grid;
    this.dimension = dimension;
    this.indices = indices;
    long next = indices.isEmpty() ? -1 : indices.first();
    for (int visited = 0; next >= 0; visited++) {
      if (visited == MAX_ENUMERATED) {
        extrapolate(grid.chunkOf(dimension, next));
        return;
      }
      long chunk = grid.chunkOf(dimension, next);
      long solid = solidChunks(chunk);
      add(chunk, Math.max(1, solid));
      next = indices.ceiling(end(chunk + Math.max(1, solid) - 1));
    }
  }

  private long end(long chunk) {
    return grid.chunkStart(dimension, chunk) + grid.chunkLength(dimension, chunk);
  }

  /** How many chunks of a regular grid from this one on are selected completely. */
  private long solidChunks(long chunk) {
    if (!(grid instanceof RegularChunkGrid)) {
      return 0;
    }
    long start = grid.chunkStart(dimension, chunk);
    long length = grid.chunkLength(dimension, chunk);
    IndexSet gap = indices.clip(start, start + length);
    if (gap.count() < length) {
      return 0;
    }
    for (IndexRange range : indices.ranges()) {
      if (range.start() <= start && start < range.stop() && range.stride() == 1) {
        return (range.stop() - start) / length;
      }
    }
    return 0;
  }

  private Key key(long chunk) {
    long start = grid.chunkStart(dimension, chunk);
    long length = grid.chunkLength(dimension, chunk);
    List<IndexRange> within =
        indices.clip(start, start + length).ranges().stream().map(r -> r.shift(-start)).toList();
    long inside = Math.min(length, grid.arrayShape().length(dimension) - start);
    return new Key(within, length, inside);
  }

  private void add(long chunk, long count) {
    Key key = key(chunk);
    numbers.putIfAbsent(key, numbers.size());
    classes.merge(
        key,
        new ChunkClass(chunk, IndexSet.of(key.within()), count),
        (a, b) -> new ChunkClass(a.chunk(), a.within(), a.count() + b.count()));
  }

  /** Takes the chunks from {@code from} on to be like those before. */
  private void extrapolate(long from) {
    sampled = true;
    long first = grid.chunkOf(dimension, indices.first());
    double factor = (double) (grid.chunkOf(dimension, indices.last()) - first + 1) / (from - first);
    classes.replaceAll(
        (key, c) -> new ChunkClass(c.chunk(), c.within(), Math.round(c.count() * factor)));
  }

  List<ChunkClass> classes() {
    return new ArrayList<>(classes.values());
  }

  /** The number in {@link #classes} of that of a touched chunk; these must not be sampled. */
  int classOf(long chunk) {
    return numbers.get(key(chunk));
  }

  boolean isSampled() {
    return sampled;
  }
}
