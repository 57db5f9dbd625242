package io.arraymorph.optimizer.execute;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.ElementsAssembly;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.StorePath;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A request of a stream until its elements are handed out.
 *
 * <p>Pieces may be placed by several threads at once; the rest of the state is guarded by the
 * object itself.
 */
final class PendingRequest {
  /** What a stream wants to know of its requests. */
  interface Listener {
    /** A piece has its bytes and can be decoded by whoever comes first. */
    void ready(Piece piece);

    /** A piece was delivered or failed. */
    void ended(Piece piece);
  }

  private static final long MAX_RESULT_BYTES = Integer.MAX_VALUE - 16;

  private final ReadRequest request;
  private final ReadContext context;
  private final ChunkDecoder decoder;
  private final Listener listener;
  private final Queue<Piece> ready = new ConcurrentLinkedQueue<>();
  private final ElementsAssembly given;
  private ElementsAssembly assembly;
  private boolean inParts;
  private Elements single;
  private ArrayMorphException failure;
  private int outstanding;
  private boolean complete;

  PendingRequest(ReadRequest request, ReadContext context, Listener listener) {
    this.request = request;
    this.context = context;
    this.decoder = new ChunkDecoder(request.array().schema(), context.scratch(), context.threads());
    this.listener = listener;
    this.given = request.sink().map(sink -> ElementsAssembly.givenTo(sink::accept)).orElse(null);
  }

  ChunkedArray array() {
    return request.array();
  }

  Hyperslab hyperslab() {
    return request.hyperslab();
  }

  ChunkDecoder decoder() {
    return decoder;
  }

  ObjectVersions versions() {
    return context.versions();
  }

  /** Takes parts that need no decoding where they lie, if the request wants that. */
  Optional<StoredSink> storedSink() {
    return request.sink().flatMap(PartSink::ofStored);
  }

  ReadMetrics metrics() {
    return context.metrics();
  }

  /**
   * The bytes of the result that is kept; fails unless the request lies in the array and can be
   * held.
   */
  long check() {
    Shape shape = array().schema().shape();
    boolean inside = hyperslab().rank() == shape.rank();
    for (int d = 0; inside && d < shape.rank(); d++) {
      inside = hyperslab().range(d).stop() <= shape.length(d);
    }
    if (!inside) {
      throw new ArrayMorphException(
          ErrorCode.OUT_OF_BOUNDS,
          "selection " + hyperslab() + " reaches beyond " + array().path() + " of shape " + shape,
          "Select within the array");
    }
    if (request.sink().isPresent()) {
      return 0;
    }
    DataType type = array().schema().dataType();
    long bytes = PartResolver.decodedBytes(hyperslab().counts(), type);
    if (bytes > MAX_RESULT_BYTES) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          "selection " + hyperslab() + " of " + array().path() + " takes " + bytes + " bytes",
          "Read less than 2 GiB at a time");
    }
    return bytes;
  }

  /** Says that one more piece will come. */
  synchronized void expect(Piece piece) {
    outstanding++;
    inParts |= !piece.selection().absolute().equals(hyperslab());
  }

  /** Says that all pieces were announced. */
  synchronized void expectNoMore() {
    complete = true;
  }

  void offer(Piece piece) {
    ready.add(piece);
    listener.ready(piece);
  }

  /** A piece whose bytes have come, or null. */
  Piece pollReady() {
    return ready.poll();
  }

  /** True if the result is put together here, of elements that have a place each. */
  boolean isAssembled() {
    return keepsElements() && array().schema().dataType().isFixedWidth();
  }

  /** Places what can be made of these bytes alone; the rest of the piece follows. */
  void placeEarly(Piece piece, ShardPart part, ObjectBytes bytes) {
    if (part.hasWithin(bytes)) {
      synchronized (this) {
        inParts = true;
      }
      Hyperslab at = ChunkDecoder.positionIn(piece.selection().absolute(), hyperslab());
      part.placeFrom(bytes, decoder, target(), at);
    }
  }

  /** Makes the elements of a piece, in their place of the result if there are others; its bytes. */
  long place(Piece piece, ChunkPart part) {
    ElementsAssembly target = target();
    Hyperslab at = ChunkDecoder.positionIn(piece.selection().absolute(), hyperslab());
    if (target != null && array().schema().dataType().isFixedWidth()) {
      part.place(decoder, target, at);
      return PartResolver.decodedBytes(at.counts(), array().schema().dataType());
    }
    Elements elements = part.elements(decoder);
    if (!elements.shape().equals(at.counts())) {
      throw new IllegalStateException(
          "decoded shape " + elements.shape() + " where " + at + " was selected");
    }
    if (target != null) {
      target.place(elements, at);
    } else {
      synchronized (this) {
        single = elements;
      }
    }
    return elements.byteSize();
  }

  /**
   * Where pieces are put; null if the only one is the result. Memory for a large result takes long
   * to get, so it is taken while the first bytes are on their way, not before they are asked for.
   */
  private synchronized ElementsAssembly target() {
    if (given != null) {
      return given;
    }
    if (inParts && assembly == null) {
      assembly = ElementsAssembly.of(array().schema().dataType(), hyperslab().counts());
    }
    return assembly;
  }

  /** True if the results of this request are kept, and not given to a sink. */
  boolean keepsElements() {
    return given == null;
  }

  void checkMayBeMissing(StorePath object) {
    if (context.settings().missing() == MissingChunk.ERROR) {
      throw ReadFailures.missing(array(), object);
    }
  }

  void end(Piece piece, Throwable cause) {
    if (cause != null) {
      fail(ReadFailures.of(cause, array(), piece.object()));
    }
    listener.ended(piece);
  }

  /** One piece less will come; called by the stream together with its own accounts. */
  synchronized void leave() {
    outstanding--;
  }

  synchronized void fail(ArrayMorphException cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  synchronized boolean isDone() {
    return failure != null || (complete && outstanding == 0);
  }

  /** The packed result of a request that is done; throws its failure. */
  synchronized Elements finish() {
    if (failure != null) {
      throw failure;
    }
    if (request.sink().isPresent()) {
      return decoder.fill(Shape.of(0));
    }
    if (single != null) {
      return single;
    }
    return inParts ? target().finish() : decoder.fill(hyperslab().counts());
  }
}
