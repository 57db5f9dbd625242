package io.arraymorph.delta.table;

import java.lang.ref.SoftReference;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Arrays that large pages are decoded into, as many as threads decode at once, used again until the
 * heap is short of room: anew for each page they would keep the collector busier than decoding
 * keeps the processor. Thread-safe.
 */
final class PageMemory {
  /** Larger arrays are made anew each time, rather than kept. */
  private static final int LARGEST_KEPT = 16 << 20;

  private static final Queue<SoftReference<byte[]>> IDLE = new ConcurrentLinkedQueue<>();

  private PageMemory() {}

  /** At least {@code length} bytes of any content, of nobody else until they are given back. */
  static byte[] take(int length) {
    for (SoftReference<byte[]> idle = IDLE.poll(); idle != null; idle = IDLE.poll()) {
      byte[] array = idle.get();
      if (array != null && array.length >= length) {
        return array;
      }
    }
    return new byte[length];
  }

  /** Gives an array back. */
  static void give(byte[] array) {
    if (array.length <= LARGEST_KEPT) {
      IDLE.add(new SoftReference<>(array));
    }
  }
}
