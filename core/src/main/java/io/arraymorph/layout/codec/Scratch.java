package io.arraymorph.layout.codec;

/**
 * Memory for chunks that are copied to their place as soon as they are decoded, so that decoding
 * many takes no new memory and their bytes are still in the processor's caches.
 *
 * <p>Two arrays take turns: what one step of a chain made is the input of the next. Not
 * thread-safe.
 */
public final class Scratch {
  /** Larger arrays are made anew each time, rather than kept. */
  private static final int LARGEST_KEPT = 16 << 20;

  private byte[] first = new byte[0];
  private byte[] second = new byte[0];
  private boolean isFirstTaken;

  /**
   * Begins another chunk, in the same memory as the one before, which is used up. A chain of one
   * step so takes one array only.
   */
  public void rewind() {
    isFirstTaken = false;
  }

  /** At least {@code length} bytes of any content; valid until the call after the next. */
  byte[] take(int length) {
    if (length > LARGEST_KEPT) {
      return new byte[length];
    }
    isFirstTaken = !isFirstTaken;
    if (isFirstTaken) {
      first = atLeast(first, length);
      return first;
    }
    second = atLeast(second, length);
    return second;
  }

  private static byte[] atLeast(byte[] array, int length) {
    return array.length >= length ? array : new byte[length];
  }
}
