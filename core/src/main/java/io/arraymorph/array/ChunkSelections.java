package io.arraymorph.array;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.StreamSupport;

/**
 * Which chunks of a grid a selection touches, and with which elements.
 *
 * <p>Iteration is lazy: its memory does not grow with the number of chunks. Counting does not
 * enumerate chunks.
 */
public final class ChunkSelections {
  private ChunkSelections() {}

  /** The parts of a hyperslab in each chunk it touches, in grid order. */
  public static Iterable<ChunkSelection> of(ChunkGrid grid, Hyperslab hyperslab) {
    return of(grid, OrthogonalSelection.of(hyperslab));
  }

  /**
   * The parts of a product in each chunk it touches: chunks in grid order, and within a chunk one
   * per hyperslab of the product.
   */
  public static Iterable<ChunkSelection> of(ChunkGrid grid, OrthogonalSelection selection) {
    return () -> new ChunkIterator(grid, selection);
  }

  /** As for each part of the selection one after the other; a chunk may come up in several. */
  public static Iterable<ChunkSelection> of(ChunkGrid grid, Selection selection) {
    return () ->
        selection.parts().stream()
            .flatMap(part -> StreamSupport.stream(of(grid, part).spliterator(), false))
            .iterator();
  }

  /** The number of chunks that a hyperslab touches. */
  public static long touchedChunks(ChunkGrid grid, Hyperslab hyperslab) {
    return touchedChunks(grid, OrthogonalSelection.of(hyperslab));
  }

  /** The number of chunks that a product touches. */
  public static long touchedChunks(ChunkGrid grid, OrthogonalSelection selection) {
    return touched(grid, selection).elementCount();
  }

  /** The number of chunks that a selection touches, each counted once. */
  public static long touchedChunks(ChunkGrid grid, Selection selection) {
    return touched(grid, selection).elementCount();
  }

  /** The chunks that a selection touches, as a selection of indices of the grid. */
  public static Selection touched(ChunkGrid grid, Selection selection) {
    return Selection.of(
        selection.rank(), selection.parts().stream().map(part -> touched(grid, part)).toList());
  }

  /** The chunks that a product touches, as a product of indices of the grid. */
  public static OrthogonalSelection touched(ChunkGrid grid, OrthogonalSelection selection) {
    List<IndexSet> chunks = new ArrayList<>();
    for (int d = 0; d < selection.rank(); d++) {
      List<IndexRange> ranges = new ArrayList<>();
      for (IndexRange range : selection.indices(d).ranges()) {
        addTouched(grid, d, range, ranges);
      }
      chunks.add(IndexSet.of(ranges));
    }
    return OrthogonalSelection.of(chunks);
  }

  private static void addTouched(
      ChunkGrid grid, int dimension, IndexRange range, List<IndexRange> out) {
    long first = grid.chunkOf(dimension, range.start());
    long last = grid.chunkOf(dimension, range.last());
    if (range.stride() == 1) {
      out.add(IndexRange.of(first, last + 1));
      return;
    }
    if (grid instanceof RegularChunkGrid) {
      long length = ((RegularChunkGrid) grid).chunkShape().length(dimension);
      if (range.stride() <= length) {
        out.add(IndexRange.of(first, last + 1));
        return;
      }
      if (range.stride() % length == 0) {
        out.add(new IndexRange(first, last + 1, range.stride() / length));
        return;
      }
    }
    // Whoever steps over chunks irregularly touches them one by one; runs join again in the set.
    IndexSet.Normalizer touched = new IndexSet.Normalizer();
    for (long chunk = first; chunk <= last; ) {
      touched.add(IndexRange.single(chunk));
      long next =
          range
              .clip(
                  grid.chunkStart(dimension, chunk) + grid.chunkLength(dimension, chunk),
                  Long.MAX_VALUE)
              .start();
      chunk = chunk == last ? last + 1 : grid.chunkOf(dimension, next);
    }
    out.addAll(touched.toSet().ranges());
  }

  /** Walks the touched chunks in grid order, and in each chunk the hyperslabs of the product. */
  private static final class ChunkIterator implements Iterator<ChunkSelection> {
    private final ChunkGrid grid;
    private final OrthogonalSelection selection;
    private final long[] chunk;
    private final IndexSet[] inChunk;
    private final long[] back;
    private boolean moreChunks;
    private ChunkCoordinates coordinates;
    private Iterator<Hyperslab> hyperslabs;

    ChunkIterator(ChunkGrid grid, OrthogonalSelection selection) {
      this.grid = grid;
      this.selection = selection;
      this.chunk = new long[selection.rank()];
      this.inChunk = new IndexSet[chunk.length];
      this.back = new long[chunk.length];
      this.moreChunks = !selection.isEmpty();
      for (int d = 0; d < chunk.length && moreChunks; d++) {
        moveTo(d, selection.indices(d).first());
      }
      if (moreChunks) {
        openChunk();
      }
    }

    private void moveTo(int d, long index) {
      chunk[d] = grid.chunkOf(d, index);
      long start = grid.chunkStart(d, chunk[d]);
      inChunk[d] = selection.indices(d).clip(start, start + grid.chunkLength(d, chunk[d]));
      back[d] = -start;
    }

    private void openChunk() {
      coordinates = ChunkCoordinates.of(chunk);
      hyperslabs = OrthogonalSelection.of(List.of(inChunk)).hyperslabs().iterator();
    }

    @Override
    public boolean hasNext() {
      return moreChunks;
    }

    @Override
    public ChunkSelection next() {
      if (!moreChunks) {
        throw new NoSuchElementException();
      }
      Hyperslab absolute = hyperslabs.next();
      ChunkSelection result = new ChunkSelection(coordinates, absolute.shift(back), absolute);
      if (!hyperslabs.hasNext()) {
        advance();
      }
      return result;
    }

    private void advance() {
      int d = chunk.length - 1;
      for (; d >= 0; d--) {
        long beyond = grid.chunkStart(d, chunk[d]) + grid.chunkLength(d, chunk[d]);
        long next = selection.indices(d).ceiling(beyond);
        if (next >= 0) {
          moveTo(d, next);
          break;
        }
        moveTo(d, selection.indices(d).first());
      }
      moreChunks = d >= 0;
      if (moreChunks) {
        openChunk();
      }
    }
  }
}
