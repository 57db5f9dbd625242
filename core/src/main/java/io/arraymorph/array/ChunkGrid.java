package io.arraymorph.array;

import java.io.Serializable;

/**
 * The division of an array into chunks: along each dimension the axis is cut into consecutive
 * intervals, and a chunk is a product of intervals.
 *
 * <p>Everything is computed per dimension from arithmetic or prefix sums; no method takes time or
 * memory in the number of chunks. Immutable and thread-safe.
 */
public sealed interface ChunkGrid extends Serializable
    permits RegularChunkGrid, RectilinearChunkGrid {

  /** The shape of the array that is divided. */
  Shape arrayShape();

  /** The number of chunks along each dimension (0 along a dimension of length 0). */
  Shape gridShape();

  /** The chunk along {@code dimension} that holds the array index {@code index}. */
  long chunkOf(int dimension, long index);

  /** The array index at which chunk {@code chunk} starts along {@code dimension}. */
  long chunkStart(int dimension, long chunk);

  /**
   * The nominal length of a chunk along {@code dimension}: what is stored, which for the last chunk
   * may reach beyond the array.
   */
  long chunkLength(int dimension, long chunk);

  /** The nominal (stored) shape of one chunk. */
  default Shape chunkShape(ChunkCoordinates chunk) {
    long[] lengths = new long[arrayShape().rank()];
    for (int d = 0; d < lengths.length; d++) {
      lengths[d] = chunkLength(d, chunk.index(d));
    }
    return Shape.of(lengths);
  }

  /** The box of array elements in a chunk, clipped to the array. */
  default Hyperslab chunkBox(ChunkCoordinates chunk) {
    long[] start = new long[arrayShape().rank()];
    long[] stop = new long[start.length];
    for (int d = 0; d < start.length; d++) {
      start[d] = chunkStart(d, chunk.index(d));
      stop[d] = Math.min(arrayShape().length(d), start[d] + chunkLength(d, chunk.index(d)));
    }
    return Hyperslab.box(start, stop);
  }
}
