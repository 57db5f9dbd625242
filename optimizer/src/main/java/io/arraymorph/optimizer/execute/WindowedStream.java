package io.arraymorph.optimizer.execute;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.Elements;
import io.arraymorph.store.StorePath;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * A stream that reads ahead within a window of chunks and bytes.
 *
 * <p>The consumer's thread takes requests, cuts them at chunk edges, and launches batches; answers
 * and decoding complete on other threads. A new batch starts when the window is half empty, so that
 * batches stay large enough for the planner to see neighbours. While the consumer waits it decodes
 * what the head of the stream has ready. A request alone in the window is always let in, whatever
 * its size, so the stream never stalls.
 */
final class WindowedStream implements ElementStream, PendingRequest.Listener {
  private final Iterator<ReadRequest> source;
  private final ReadContext context;
  private final Consumer<ElementStream> onClose;
  private final RequestQueue queue;
  private final ObjectFetcher fetcher;
  private final ReadWindow window;
  private final Deque<PendingRequest> pending = new ArrayDeque<>();
  private final Deque<Long> resultBytes = new ArrayDeque<>();
  private ReadRequest held;
  private PendingRequest open;
  private Iterator<ChunkSelection> openSelections;
  private Piece heldPiece;

  private final Object lock = new Object();
  private long events;
  private boolean closed;

  /** What the consumer waits for, or null while it does not wait. */
  private PendingRequest awaited;

  /** True if the waiting consumer would read on if there were room. */
  private boolean wantsRoom;

  WindowedStream(
      Iterator<ReadRequest> source, ReadContext context, Consumer<ElementStream> onClose) {
    this.onClose = onClose;
    this.source = source;
    this.context = context;
    this.window = new ReadWindow(context.settings());
    this.queue = new RequestQueue(context.settings(), context.metrics(), System::nanoTime);
    this.fetcher =
        new ObjectFetcher(
            queue, context.versions(), context.settings().maxChunkBytes(), context.function());
  }

  @Override
  public boolean hasNext() {
    return !pending.isEmpty() || held != null || source.hasNext();
  }

  @Override
  public Elements next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    long start = System.nanoTime();
    try {
      PendingRequest head = awaitHead();
      pending.remove();
      synchronized (lock) {
        window.handedOut(resultBytes.remove());
      }
      return head.finish();
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    } finally {
      context.metrics().addWait(System.nanoTime() - start);
    }
  }

  private PendingRequest awaitHead() {
    while (true) {
      long seen;
      synchronized (lock) {
        if (closed) {
          throw ReadFailures.cancelled(null);
        }
        seen = events;
      }
      readAhead();
      PendingRequest head = pending.element();
      for (Piece piece = head.pollReady(); piece != null; piece = head.pollReady()) {
        piece.run();
      }
      boolean more = heldPiece != null || open != null || held != null || source.hasNext();
      synchronized (lock) {
        if (closed) {
          throw ReadFailures.cancelled(null);
        }
        if (head.isDone()) {
          return head;
        }
        if (events == seen) {
          await(head, more);
        }
      }
    }
  }

  /** Waits for the next event; the caller holds the lock. */
  @SuppressWarnings("WaitNotInLoop") // The caller loops.
  private void await(PendingRequest head, boolean more) {
    awaited = head;
    wantsRoom = more;
    try {
      lock.wait();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ReadFailures.cancelled(e);
    } finally {
      awaited = null;
    }
  }

  /** Wakes the consumer; the caller holds the lock. */
  private void wake() {
    awaited = null;
    lock.notifyAll();
  }

  /** Launches a batch if the window has room for one. */
  private void readAhead() {
    List<Piece> batch = new ArrayList<>();
    Map<StorePath, ReadWindow.Room> rooms = new HashMap<>();
    synchronized (lock) {
      if (closed || !window.hasRoom()) {
        return;
      }
    }
    while (admitPiece(batch, rooms)) {
      // One more.
    }
    if (heldPiece != null || held != null) { // no room
      queue.pace();
    }
    if (!batch.isEmpty()) {
      DecodedSlices slices = new DecodedSlices(context, fetcher, this::onWorker);
      List<Piece> toRead = slices.take(batch);
      if (!toRead.isEmpty()) {
        new Batch(toRead, context, fetcher, slices.calls()).run();
      }
    }
  }

  /** Moves the next piece into the batch; false if there is none or the window is full. */
  private boolean admitPiece(List<Piece> batch, Map<StorePath, ReadWindow.Room> rooms) {
    if (heldPiece == null) {
      if (open == null && !openNext()) {
        return false;
      }
      if (!openSelections.hasNext()) {
        open.expectNoMore();
        open = null;
        return true;
      }
      try {
        heldPiece = new Piece(open, openSelections.next());
      } catch (RuntimeException e) {
        open.fail(ReadFailures.of(e, open.array(), open.array().path()));
        open = null;
        return true;
      }
    }
    ReadWindow.Room room =
        rooms.computeIfAbsent(
            heldPiece.object(), object -> new ReadWindow.Room(heldPiece.costOfObject()));
    synchronized (lock) {
      if (!window.admit(heldPiece.cost(), room)) {
        return false;
      }
    }
    heldPiece.holdsWith(room);
    open.expect(heldPiece);
    batch.add(heldPiece);
    heldPiece = null;
    if (!openSelections.hasNext()) {
      open.expectNoMore();
      open = null;
    }
    return true;
  }

  /** Opens the next request; false if there is none or its result finds no room. */
  private boolean openNext() {
    if (held == null) {
      if (!source.hasNext()) {
        return false;
      }
      held = source.next();
    }
    PendingRequest next = new PendingRequest(held, context, this);
    long bytes = 0;
    try {
      bytes = next.check();
    } catch (ArrayMorphException e) {
      next.fail(e);
    }
    synchronized (lock) {
      if (!window.open(next.array().path(), bytes)) {
        return false;
      }
      resultBytes.add(bytes);
    }
    pending.add(next);
    held = null;
    if (next.isDone()) {
      return openNext();
    }
    open = next;
    openSelections = ChunkSelections.of(next.array().grid(), next.hyperslab()).iterator();
    return true;
  }

  private void onWorker(Runnable task) {
    try {
      context.threads().execute(task);
    } catch (RejectedExecutionException e) {
      // The reader was closed meanwhile; its consumer finds out by itself.
      close();
    }
  }

  /** Each piece wakes one thread, or none: with small chunks that is most of what they cost. */
  @Override
  public void ready(Piece piece) {
    if (piece.isQuick()) {
      piece.run();
      return;
    }
    synchronized (lock) {
      events++;
      if (awaited == piece.request()) {
        wake();
        return;
      }
    }
    onWorker(piece);
  }

  @Override
  public void ended(Piece piece) {
    // Both at once: whoever sees the request done must find the room that it took free.
    synchronized (lock) {
      window.ended(piece.cost(), piece.room());
      piece.request().leave();
      events++;
      if (awaited != null && (awaited.isDone() || (wantsRoom && window.hasRoom()))) {
        wake();
      }
    }
  }

  @Override
  public void close() {
    synchronized (lock) {
      if (closed) {
        return;
      }
      closed = true;
      events++;
      lock.notifyAll();
    }
    queue.cancel();
    fetcher.cancel();
    onClose.accept(this);
  }
}
