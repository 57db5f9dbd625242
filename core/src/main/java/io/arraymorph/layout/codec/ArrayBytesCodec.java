package io.arraymorph.layout.codec;

import io.arraymorph.array.Elements;

/** A codec from elements to bytes; a chain has exactly one. */
public non-sealed interface ArrayBytesCodec extends Codec {

  /**
   * This codec on chunks of one representation.
   *
   * @throws CodecConfigurationException if it cannot be used there
   */
  Bound bind(ChunkRepresentation decoded);

  /** A codec bound to the representation of its decoded side. Thread-safe. */
  interface Bound {

    /** How long encoded chunks are. */
    SizeRange encodedSize();

    /** What can be read of an encoded chunk without the rest. */
    Addressing addressing();

    /** Decodes a whole chunk; the result may be a view of {@code encoded}. */
    Elements decode(ByteSpan encoded);

    /** Encodes a whole chunk; the result may be a view of the chunk's bytes. */
    ByteSpan encode(Elements chunk);
  }
}
