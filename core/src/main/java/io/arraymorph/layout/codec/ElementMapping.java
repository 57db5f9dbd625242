package io.arraymorph.layout.codec;

/** What an {@link ElementwiseCodec} does to packed elements. Thread-safe. */
public interface ElementMapping {

  /**
   * Decodes {@code count} elements.
   *
   * @param from encoded elements from byte {@code offset} on
   * @param to receives the decoded elements from byte 0 on
   * @throws CodecException if an element has no decoded value
   */
  void decode(byte[] from, int offset, byte[] to, int count);

  /**
   * Encodes {@code count} elements.
   *
   * @param from decoded elements from byte {@code offset} on
   * @param to receives the encoded elements from byte 0 on
   * @throws CodecException if an element has no encoded value
   */
  void encode(byte[] from, int offset, byte[] to, int count);
}
