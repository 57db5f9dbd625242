package io.arraymorph.layout.codec;

/**
 * The bit shuffle of Blosc: first bit 0 of byte 0 of all elements, then bit 1, and so on. Blosc
 * leaves a block alone unless its number of elements is a multiple of eight.
 */
final class BitShuffle {
  private BitShuffle() {}

  /** Restores {@code length} bytes from the start of {@code shuffled}. */
  static void unshuffle(byte[] shuffled, int length, byte[] target, int offset, int size) {
    int count = length / size;
    if (count % 8 != 0) {
      System.arraycopy(shuffled, 0, target, offset, length);
      return;
    }
    int plane = count / 8;
    for (int b = 0; b < size; b++) {
      int planes = b * 8 * plane;
      for (int g = 0; g < plane; g++) {
        long bits = 0;
        for (int k = 7; k >= 0; k--) {
          bits = (bits << 8) | (shuffled[planes + k * plane + g] & 0xffL);
        }
        bits = transpose8x8(bits);
        int at = offset + g * 8 * size + b;
        for (int e = 0; e < 8; e++, at += size) {
          target[at] = (byte) (bits >>> (8 * e));
        }
      }
    }
    int whole = count * size;
    System.arraycopy(shuffled, whole, target, offset + whole, length - whole);
  }

  /** Transposes an 8 x 8 matrix of bits whose rows are bytes (Hacker's Delight, 7-3). */
  private static long transpose8x8(long bits) {
    long x = bits;
    long t = (x ^ (x >>> 7)) & 0x00AA00AA00AA00AAL;
    x = x ^ t ^ (t << 7);
    t = (x ^ (x >>> 14)) & 0x0000CCCC0000CCCCL;
    x = x ^ t ^ (t << 14);
    t = (x ^ (x >>> 28)) & 0x00000000F0F0F0F0L;
    return x ^ t ^ (t << 28);
  }
}
