package io.arraymorph.delta.exchange;

import java.lang.ref.SoftReference;
import java.util.concurrent.atomic.AtomicReference;

/**
 * An array for cells that another process hands over, used again until the heap is short of room:
 * anew for each tensor, so large an array would start the collector each time. Thread-safe.
 */
final class HandedMemory {
  /** Larger arrays are not kept. */
  static final int LARGEST_KEPT = 64 << 20;

  private static final int STEP = 1 << 20;
  private static final AtomicReference<SoftReference<byte[]>> IDLE = new AtomicReference<>();

  private HandedMemory() {}

  /** At least {@code length} bytes of any content, of nobody else until they are given back. */
  static byte[] take(int length) {
    SoftReference<byte[]> idle = length < STEP ? null : IDLE.getAndSet(null);
    byte[] array = idle == null ? null : idle.get();
    return array != null && array.length >= length ? array : new byte[length];
  }

  /** Gives an array back. */
  static void give(byte[] array) {
    if (array.length >= STEP && array.length <= LARGEST_KEPT) {
      IDLE.set(new SoftReference<>(array));
    }
  }
}
