package io.arraymorph.optimizer.execute;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * The threads of one reader that decode: they take pieces, and idle ones help with the inner chunks
 * of a large piece that another thread decodes.
 *
 * <p>Threads are daemons that end after a second without work. Thread-safe.
 */
final class DecodeThreads implements Executor {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final ThreadPoolExecutor pool;

  DecodeThreads(int count) {
    this.pool =
        new ThreadPoolExecutor(
            count,
            count,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "arraymorph-decode-" + NUMBER.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
  }

  @Override
  public void execute(Runnable task) {
    pool.execute(task);
  }

  /** Interrupts what runs and takes no more; whoever waits for tasks finds out by itself. */
  void shutdown() {
    pool.shutdownNow();
  }

  /**
   * Does something for each number below {@code count}, on this thread and on those that are idle;
   * returns when all is done. Each thread takes one number after the other.
   *
   * <p>While whole pieces wait for a thread nobody helps: a piece stays with one thread and its
   * caches. Nobody waits for a helper that has not begun, so a reader that is closed, or whose
   * threads are all busy, is no reason to hang.
   *
   * @throws RuntimeException the first failure; then not all was done
   */
  void forEach(int count, IntConsumer work) {
    int helpers = pool.getQueue().isEmpty() ? Math.min(pool.getCorePoolSize(), count - 1) : 0;
    Shared shared = new Shared(count, work);
    for (int i = 0; i < helpers; i++) {
      try {
        pool.execute(shared::takePart);
      } catch (RejectedExecutionException e) {
        break; // Closed meanwhile: this thread does what is left.
      }
    }
    shared.takePart();
    shared.awaitOthers();
  }

  /** Numbers that several threads take until none is left. */
  private static final class Shared {
    private final int count;
    private final IntConsumer work;
    private int next;
    private int taking;
    private Throwable failure;

    Shared(int count, IntConsumer work) {
      this.count = count;
      this.work = work;
    }

    void takePart() {
      for (int mine = take(); mine >= 0; mine = take()) {
        Throwable failed = null;
        try {
          work.accept(mine);
        } catch (RuntimeException | Error e) {
          failed = e;
        }
        done(failed);
      }
    }

    private synchronized int take() {
      if (next == count || failure != null) {
        return -1;
      }
      taking++;
      return next++;
    }

    private synchronized void done(Throwable failed) {
      taking--;
      if (failure == null) {
        failure = failed;
      }
      notifyAll();
    }

    /** Waits for what others have begun, which is short; fails as any of them did. */
    synchronized void awaitOthers() {
      boolean interrupted = false;
      while (taking > 0) {
        try {
          wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      if (failure instanceof Error) {
        throw (Error) failure;
      }
      if (failure != null) {
        throw (RuntimeException) failure;
      }
    }
  }
}
