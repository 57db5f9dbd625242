package io.arraymorph.layout;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.codec.CodecPipeline;
import io.arraymorph.store.StorePath;

/**
 * An open array: its schema, its grid of chunk objects, and how to find and decode each.
 *
 * <p>Opening read the metadata; nothing here does I/O. A sharded array's grid is that of its shards
 * (the stored objects); inner chunks are addressed through {@link CodecPipeline#addressing()}.
 * Immutable and thread-safe.
 */
public interface ChunkedArray {

  /** Where the array lies; its URI names the array in messages. */
  StorePath path();

  /** Type, shape, dimension names and fill value. */
  ArraySchema schema();

  /** The grid of stored objects: shards if sharded, else chunks. */
  ChunkGrid grid();

  /**
   * The shape of the smallest parts that are decoded on their own (inner chunks if sharded, else
   * chunks); for display and for aligning reads. For a rectilinear grid the largest chunk.
   */
  Shape readChunkShape();

  /** The object of a chunk. It may be missing, which means the fill value. */
  StorePath chunkObject(ChunkCoordinates chunk);

  /** How chunks of this stored shape are encoded. Cheap: implementations cache it. */
  CodecPipeline pipeline(Shape chunkShape);
}
