package io.arraymorph.lambda;

import io.arraymorph.ArrayMorphException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How much memory all calls of a server hold together: what a call reads, decodes and answers is
 * reserved before it is allocated, and given back when the call ends. Thread-safe.
 */
final class HeapBudget {
  private final long most;
  private final Duration longestWait;
  private long free;

  /**
   * @param bytes of all calls
   * @param longestWait for what other calls hold
   */
  HeapBudget(long bytes, Duration longestWait) {
    this.most = bytes;
    this.free = bytes;
    this.longestWait = longestWait;
  }

  /** Three quarters of what this process may take: the rest is the server's, and waste. */
  static HeapBudget ofProcess(Duration longestWait) {
    return new HeapBudget(Runtime.getRuntime().maxMemory() / 4 * 3, longestWait);
  }

  /** What nobody holds now. */
  synchronized long free() {
    return free;
  }

  /** The memory of one call; closing it gives all back. */
  Lease lease() {
    return new Lease();
  }

  /** Other calls hold the memory, and go on holding it. */
  static final class BusyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BusyException() {
      super("other calls hold the memory of this server");
    }
  }

  /** What one call holds. Thread-safe; after closing nothing can be taken. */
  final class Lease implements AutoCloseable {
    private long held;
    private boolean closed;

    /**
     * Reserves memory, and waits for it for some seconds.
     *
     * @param what it is for, in messages
     * @throws ArrayMorphException TOO_LARGE if it is more than all calls together may hold
     * @throws BusyException if other calls do not end in time
     */
    void take(String what, long bytes) {
      synchronized (HeapBudget.this) {
        if (bytes > most - held) {
          throw PinnedObject.tooLarge(what + ", with all else of its call,", held + bytes, most);
        }
        long end = System.nanoTime() + longestWait.toNanos();
        while (free < bytes && !closed) {
          long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
          if (left <= 0) {
            throw new BusyException();
          }
          try {
            HeapBudget.this.wait(left);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Deadline.SliceTimeoutException();
          }
        }
        if (closed) {
          throw new Deadline.SliceTimeoutException();
        }
        free -= bytes;
        held += bytes;
      }
    }

    @Override
    public void close() {
      synchronized (HeapBudget.this) {
        free += held;
        held = 0;
        closed = true;
        HeapBudget.this.notifyAll();
      }
    }
  }
}
