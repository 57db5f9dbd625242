package io.arraymorph.layout.codec;

/** Sizes beyond which untrusted metadata and data are refused before memory is allocated. */
public final class CodecLimits {
  /** Decoded bytes of one chunk (inner chunk of a shard): what one Java array can hold. */
  public static final long MAX_CHUNK_BYTES = Integer.MAX_VALUE - 64L;

  /** Decoded bytes of a chunk whose size the metadata do not tell: strings of any length. */
  public static final long MAX_VARIABLE_CHUNK_BYTES = 1L << 30;

  /** Inner chunks of one shard: an index of 256 MiB. */
  public static final long MAX_INNER_CHUNKS = 1L << 24;

  private CodecLimits() {}
}
