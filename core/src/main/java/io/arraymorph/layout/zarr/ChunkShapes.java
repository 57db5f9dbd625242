package io.arraymorph.layout.zarr;

import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.layout.codec.CodecPipeline;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The stored shapes that the chunks of a grid have. */
final class ChunkShapes {
  /** Lengths beyond this many are checked when such a chunk is read. */
  private static final int MAX_PROBES = 256;

  private ChunkShapes() {}

  /** The largest length of a chunk along each dimension; 1 where the grid has no chunk. */
  static Shape largest(ChunkGrid grid) {
    if (grid instanceof RegularChunkGrid) {
      return ((RegularChunkGrid) grid).chunkShape();
    }
    long[] lengths = new long[grid.arrayShape().rank()];
    for (int d = 0; d < lengths.length; d++) {
      lengths[d] = 1;
      for (long c = 0; c < grid.gridShape().length(d); c++) {
        lengths[d] = Math.max(lengths[d], grid.chunkLength(d, c));
      }
    }
    return Shape.of(lengths);
  }

  /** Shapes that show whether codecs fit all chunks: each length of each dimension once. */
  static List<Shape> probes(ChunkGrid grid) {
    Shape largest = largest(grid);
    List<Shape> shapes = new ArrayList<>(List.of(largest));
    if (!(grid instanceof RegularChunkGrid)) {
      for (int d = 0; d < largest.rank(); d++) {
        for (long length : distinctLengths(grid, d)) {
          long[] lengths = largest.toArray();
          lengths[d] = length;
          shapes.add(Shape.of(lengths));
        }
      }
    }
    return shapes;
  }

  private static Set<Long> distinctLengths(ChunkGrid grid, int dimension) {
    Set<Long> lengths = new LinkedHashSet<>();
    long count = grid.gridShape().length(dimension);
    for (long c = 0; c < count && lengths.size() < MAX_PROBES; c++) {
      lengths.add(grid.chunkLength(dimension, c));
    }
    return lengths;
  }

  /** The shape, in the array's dimensions, of the smallest parts decoded on their own. */
  static Shape read(CodecPipeline pipeline, Shape chunk) {
    if (!(pipeline.addressing() instanceof Addressing.Sharded)) {
      return chunk;
    }
    Addressing.Sharded shard = (Addressing.Sharded) pipeline.addressing();
    Shape stored = read(shard.inner(), shard.innerGrid().chunkShape());
    // A probe whose range along dimension d is [d, d + 1) shows where each dimension is stored.
    IndexRange[] probe = new IndexRange[chunk.rank()];
    for (int d = 0; d < probe.length; d++) {
      probe[d] = IndexRange.single(d);
    }
    Hyperslab moved = pipeline.toStored(Hyperslab.of(probe));
    long[] lengths = new long[probe.length];
    for (int d = 0; d < lengths.length; d++) {
      lengths[(int) moved.range(d).start()] = stored.length(d);
    }
    return Shape.of(lengths);
  }
}
