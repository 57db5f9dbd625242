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

  private byte[] next = new byte[0];
  private byte[] last = new byte[0];

  /** At least {@code length} bytes of any content; valid until the call after the next. */
  byte[] take(int length) {
    if (length > LARGEST_KEPT) {
      return new byte[length];
    }
    byte[] taken = next.length >= length ? next : new byte[length];
    next = last;
    last = taken;
    return taken;
  }
}
