package io.arraymorph.layout.codec;

import java.nio.ByteBuffer;

/** A part of a heap array: encoded bytes on their way through codecs. The bytes are not copied. */
public final class ByteSpan {
  private final byte[] array;
  private final int offset;
  private final int length;

  private ByteSpan(byte[] array, int offset, int length) {
    this.array = array;
    this.offset = offset;
    this.length = length;
  }

  /** All bytes of an array. */
  public static ByteSpan of(byte[] array) {
    return new ByteSpan(array, 0, array.length);
  }

  /** The remaining bytes of a buffer; copied only if the buffer has no accessible array. */
  public static ByteSpan of(ByteBuffer buffer) {
    if (buffer.hasArray()) {
      return new ByteSpan(
          buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.remaining());
    }
    byte[] copy = new byte[buffer.remaining()];
    buffer.duplicate().get(copy);
    return of(copy);
  }

  /** The array that holds the bytes. */
  public byte[] array() {
    return array;
  }

  /** Where in the array the first byte is. */
  public int offset() {
    return offset;
  }

  /** The number of bytes. */
  public int length() {
    return length;
  }

  /** The bytes {@code [from, to)} of this span. */
  public ByteSpan slice(int from, int to) {
    if (from < 0 || to < from || to > length) {
      throw new IndexOutOfBoundsException("[" + from + ", " + to + ") of " + length + " bytes");
    }
    return new ByteSpan(array, offset + from, to - from);
  }

  /** The little-endian 32-bit integer at {@code position}. */
  int intAt(int position) {
    if (position < 0 || position > length - 4) {
      throw new CodecException(
          "needs 4 bytes at " + position + ", there are " + length + " bytes in all");
    }
    return (int) LittleEndian.INT.get(array, offset + position);
  }

  /** These bytes alone: the array itself if it holds nothing else, else a copy. */
  public byte[] toArray() {
    return offset == 0 && length == array.length
        ? array
        : java.util.Arrays.copyOfRange(array, offset, offset + length);
  }

  /** As a buffer over the same bytes. */
  public ByteBuffer toBuffer() {
    return ByteBuffer.wrap(array, offset, length);
  }
}
