package io.arraymorph.array;

/**
 * A chunk grid whose chunks all have one shape; the last along a dimension may reach beyond the
 * array.
 */
public record RegularChunkGrid(Shape arrayShape, Shape chunkShape) implements ChunkGrid {

  /** Throws {@link IllegalArgumentException} if ranks differ or a chunk length is not positive. */
  public RegularChunkGrid {
    if (arrayShape.rank() != chunkShape.rank() || chunkShape.isEmpty()) {
      throw new IllegalArgumentException("chunks " + chunkShape + " do not divide " + arrayShape);
    }
  }

  @Override
  public Shape gridShape() {
    long[] counts = new long[arrayShape.rank()];
    for (int d = 0; d < counts.length; d++) {
      long length = arrayShape.length(d);
      counts[d] = length == 0 ? 0 : (length - 1) / chunkShape.length(d) + 1;
    }
    return Shape.of(counts);
  }

  @Override
  public long chunkOf(int dimension, long index) {
    return index / chunkShape.length(dimension);
  }

  @Override
  public long chunkStart(int dimension, long chunk) {
    return chunk * chunkShape.length(dimension);
  }

  @Override
  public long chunkLength(int dimension, long chunk) {
    return chunkShape.length(dimension);
  }

  @Override
  public Shape chunkShape(ChunkCoordinates chunk) {
    return chunkShape;
  }
}
