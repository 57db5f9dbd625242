package io.arraymorph.optimizer.execute;

import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Selection;
import io.arraymorph.layout.ArrayReader;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.optimizer.plan.HeldObjects;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Reads selections of arrays: the front door of everything that needs elements.
 *
 * <p>One reader is one query (or one task of it): it reads one version of each object, keeps shard
 * indexes and decoded chunks for neighbouring requests, and counts what it does. Methods may be
 * called from several threads; a stream is for one. Closing cancels all streams and ends the decode
 * threads; elements handed out stay valid.
 *
 * <p>Reads fail with {@code ArrayMorphException}: OUT_OF_BOUNDS, TOO_LARGE (result of 2 GiB or
 * more, or a chunk above the bound), CHUNK_CORRUPT, CHUNK_MISSING, OBJECT_CHANGED, CANCELLED, or
 * what the store failed with.
 */
public final class HyperslabReader implements ArrayReader, AutoCloseable {
  private final ReadContext context;
  private final Optional<QueryVersions> shared;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Set<ElementStream> streams = ConcurrentHashMap.newKeySet();

  /** A reader with these settings; it takes no resources before its first read. */
  public HyperslabReader(ReadSettings settings) {
    this(settings, Optional.empty());
  }

  /**
   * As the other constructor, with a slice function for what the planner leaves to one; whatever it
   * cannot answer is read from the store.
   */
  public HyperslabReader(ReadSettings settings, Optional<SliceFunction> function) {
    this.context = ReadContext.of(settings, function, new ObjectVersions(ObjectPins.NONE));
    this.shared = Optional.empty();
  }

  /**
   * As the other constructors, for one of several tasks of a query: those that are open in this
   * process at the same time read one version of each object, or fail with OBJECT_CHANGED. It must
   * be closed.
   *
   * @param query tells the tasks of one run of a query from those of others
   * @param pinned versions of objects that tasks in other processes read too, the same for all
   */
  public HyperslabReader(
      ReadSettings settings, Optional<SliceFunction> function, String query, ObjectPins pinned) {
    QueryVersions joined = QueryVersions.join(query, pinned);
    this.context = ReadContext.of(settings, function, joined.versions());
    this.shared = Optional.of(joined);
  }

  /** The packed elements of a hyperslab; shape: its counts. They must not be changed. */
  @Override
  public Elements read(ChunkedArray array, Hyperslab hyperslab) {
    try (ElementStream stream = stream(List.of(new ReadRequest(array, hyperslab)).iterator())) {
      return stream.next();
    }
  }

  /**
   * Gives the elements of a selection to a sink, chunk by chunk in the order of {@link
   * ChunkSelections#of(io.arraymorph.array.ChunkGrid, Selection)}.
   */
  public void read(ChunkedArray array, Selection selection, ChunkSink sink) {
    Iterable<ChunkSelection> parts = ChunkSelections.of(array.grid(), selection);
    Iterator<ChunkSelection> ahead = parts.iterator();
    try (ElementStream stream =
        stream(
            new Iterator<>() {
              @Override
              public boolean hasNext() {
                return ahead.hasNext();
              }

              @Override
              public ReadRequest next() {
                return new ReadRequest(array, ahead.next().absolute());
              }
            })) {
      for (ChunkSelection part : parts) {
        sink.accept(part, stream.next());
      }
    }
  }

  /**
   * The results of requests in order, read ahead; the iterator is asked from the thread that reads
   * the stream. The caller closes the stream.
   */
  public ElementStream stream(Iterator<ReadRequest> requests) {
    WindowedStream stream = new WindowedStream(requests, context, streams::remove);
    streams.add(stream);
    if (closed.get()) { // Closing may have been too early to see this stream.
      stream.close();
    }
    return stream;
  }

  /** What this reader holds in memory now, for plans of what it might read next. */
  public HeldObjects held() {
    return new HeldParts(context);
  }

  /** What this reader did so far. */
  public ReadMetrics metrics() {
    return context.metrics();
  }

  @Override
  public void close() {
    boolean first = closed.compareAndSet(false, true);
    streams.forEach(ElementStream::close);
    context.threads().shutdown();
    context.chunks().clear();
    if (first) {
      shared.ifPresent(QueryVersions::close);
    }
  }
}
