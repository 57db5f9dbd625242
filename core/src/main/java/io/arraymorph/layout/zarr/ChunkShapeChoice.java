package io.arraymorph.layout.zarr;

import io.arraymorph.array.Shape;
import java.util.Optional;

/**
 * The chunk grid of a new array where the user gives none.
 *
 * @param chunk shape of the chunks
 * @param shard shape of the shards, if there are any
 */
public record ChunkShapeChoice(Shape chunk, Optional<Shape> shard) {
  /** What a chunk should not exceed: reading it whole stays quick, and requests stay few. */
  private static final long CHUNK_BYTES = 8L << 20;

  private static final long SHARD_BYTES = 64L << 20;

  /** Smaller arrays have so few chunks that shards gain nothing. */
  private static final long SHARDED_FROM = 512L << 20;

  private static final long PIECE_BYTES = 64L << 20;
  private static final long SMALL_PIECE_BYTES = 1L << 20;

  /** The grid that options give. */
  public static ChunkShapeChoice given(Shape chunk, Optional<Shape> shard) {
    return new ChunkShapeChoice(chunk, shard);
  }

  /**
   * The grid of an array of a shape: the longest dimension is halved until a chunk is small enough.
   *
   * @param elementBytes width of the widest array that has this grid
   * @param compressed only compressed chunks gain from shards; raw ones can be read in parts
   */
  public static ChunkShapeChoice of(Shape shape, int elementBytes, boolean compressed) {
    long[] chunk = halved(atLeastOne(shape), elementBytes, CHUNK_BYTES);
    double bytes = bytes(atLeastOne(shape), elementBytes);
    if (!compressed || bytes < SHARDED_FROM) {
      return new ChunkShapeChoice(Shape.of(chunk), Optional.empty());
    }
    long[] shard = chunk.clone();
    boolean grows = true;
    while (grows) {
      grows = false;
      for (int d = shard.length - 1; d >= 0; d--) {
        if (shard[d] < shape.length(d) && 2 * bytes(shard, elementBytes) <= SHARD_BYTES) {
          shard[d] *= 2;
          grows = true;
        }
      }
    }
    return new ChunkShapeChoice(Shape.of(chunk), Optional.of(Shape.of(shard)));
  }

  /**
   * The grid for tensor rows: a chunk is a row's piece, several if pieces are small, a part if they
   * are large.
   *
   * @param piece lengths of the first row's piece along all dimensions
   */
  public static ChunkShapeChoice ofPiece(Shape piece, int elementBytes) {
    long[] chunk = atLeastOne(piece);
    if (bytes(chunk, elementBytes) > PIECE_BYTES) {
      return new ChunkShapeChoice(
          Shape.of(halved(chunk, elementBytes, CHUNK_BYTES)), Optional.empty());
    }
    for (int d = 0; d < chunk.length && bytes(chunk, elementBytes) < SMALL_PIECE_BYTES; d++) {
      if (chunk[d] == 1) {
        chunk[d] = Math.max(1, (long) (CHUNK_BYTES / bytes(chunk, elementBytes)));
      }
    }
    return new ChunkShapeChoice(Shape.of(chunk), Optional.empty());
  }

  /** The shape of the stored objects. */
  public Shape object() {
    return shard.orElse(chunk);
  }

  private static long[] halved(long[] shape, int elementBytes, long most) {
    long[] chunk = shape.clone();
    while (bytes(chunk, elementBytes) > most) {
      int longest = 0;
      for (int d = 1; d < chunk.length; d++) {
        longest = chunk[d] > chunk[longest] ? d : longest;
      }
      if (chunk.length == 0 || chunk[longest] == 1) {
        break;
      }
      chunk[longest] = (chunk[longest] + 1) / 2;
    }
    return chunk;
  }

  private static long[] atLeastOne(Shape shape) {
    long[] lengths = shape.toArray();
    for (int d = 0; d < lengths.length; d++) {
      lengths[d] = Math.max(1, lengths[d]);
    }
    return lengths;
  }

  private static double bytes(long[] shape, int elementBytes) {
    double bytes = elementBytes;
    for (long length : shape) {
      bytes *= length;
    }
    return bytes;
  }
}
