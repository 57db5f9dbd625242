package io.arraymorph.layout.zarr.write;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.codec.CodecPipeline;
import io.arraymorph.layout.codec.FillElements;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Puts the chunk objects of one array together from cells and boxes, and sends each off as soon as
 * it is complete.
 *
 * <p>Memory is bounded: when the open chunks hold too many bytes, the one that was begun first is
 * sent off as a piece; pieces are merged when the write is committed. Not thread-safe; part of a
 * {@link TaskWrite}.
 */
public final class ChunkWriter {
  private final WrittenArray array;
  private final int number;
  private final TaskWrite task;
  private final CodecPipeline pipeline;
  private final Elements fill;
  private final Shape objectShape;
  private final long[] extent;
  private final Map<ChunkCoordinates, OpenChunk> open = new LinkedHashMap<>();
  private final Set<ChunkCoordinates> sent = new HashSet<>();
  private OpenChunk current;

  ChunkWriter(WrittenArray array, int number, TaskWrite task) {
    this.array = array;
    this.number = number;
    this.task = task;
    this.pipeline = array.pipeline();
    this.fill = array.array().schema().fill();
    this.objectShape = array.objectShape();
    this.extent = new long[objectShape.rank()];
  }

  /** The array that is written. */
  public WrittenArray array() {
    return array;
  }

  /**
   * The open chunk that holds a cell, for cell-wise writing: mark the cell with {@link #give} and
   * set it.
   *
   * @throws io.arraymorph.ArrayMorphException OUT_OF_BOUNDS if the cell must not be written
   */
  public OpenChunk chunkAt(long[] index) {
    if (!array.accepts(index)) {
      long[] one = new long[index.length];
      java.util.Arrays.fill(one, 1);
      array.require(index, Shape.of(one));
    }
    for (int d = 0; d < extent.length; d++) {
      extent[d] = Math.max(extent[d], index[d] + 1);
    }
    if (current != null && current.contains(index)) {
      return current;
    }
    if (task.isClustered() && current != null) {
      send(current);
    }
    current = openChunk(array.chunkOf(index));
    return current;
  }

  /**
   * Marks a cell of a chunk as given.
   *
   * @throws io.arraymorph.ArrayMorphException DUPLICATE_CELL if it was given before and that is an
   *     error
   */
  public void give(OpenChunk chunk, int offset) {
    if (!chunk.give(offset) && !task.isLastWins()) {
      throw array.duplicate(chunk.index(offset));
    }
  }

  /**
   * Writes a box of cells.
   *
   * @param start index of the first cell
   * @param box its elements; not used any more after the call
   */
  public void write(long[] start, Elements box) {
    Shape counts = box.shape();
    array.require(start, counts);
    if (counts.isEmpty()) {
      return;
    }
    long[] last = start.clone();
    for (int d = 0; d < last.length; d++) {
      last[d] += counts.length(d) - 1;
      extent[d] = Math.max(extent[d], last[d] + 1);
    }
    ChunkCoordinates first = array.chunkOf(start);
    ChunkCoordinates end = array.chunkOf(last);
    if (first.equals(end)
        && counts.equals(objectShape)
        && !array.isEdge(first)
        && !open.containsKey(first)) {
      sendWhole(first, box, start);
      return;
    }
    long[] at = first.toArray();
    do {
      writePart(ChunkCoordinates.of(at), start, box);
    } while (next(at, first, end));
  }

  /** Sends off everything that is still open. */
  void finish() {
    for (OpenChunk chunk : open.values()) {
      encode(chunk, task.isClustered() || isComplete(chunk));
    }
    open.clear();
    current = null;
  }

  /** One past the largest index written along each dimension. */
  long[] extent() {
    return extent.clone();
  }

