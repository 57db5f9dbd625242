package io.arraymorph.delta.tensor;

/**
 * A run of integers in little-endian bytes, as another process laid them out: of 1 or 2 bytes
 * without a sign, of 4 or 8 bytes with one.
 *
 * <p>Immutable as long as nobody changes the bytes.
 */
public final class IntegerColumn {
  private final byte[] bytes;
  private final int width;

  /**
   * @param bytes shared
   * @param width of an integer: 1, 2, 4 or 8
   */
  public IntegerColumn(byte[] bytes, int width) {
    if (Integer.bitCount(width) != 1 || width > 8 || bytes.length % width != 0) {
      throw new IllegalArgumentException(bytes.length + " bytes of integers of " + width);
    }
    this.bytes = bytes;
    this.width = width;
  }

  /** How many there are. */
  public int count() {
    return bytes.length / width;
  }

  /** One of them. */
  public long get(int i) {
    return IntegerElements.read(bytes, i * width, width, width > 2);
  }

  /** Copies the integers {@code [from, to)} to the start of an array. */
  public void copy(int from, int to, long[] into) {
    int n = to - from;
    switch (width) {
      case 1:
        for (int i = 0; i < n; i++) {
          into[i] = bytes[from + i] & 0xFF;
        }
        return;
      case 2:
        for (int i = 0; i < n; i++) {
          into[i] = IntegerElements.read(bytes, (from + i) * 2, 2, false);
        }
        return;
      case 4:
        for (int i = 0; i < n; i++) {
          into[i] = IntegerElements.read(bytes, (from + i) * 4, 4, true);
        }
        return;
      default:
        for (int i = 0; i < n; i++) {
          into[i] = IntegerElements.read(bytes, (from + i) * 8, 8, true);
        }
    }
  }
}
