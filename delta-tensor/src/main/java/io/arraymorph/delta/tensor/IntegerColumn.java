package io.arraymorph.delta.tensor;

import java.util.Objects;

/**
 * A run of integers in little-endian bytes, as another process laid them out: of 1 or 2 bytes
 * without a sign, of 4 or 8 bytes with one.
 *
 * <p>Immutable as long as nobody changes the bytes.
 */
public final class IntegerColumn {
  private final byte[] bytes;
  private final int offset;
  private final int width;
  private final int count;

  /**
   * Integers from a place in an array on.
   *
   * @param bytes shared
   * @param width of an integer: 1, 2, 4 or 8
   */
  public IntegerColumn(byte[] bytes, int offset, int width, int count) {
    if (Integer.bitCount(width) != 1 || width > 8) {
      throw new IllegalArgumentException("integers of " + width + " bytes");
    }
    Objects.checkFromIndexSize(offset, (long) width * count, (long) bytes.length);
    this.bytes = bytes;
    this.offset = offset;
    this.width = width;
    this.count = count;
  }

  /** How many there are. */
  public int count() {
    return count;
  }

  /** One of them. */
  public long get(int i) {
    return IntegerElements.read(bytes, offset + i * width, width, width > 2);
  }

  /** Copies the integers {@code [from, to)} to the start of an array. */
  public void copy(int from, int to, long[] into) {
    int n = to - from;
    int start = offset + from * width;
    switch (width) {
      case 1:
        for (int i = 0; i < n; i++) {
          into[i] = bytes[start + i] & 0xFF;
        }
        return;
      case 2:
        for (int i = 0; i < n; i++) {
          into[i] = IntegerElements.read(bytes, start + i * 2, 2, false);
        }
        return;
      case 4:
        for (int i = 0; i < n; i++) {
          into[i] = IntegerElements.read(bytes, start + i * 4, 4, true);
        }
        return;
      default:
        for (int i = 0; i < n; i++) {
          into[i] = IntegerElements.read(bytes, start + i * 8, 8, true);
        }
    }
  }
}
