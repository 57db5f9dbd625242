package io.arraymorph.layout.codec;

/** A codec from bytes to bytes: compresses or adds a checksum. */
public non-sealed interface BytesBytesCodec extends Codec {

  /** How long the encoded form of so many bytes is. */
  SizeRange encodedSize(SizeRange decoded);

  /**
   * Decodes; the result may be a view of {@code encoded}.
   *
   * @param decoded the sizes that the result may have; nothing larger is allocated
   * @throws CodecException if the bytes do not decode to such a size
   */
  ByteSpan decode(ByteSpan encoded, SizeRange decoded);

  /** As {@link #decode(ByteSpan, SizeRange)}; the result may also be a part of {@code scratch}. */
  default ByteSpan decode(ByteSpan encoded, SizeRange decoded, Scratch scratch) {
    return decode(encoded, decoded);
  }

  /**
   * Encodes; the result may be a view of {@code bytes}.
   *
   * @throws CodecConfigurationException UNSUPPORTED_CODEC if this codec can only decode
   */
  ByteSpan encode(ByteSpan bytes);
}
