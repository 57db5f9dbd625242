package io.arraymorph.delta.encoding;

import java.util.concurrent.CancellationException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Makes pieces on the threads of the common pool while the calling thread hands them out in their
 * order, and makes some itself when none is ready. Only so many are made ahead.
 */
final class PiecesInOrder {
  /** Groups that are made ahead, at most. */
  private static final int AHEAD = 64;

  /**
   * Pieces of about so many cells are made at a time: threads need not wake each other for less.
   */
  private static final int GROUP_CELLS = 1 << 14;

  private final Pieces pieces;
  private final long firstNumber;

  /** Where groups begin, and at last the number of pieces. */
  private final int[] groups;

  private final Piece[][] ready;
  private int next;
  private int handedOut;
  private boolean over;
  private Throwable failure;

  PiecesInOrder(Pieces pieces, long firstNumber) {
    this.pieces = pieces;
    this.firstNumber = firstNumber;
    IntStream.Builder starts = IntStream.builder();
    long cells = GROUP_CELLS;
    for (int k = 0; k < pieces.count(); k++) {
      if (cells >= GROUP_CELLS) {
        starts.add(k);
        cells = 0;
      }
      cells += pieces.cells(k);
    }
    this.groups = starts.add(pieces.count()).build().toArray();
    this.ready = new Piece[groups.length - 1][];
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
        for (Piece piece : take(k)) {
          sink.accept(piece);
        }
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

  private Piece[] take(int k) {
    while (true) {
      int mine;
      synchronized (this) {
        rethrow();
        if (ready[k] != null) {
          Piece[] group = ready[k];
          ready[k] = null;
          handedOut = k + 1;
          notifyAll();
          return group;
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

  @SuppressWarnings("WaitNotInLoop") // The callers loop.
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
    Piece[] group = new Piece[groups[k + 1] - groups[k]];
    Throwable thrown = null;
    try {
      for (int i = 0; i < group.length; i++) {
        group[i] = pieces.piece(groups[k] + i, firstNumber + groups[k] + i);
      }
    } catch (RuntimeException | Error e) {
      thrown = e;
    }
    synchronized (this) {
      ready[k] = group;
      failure = failure == null ? thrown : failure;
      notifyAll();
    }
  }
}
