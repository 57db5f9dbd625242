package io.arraymorph.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of one store: runs blocking requests on a bounded number of daemon threads and hands
 * out their futures.
 *
 * <p>Cancelling a future that waits takes it off the queue; cancelling one that runs interrupts its
 * thread. Idle threads end after a minute: for less, whoever asks now and then starts hundreds
 * anew. Thread-safe.
 *
 * <p>Waking a thread takes about as long as sending a small request, so whoever sends the next
 * request when an answer comes can leave it to the thread that brought the answer: {@link #inTurn}.
 */
public final class RequestPool implements AutoCloseable {
  private static final long IDLE_SECONDS = 60;
  private static final ThreadLocal<Request<?>> CURRENT = new ThreadLocal<>();

  private final ThreadPoolExecutor threads;
  private final Set<Request<?>> pending = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * @param name of the threads, as users see it in a thread dump
   * @param size most requests at a time
   */
  public RequestPool(String name, int size) {
    threads =
        new ThreadPoolExecutor(
            size,
            size,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Worker(this, task, name);
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * Runs a request; whatever it throws fails the future unchanged.
   *
   * @param object the URI of what it is about, for the failure when the pool is closed
   */
  public <T> CompletableFuture<T> submit(String object, Callable<T> call) {
    Request<T> request = new Request<>(object, call);
    pending.add(request);
    if (closed) {
      request.close();
    } else if (!Worker.keeps(request, this)) {
      threads.execute(request);
    }
    return request;
  }

  /**
   * Runs something that submits requests when an answer has come. On a thread that has just
   * answered one, the first request to the same pool is run by this thread as soon as all that
   * hangs on the answer is done, unless others wait for a thread already: so that must be short,
   * and must not wait for the request. Elsewhere this is a mere call.
   */
  public static void inTurn(Runnable submits) {
    Worker worker = Worker.current();
    if (worker == null || worker.inTurn) {
      submits.run();
      return;
    }
    worker.inTurn = true;
    try {
      submits.run();
    } finally {
      worker.inTurn = false;
    }
  }

  /**
   * Adds what to do should the request that this thread runs be cancelled, beside the interrupt: as
   * closing a socket, whose reads no interrupt ends. Does nothing on other threads.
   *
   * @param abort runs at most once, on the cancelling thread; must not block
   */
  public static void onCancel(Runnable abort) {
    Request<?> request = CURRENT.get();
    if (request != null) {
      request.addAbort(abort);
    }
  }

  /** True once {@link #close()} was called. */
  public boolean isClosed() {
    return closed;
  }

  /** Fails what is pending as cancelled and ends the threads. Idempotent. */
  @Override
  public void close() {
    closed = true;
    for (Request<?> request : pending) {
      request.close();
    }
    threads.shutdown();
  }

  /** A thread of a pool, and the request that it has taken on for when it has done its own. */
  private static final class Worker extends Thread {
    private final RequestPool pool;
    private boolean inTurn;
    private Request<?> next;

    Worker(RequestPool pool, Runnable task, String name) {
      super(task, name);
      this.pool = pool;
    }

    static Worker current() {
      Thread thread = Thread.currentThread();
      return thread instanceof Worker ? (Worker) thread : null;
    }

    /** Leaves a request to this thread; false if another must run it. */
    static boolean keeps(Request<?> request, RequestPool pool) {
      Worker worker = current();
      if (worker == null
          || !worker.inTurn
          || worker.pool != pool
          || worker.next != null
          || !pool.threads.getQueue().isEmpty()) {
        return false;
      }
      worker.next = request;
      return true;
    }

    /** What this thread has taken on; null if nothing. */
    static Request<?> take() {
      Worker worker = current();
      Request<?> taken = worker.next;
      worker.next = null;
      return taken;
    }
  }

  /** One request: the task of a thread and the future of its caller. */
  private final class Request<T> extends CompletableFuture<T> implements Runnable {
    private final String object;
    private final Callable<T> call;
    private final Object lock = new Object();
    private final List<Runnable> aborts = new ArrayList<>();
    private Thread runner;
    private boolean stopped;

    Request(String object, Callable<T> call) {
      this.object = object;
      this.call = call;
    }

    @Override
    public void run() {
      Request<?> request = this;
      try {
        while (request != null) {
          request.perform();
          request = Worker.take();
        }
      } finally {
        Request<?> left = Worker.take(); // What hangs on an answer failed: nobody else knows of it.
        if (left != null) {
          threads.execute(left);
        }
      }
    }

    private void perform() {
      synchronized (lock) {
        if (isDone()) {
          return;
        }
        runner = Thread.currentThread();
      }
      CURRENT.set(this);
      T value = null;
      Throwable failure = null;
      try {
        value = call.call();
      } catch (Throwable thrown) {
        failure = thrown;
      }
      synchronized (lock) {
        CURRENT.remove();
        runner = null;
        aborts.clear();
        // An interrupt meant for this request must not hit the next one of this thread.
        Thread.interrupted();
      }
      pending.remove(this);
      if (failure == null) {
        complete(value);
      } else {
        completeExceptionally(failure);
      }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      boolean cancelled = super.cancel(mayInterruptIfRunning);
      stop();
      return cancelled;
    }

    void close() {
      completeExceptionally(
          new StoreException(StoreException.Kind.CANCELLED, object, "the store was closed", null));
      stop();
    }

    private void addAbort(Runnable abort) {
      synchronized (lock) {
        if (!stopped) {
          aborts.add(abort);
          return;
        }
      }
      abort.run();
    }

    private void stop() {
      pending.remove(this);
      List<Runnable> now;
      synchronized (lock) {
        stopped = true;
        now = List.copyOf(aborts);
        aborts.clear();
        if (runner != null) {
          runner.interrupt();
        } else {
          threads.remove(this);
        }
      }
      now.forEach(Runnable::run);
    }
  }
}
