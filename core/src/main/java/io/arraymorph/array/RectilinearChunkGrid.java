package io.arraymorph.array;

import java.util.Arrays;
import java.util.List;

/**
 * A chunk grid whose chunk lengths differ along some dimension (Zarr v3 extension {@code
 * rectilinear}).
 *
 * <p>Chunks are found by binary search over prefix sums, which are bounded by the parser that makes
 * the grid.
 */
public final class RectilinearChunkGrid implements ChunkGrid {
  private final Shape arrayShape;
  private final long[][] edges;

  /**
   * @param lengths chunk lengths along each dimension; their sum must reach the array's length (it
   *     may exceed it), chunks wholly beyond the array are not part of the grid
   * @throws IllegalArgumentException if ranks differ, a length is not positive, or the sum is short
   */
  public RectilinearChunkGrid(Shape arrayShape, List<long[]> lengths) {
    if (arrayShape.rank() != lengths.size()) {
      throw new IllegalArgumentException("rank of chunk lengths differs from shape " + arrayShape);
    }
    this.arrayShape = arrayShape;
    this.edges = new long[lengths.size()][];
    for (int d = 0; d < edges.length; d++) {
      edges[d] = prefixSums(lengths.get(d), arrayShape.length(d));
    }
  }

  private static long[] prefixSums(long[] lengths, long arrayLength) {
    long[] sums = new long[lengths.length + 1];
    int used = 0;
    while (sums[used] < arrayLength) {
      if (used == lengths.length || lengths[used] < 1) {
        throw new IllegalArgumentException(
            "chunk lengths " + Arrays.toString(lengths) + " do not cover length " + arrayLength);
      }
      sums[used + 1] = Math.addExact(sums[used], lengths[used]);
      used++;
    }
    return Arrays.copyOf(sums, used + 1);
  }

  @Override
  public Shape arrayShape() {
    return arrayShape;
  }

  @Override
  public Shape gridShape() {
    return Shape.of(Arrays.stream(edges).mapToLong(e -> e.length - 1).toArray());
  }

  @Override
  public long chunkOf(int dimension, long index) {
    int found = Arrays.binarySearch(edges[dimension], index);
    return found >= 0 ? found : -found - 2;
  }

  @Override
  public long chunkStart(int dimension, long chunk) {
    return edges[dimension][Math.toIntExact(chunk)];
  }

  @Override
  public long chunkLength(int dimension, long chunk) {
    int c = Math.toIntExact(chunk);
    return edges[dimension][c + 1] - edges[dimension][c];
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RectilinearChunkGrid
        && arrayShape.equals(((RectilinearChunkGrid) other).arrayShape)
        && Arrays.deepEquals(edges, ((RectilinearChunkGrid) other).edges);
  }

  @Override
  public int hashCode() {
    return 31 * arrayShape.hashCode() + Arrays.deepHashCode(edges);
  }
}
