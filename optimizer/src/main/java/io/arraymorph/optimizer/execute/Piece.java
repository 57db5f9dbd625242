package io.arraymorph.optimizer.execute;

import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.codec.CodecPipeline;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.StorePath;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The part of one request that lies in one chunk, on its way from selection to elements.
 *
 * <p>Ends exactly once: delivered to its request, or failed.
 */
final class Piece implements Runnable {

  private final PendingRequest request;
  private final ChunkSelection selection;
  private final StorePath object;
  private final CodecPipeline pipeline;
  private final Shape chunkShape;
  private final long cost;
  private final Set<ObjectRead> reads = new LinkedHashSet<>();
  private final AtomicBoolean claimed = new AtomicBoolean();
  private volatile ChunkPart part;
  private ReadWindow.Room room;

  Piece(PendingRequest request, ChunkSelection selection) {
    ChunkedArray array = request.array();
    this.request = request;
    this.selection = selection;
    this.object = array.chunkObject(selection.chunk());
    this.chunkShape = array.grid().chunkShape(selection.chunk());
    this.pipeline = array.pipeline(chunkShape);
    this.cost = PieceCost.of(pipeline, chunkShape, selection.within(), dataType());
  }

  ChunkSelection selection() {
    return selection;
  }

  StorePath object() {
    return object;
  }

  CodecPipeline pipeline() {
    return pipeline;
  }

  Shape chunkShape() {
    return chunkShape;
  }

  /** What of the chunk lies in the array. */
  Shape clippedShape() {
    return request.array().grid().chunkBox(selection.chunk()).counts();
  }

  DataType dataType() {
    return request.array().schema().dataType();
  }

  PendingRequest request() {
    return request;
  }

  /** About the bytes that this piece holds until it is delivered. */
  long cost() {
    return cost;
  }

  /** About the most bytes that all pieces of its object hold together. */
  long costOfObject() {
    return PieceCost.most(chunkShape, dataType());
  }

  /** Takes note of what it holds together with others. */
  void holdsWith(ReadWindow.Room shared) {
    room = shared;
  }

  /** What it holds together with others. */
  ReadWindow.Room room() {
    return room;
  }

  /** True if its elements are made so soon that waking a thread for them is not worth it. */
  boolean isQuick() {
    ChunkPart found = part; // null if it has ended meanwhile
    return found != null && found.isQuick(cost) && request.keepsElements();
  }

  boolean isResolved() {
    return part != null || claimed.get();
  }

  void resolve(ChunkPart resolved) {
    part = resolved;
  }

  ChunkPart part() {
    return part;
  }

  void dependOn(ObjectRead read) {
    if (reads.add(read)) {
      read.tell(this);
    }
  }

  /** Some bytes that it waits for have come: what is made of them alone is put in its place. */
  void came(ObjectBytes bytes) {
    ChunkPart found = part;
    if (found instanceof ShardPart && request.isAssembled()) {
      attempt(() -> request.placeEarly(this, (ShardPart) found, bytes));
    }
  }

  /** Runs a step unless the piece has ended; the step's failure is the piece's. */
  void attempt(Runnable step) {
    if (!claimed.get()) {
      try {
        step.run();
      } catch (RuntimeException e) {
        fail(e);
      }
    }
  }

  /** Offers this piece for decoding when all its bytes have come. */
  void awaitBytes() {
    if (claimed.get()) {
      return;
    }
    CompletableFuture<?> unused =
        CompletableFuture.allOf(
                reads.stream().map(ObjectRead::fetched).toArray(CompletableFuture[]::new))
            .whenComplete(
                (ignored, failure) -> {
                  if (failure == null) {
                    request.offer(this);
                  } else {
                    fail(failure);
                  }
                });
  }

  /** Decodes and delivers, unless another thread does or did. */
  @Override
  public void run() {
    if (claimed.compareAndSet(false, true)) {
      Throwable failure = null;
      try {
        deliver();
      } catch (RuntimeException | OutOfMemoryError e) {
        failure = e;
      }
      request.end(this, failure);
      // Others of its batch may wait for long yet: meanwhile it holds no bytes.
      part = null;
      reads.clear();
    }
  }

  private void deliver() {
    ChunkPart found = part;
    if (found instanceof ChunkPart.Fill || isAbsent()) {
      request.checkMayBeMissing(object);
      found = new ChunkPart.Fill(selection.within().counts());
      request.metrics().addFilledChunk();
    }
    request.metrics().addChunk(request.place(this, found));
  }

  private boolean isAbsent() {
    for (ObjectRead read : reads) {
      if (read.bytes().isAbsent()) {
        return true;
      }
    }
    return false;
  }

  void fail(Throwable failure) {
    if (claimed.compareAndSet(false, true)) {
      request.end(this, failure);
    }
  }
}
