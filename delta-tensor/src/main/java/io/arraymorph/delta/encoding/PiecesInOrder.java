package io.arraymorph.delta.encoding;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.function.Consumer;

/**
 * Makes pieces on the threads of the common pool while the calling thread hands them out in their
 * order, and makes some itself when none is ready. Only so many are made ahead.
 */
final class PiecesInOrder {
  private static final int AHEAD = 256;

  private final Pieces pieces;
  private final long firstNumber;
  private final Piece[] ready;
  private final boolean[] made;
  private int next;
  private int handedOut;
  private boolean over;
  private Throwable failure;

  PiecesInOrder(Pieces pieces, long firstNumber) {
    this.pieces = pieces;
    this.firstNumber = firstNumber;
    this.ready = new Piece[pieces.count()];
    this.made = new boolean[pieces.count()];
  }

  /** Hands out all pieces; the first failure ends it, once no thread is at work any more. */
  void to(Consumer<Piece> sink) {
    int helpers = Math.min(ForkJoinPool.getCommonPoolParallelism(), ready.length - 1);
    ForkJoinTask<?>[] others = new ForkJoinTask<?>[Math.max(0, helpers)];
    for (int h = 0; h < others.length; h++) {
      others[h] = ForkJoinPool.commonPool().submit(this::help);
    }
    try {
      for (int k = 0; k < ready.length; k++) {
        sink.accept(take(k));
      }
    } finally {
      synchronized (this) {
        over = true;
        notifyAll();
      }
      for (ForkJoinTask<?> other : others) {
        if (!other.tryUnfork()) {
          other.quietlyJoin();
        }
      }
    }
  }

  private Piece take(int k) {
    while (true) {
      int mine;
      synchronized (this) {
        rethrow();
        if (made[k]) {
          Piece piece = ready[k];
          ready[k] = null;
          handedOut = k + 1;
          notifyAll();
          return piece;
        }
        mine = next < ready.length ? next++ : -1;
        if (mine < 0) {
          await();
          continue;
        }
      }
      make(mine);
    }
  }

  private void rethrow() {
    if (failure instanceof Error) {
      throw (Error) failure;
    }
    if (failure != null) {
      throw (RuntimeException) failure;
    }
  }

  private void await() {
    try {
      wait();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      CancellationException cancelled = new CancellationException("interrupted");
      cancelled.initCause(e);
      throw cancelled;
    }
  }

  private void help() {
    while (true) {
      int mine;
      synchronized (this) {
        while (!over && next < ready.length && next >= handedOut + AHEAD) {
          await();
        }
        if (over || failure != null || next >= ready.length) {
          return;
        }
        mine = next++;
      }
      make(mine);
    }
  }

  private void make(int k) {
    Piece piece = null;
    Throwable thrown = null;
    try {
      piece = pieces.piece(k, firstNumber + k);
    } catch (RuntimeException | Error e) {
      thrown = e;
    }
    synchronized (this) {
      ready[k] = piece;
      made[k] = true;
      failure = failure == null ? thrown : failure;
      notifyAll();
    }
  }
}
