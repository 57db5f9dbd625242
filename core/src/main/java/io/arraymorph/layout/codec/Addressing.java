package io.arraymorph.layout.codec;

import io.arraymorph.array.Elements;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Shape;
import java.nio.ByteBuffer;

/** What parts of an encoded chunk can be read without the rest. */
public sealed interface Addressing {

  /** Only the whole encoded chunk can be decoded (compressed, checksummed, variable width). */
  record Whole() implements Addressing {}

  /**
   * Every element has its own place: element {@code e} (C order in stored space) is the bytes
   * {@code [e * elementBytes, (e + 1) * elementBytes)}.
   */
  non-sealed interface Fixed extends Addressing {

    /** Stored bytes of one element. */
    int elementBytes();

    /** The shape of the whole chunk in stored space. */
    Shape storedShape();

    /**
     * True if the stored bytes of elements are those that they have in memory, whatever they are.
     */
    boolean isAsInMemory();

    /**
     * Elements from stored bytes.
     *
     * @param packed exactly the stored bytes of the selected elements, in stored C order
     * @param shape the counts of the selection in stored space
     */
    Elements decodePacked(ByteBuffer packed, Shape shape);
  }

  /**
   * The chunk is a shard: an index of byte ranges and inner chunks that are encoded on their own
   * (Zarr v3 {@code sharding_indexed}).
   */
  non-sealed interface Sharded extends Addressing {

    /** The grid of inner chunks over the shard's stored shape. */
    RegularChunkGrid innerGrid();

    /** True if the index is the last {@link #indexBytes()} of the shard, else the first. */
    boolean indexAtEnd();

    /** The encoded length of the index in bytes. */
    long indexBytes();

    /**
     * Decodes and checks the index.
     *
     * @param encoded exactly {@link #indexBytes()} bytes
     * @param shardBytes the length of the whole shard; every entry is checked to lie within
     */
    ShardIndex decodeIndex(ByteBuffer encoded, long shardBytes);

    /** How each inner chunk is encoded; may itself be sharded. */
    CodecPipeline inner();
  }

  /** The whole encoded chunk is needed. */
  Addressing WHOLE = new Whole();
}
