package io.arraymorph.layout.codec;

/**
 * One step between elements and stored bytes, with its parameters, not yet bound to a chunk.
 *
 * <p>Immutable and thread-safe.
 */
public sealed interface Codec permits ArrayArrayCodec, ArrayBytesCodec, BytesBytesCodec {

  /** The name in metadata, as {@code zstd} or {@code numcodecs.delta}. */
  String name();
}