  private void writePart(ChunkCoordinates coordinates, long[] start, Elements box) {
    OpenChunk chunk = openChunk(coordinates);
    BoxRuns.forEach(
        start,
        box.shape(),
        array.start(coordinates),
        objectShape,
        (source, target, length) -> {
          int before = chunk.give(target, target + length);
          if (before >= 0 && !task.isLastWins()) {
            throw array.duplicate(chunk.index(before));
          }
          chunk.copy(box, source, target, length);
        });
    if (isComplete(chunk)) {
      send(chunk);
    }
  }

  private OpenChunk openChunk(ChunkCoordinates coordinates) {
    OpenChunk chunk = open.get(coordinates);
    if (chunk == null) {
      if (sent.contains(coordinates) && !task.isLastWins()) {
        throw array.duplicate(array.start(coordinates));
      }
      makeRoom();
      chunk = OpenChunk.of(array, coordinates);
      open.put(coordinates, chunk);
    }
    return chunk;
  }

  private void makeRoom() {
    long bytes = 0;
    for (OpenChunk chunk : open.values()) {
      bytes += chunk.byteSize();
    }
    Iterator<OpenChunk> oldest = open.values().iterator();
    while (oldest.hasNext() && bytes > task.openBytes()) {
      OpenChunk chunk = oldest.next();
      bytes -= chunk.byteSize();
      oldest.remove();
      encode(chunk, isComplete(chunk));
    }
    current = null;
  }

  private boolean isComplete(OpenChunk chunk) {
    return chunk.count() == array.writableCells(chunk.coordinates());
  }

  private void send(OpenChunk chunk) {
    open.remove(chunk.coordinates());
    encode(chunk, true);
    current = null;
  }

  private void encode(OpenChunk chunk, boolean complete) {
    ChunkCoordinates coordinates = chunk.coordinates();
    Elements elements = chunk.elements();
    boolean empty = FillElements.isFill(elements, fill);
    if (complete && !array.isEdge(coordinates)) {
      sendComplete(coordinates, elements, empty);
    } else {
      String key = task.nextKey();
      ChunkEntry.State piece = ChunkEntry.State.PIECE;
      if (!empty) {
        task.puts().put(key, pipeline.encode(elements), etag -> null);
      }
      task.puts()
          .put(
              key + CellMask.SUFFIX,
              CellMask.encode(chunk.given()),
              etag -> ChunkEntry.of(number, coordinates, piece, key, empty ? "" : "piece"));
    }
  }

  private void sendWhole(ChunkCoordinates coordinates, Elements elements, long[] start) {
    if (sent.contains(coordinates) && !task.isLastWins()) {
      throw array.duplicate(start);
    }
    sendComplete(coordinates, elements, FillElements.isFill(elements, fill));
  }

  private void sendComplete(ChunkCoordinates coordinates, Elements elements, boolean empty) {
    sent.add(coordinates);
    if (empty) {
      task.puts().add(ChunkEntry.of(number, coordinates, ChunkEntry.State.EMPTY, "", ""));
      return;
    }
    byte[] bytes = pipeline.encode(elements);
    String own = task.nextKey();
    if (task.isLastWins() && !task.isClustered()) {
      // A later cell may follow, here or in another task: nothing is in place before the merge.
      task.puts()
          .put(
              own,
              bytes,
              etag -> ChunkEntry.of(number, coordinates, ChunkEntry.State.STAGED, own, etag));
      return;
    }
    task.puts()
        .putIfAbsent(
            task.ticket().dataKey(array.key(coordinates)),
            own,
            bytes,
            (placed, etag) ->
                placed
                    ? ChunkEntry.of(number, coordinates, ChunkEntry.State.PLACED, "", etag)
                    : ChunkEntry.of(number, coordinates, ChunkEntry.State.STAGED, own, etag));
  }

  private static boolean next(long[] at, ChunkCoordinates first, ChunkCoordinates end) {
    for (int d = at.length - 1; d >= 0; d--) {
      if (at[d] < end.index(d)) {
        at[d]++;
        return true;
      }
      at[d] = first.index(d);
    }
    return false;
  }
}
