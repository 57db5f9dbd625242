package io.arraymorph.spark.python;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Work on the driver that Python waits for: it runs on a thread of its own, so that Python can show
 * progress and cancel it. Thread-safe.
 */
public final class DriverJob {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final long LAST_MILLISECONDS = 10_000;

  /** What is done. */
  @FunctionalInterface
  interface Work {
    /**
     * Does it.
     *
     * @param done to be told of bytes that are done
     */
    void run(LongAdder done);
  }

  private final long total;
  private final Runnable cancel;
  private final LongAdder done = new LongAdder();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread thread;
  private volatile Throwable failure;

  private DriverJob(long total, Work work, Runnable cancel) {
    this.total = total;
    this.cancel = cancel;
    this.thread = new Thread(() -> run(work), "arraymorph-python-" + NUMBER.incrementAndGet());
    thread.setDaemon(true);
  }

  /**
   * Starts work.
   *
   * @param total bytes that will be done, for display
   * @param cancel stops what the work waits for, besides the interrupt of its thread
   */
  static DriverJob start(long total, Work work, Runnable cancel) {
    DriverJob job = new DriverJob(total, work, cancel);
    job.thread.start();
    return job;
  }

  private void run(Work work) {
    try {
      work.run(done);
    } catch (RuntimeException | Error e) {
      failure = e;
    } finally {
      ended.countDown();
    }
  }

  /** Waits up to so many milliseconds; true if the work has ended, well or not. */
  public boolean ended(long millis) throws InterruptedException {
    return ended.await(millis, TimeUnit.MILLISECONDS);
  }

  /** The bytes done so far. */
  public long done() {
    return done.sum();
  }

  /** The bytes that will be done. */
  public long total() {
    return total;
  }

  /**
   * Throws what the work failed with, if it did; to be called when it has ended, or is about to.
   *
   * @throws ArrayMorphException with the code of the failure; CANCELLED after {@link #cancel}
   */
  public void finish() throws InterruptedException {
    boolean hasEnded = ended(LAST_MILLISECONDS);
    if (failure instanceof Error) {
      throw (Error) failure;
    }
    if (failure != null) {
      throw (RuntimeException) failure;
    }
    if (!hasEnded) {
      throw new ArrayMorphException(
          ErrorCode.CANCELLED, "the work has not ended", "Wait for it, or cancel it");
    }
  }

  /** Stops the work and waits a while for its end; true if it has ended. */
  public boolean cancel() throws InterruptedException {
    cancel.run();
    thread.interrupt();
    return ended(LAST_MILLISECONDS);
  }
}
