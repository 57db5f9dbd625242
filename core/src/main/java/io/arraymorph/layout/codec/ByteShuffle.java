package io.arraymorph.layout.codec;

/**
 * The byte shuffle of Blosc and HDF5: first all first bytes of the elements, then all second bytes,
 * and so on; what does not make a whole element stays at the end.
 */
final class ByteShuffle {
  private ByteShuffle() {}

  /** Puts the shuffled form of all bytes of {@code plain} at the start of {@code target}. */
  static void shuffle(ByteSpan plain, byte[] target, int size) {
    int count = plain.length() / size;
    byte[] from = plain.array();
    for (int b = 0; b < size; b++) {
      int to = b * count;
      for (int i = 0, at = plain.offset() + b; i < count; i++, at += size) {
        target[to + i] = from[at];
      }
    }
    int whole = count * size;
    System.arraycopy(from, plain.offset() + whole, target, whole, plain.length() - whole);
  }

  /** Restores {@code length} bytes from the start of {@code shuffled}. */
  static void unshuffle(byte[] shuffled, int length, byte[] target, int offset, int size) {
    unshuffle(shuffled, 0, length, target, offset, size);
  }

  /** Restores {@code length} bytes from {@code start} of {@code shuffled}. */
  static void unshuffle(
      byte[] shuffled, int start, int length, byte[] target, int offset, int size) {
    int count = length / size;
    switch (size) {
      case 2:
        for (int i = 0; i < count; i++) {
          int value = (shuffled[start + i] & 0xff) | (shuffled[start + count + i] & 0xff) << 8;
          LittleEndian.SHORT.set(target, offset + 2 * i, (short) value);
        }
        break;
      case 4:
        unshuffle4(shuffled, start, count, target, offset);
        break;
      case 8:
        unshuffle8(shuffled, start, count, target, offset);
        break;
      default:
        for (int b = 0; b < size; b++) {
          int from = start + b * count;
          for (int i = 0, at = offset + b; i < count; i++, at += size) {
            target[at] = shuffled[from + i];
          }
        }
    }
    int whole = count * size;
    System.arraycopy(shuffled, start + whole, target, offset + whole, length - whole);
  }

  private static void unshuffle4(byte[] from, int start, int count, byte[] target, int offset) {
    int b1 = start + count;
    int b2 = b1 + count;
    int b3 = b2 + count;
    for (int i = 0; i < count; i++) {
      int value =
          (from[start + i] & 0xff)
              | (from[b1 + i] & 0xff) << 8
              | (from[b2 + i] & 0xff) << 16
              | from[b3 + i] << 24;
      LittleEndian.INT.set(target, offset + 4 * i, value);
    }
  }

  private static void unshuffle8(byte[] from, int start, int count, byte[] target, int offset) {
    for (int i = 0; i < count; i++) {
      long value = 0;
      for (int b = 7; b >= 0; b--) {
        value = (value << 8) | (from[start + b * count + i] & 0xffL);
      }
      LittleEndian.LONG.set(target, offset + 8 * i, value);
    }
  }
}
