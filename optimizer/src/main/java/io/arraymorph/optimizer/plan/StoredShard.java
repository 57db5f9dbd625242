package io.arraymorph.optimizer.plan;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.layout.codec.CodecPipeline;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedSet;

/**
 * A shard as it would be if all inner chunks that have elements of the array were stored raw and in
 * order; at the edge of the array these are fewer than the shard can hold.
 *
 * @param grid the number of such inner chunks along each dimension, in stored space
 * @param innerBytes decoded bytes of each
 */
record StoredShard(Shape grid, long innerBytes) {
  static StoredShard of(
      ChunkedArray array,
      ChunkCoordinates chunk,
      CodecPipeline pipeline,
      Addressing.Sharded addressing) {
    Hyperslab inside = Hyperslab.all(array.grid().chunkBox(chunk).counts());
    OrthogonalSelection stored = OrthogonalSelection.of(pipeline.toStored(inside));
    long innerBytes =
        addressing.innerGrid().chunkShape().elementCount()
            * PlanEstimator.elementBytes(array.schema().dataType());
    return new StoredShard(
        ChunkSelections.touched(addressing.innerGrid(), stored).counts(), innerBytes);
  }

  private static double bytesOf(ChunkedArray array, ChunkCoordinates chunk) {
    CodecPipeline pipeline = array.pipeline(array.grid().chunkShape(chunk));
    return pipeline.addressing() instanceof Addressing.Sharded
        ? of(array, chunk, pipeline, (Addressing.Sharded) pipeline.addressing()).decodedBytes()
        : 0;
  }

  /**
   * The decoded bytes of a shard in the mean of these; 0 if chunks are no shards.
   *
   * @param chunks all but the last along a dimension are taken to be alike
   */
  static double meanBytes(ChunkedArray array, TouchedChunks chunks) {
    if (chunks.byPart().isEmpty() || bytesOf(array, first(chunks.byPart().get(0))) == 0) {
      return 0;
    }
    double bytes = 0;
    double count = 0;
    for (OrthogonalSelection part : chunks.byPart()) {
      for (long corner = 0; corner < 1L << part.rank(); corner++) {
        double alike = 1;
        long[] chunk = new long[part.rank()];
        for (int d = 0; d < part.rank(); d++) {
          IndexSet along = part.indices(d);
          boolean last = along.last() == array.grid().gridShape().length(d) - 1;
          boolean atEdge = (corner >> d & 1) == 1;
          chunk[d] = atEdge ? along.last() : along.first();
          alike *= atEdge ? (last ? 1 : 0) : along.count() - (last ? 1 : 0);
        }
        if (alike > 0) {
          bytes += alike * bytesOf(array, ChunkCoordinates.of(chunk));
          count += alike;
        }
      }
    }
    Map<Shape, Double> known = new HashMap<>();
    for (Map.Entry<ChunkCoordinates, SortedSet<Integer>> shared : chunks.shared().entrySet()) {
      ChunkCoordinates chunk = shared.getKey();
      Shape inside = array.grid().chunkBox(chunk).counts();
      double again = shared.getValue().size() - 1;
      bytes -= again * known.computeIfAbsent(inside, ignored -> bytesOf(array, chunk));
      count -= again;
    }
    return count == 0 ? 0 : bytes / count;
  }

  private static ChunkCoordinates first(OrthogonalSelection chunks) {
    long[] chunk = new long[chunks.rank()];
    for (int d = 0; d < chunk.length; d++) {
      chunk[d] = chunks.indices(d).first();
    }
    return ChunkCoordinates.of(chunk);
  }

  /** The number of inner chunks. */
  long innerChunks() {
    return grid.elementCount();
  }

  /** The bytes of all of them. */
  long decodedBytes() {
    return innerChunks() * innerBytes;
  }

  /** The first byte of an inner chunk. */
  long offset(ChunkCoordinates inner) {
    long number = 0;
    for (int d = 0; d < grid.rank(); d++) {
      number = number * grid.length(d) + inner.index(d);
    }
    return number * innerBytes;
  }
}
