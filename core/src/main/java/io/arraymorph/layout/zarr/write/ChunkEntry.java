package io.arraymorph.layout.zarr.write;

import io.arraymorph.array.ChunkCoordinates;
import java.io.Serializable;

/**
 * What a task attempt did with one chunk object.
 *
 * @param array number of the array in the write
 * @param chunk which chunk object
 * @param state where it is
 * @param key of the object relative to the target, if not in place
 * @param etag the version put; empty if nothing was put
 */
public record ChunkEntry(int array, Coordinates chunk, State state, String key, String etag)
    implements Serializable {

  /** Chunk coordinates that can be sent. */
  // Compared by content below.
  @SuppressWarnings("ArrayRecordComponent")
  public record Coordinates(long[] indices) implements Serializable {
    ChunkCoordinates toChunk() {
      return ChunkCoordinates.of(indices);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Coordinates
          && java.util.Arrays.equals(indices, ((Coordinates) other).indices);
    }

    @Override
    public int hashCode() {
      return java.util.Arrays.hashCode(indices);
    }
  }

  /** Where a chunk object is, and how much of it. */
  public enum State {
    /** All of it, where the write wants it. */
    PLACED,
    /** All of it, under a name of the attempt. */
    STAGED,
    /** All of it, not stored: every cell is the fill value. */
    EMPTY,
    /** Some of its cells, under a name of the attempt, with a mask. */
    PIECE
  }

  static ChunkEntry of(int array, ChunkCoordinates chunk, State state, String key, String etag) {
    return new ChunkEntry(array, new Coordinates(chunk.toArray()), state, key, etag);
  }
}
