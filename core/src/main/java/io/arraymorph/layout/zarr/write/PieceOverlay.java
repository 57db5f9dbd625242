package io.arraymorph.layout.zarr.write;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.codec.CodecException;
import io.arraymorph.layout.codec.FillElements;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Optional;

/** One chunk object made from what several writers have of it, and from its old cells. */
final class PieceOverlay {
  private final TargetObjects objects;
  private final WrittenArray array;
  private final boolean lastWins;
  private final OpenChunk chunk;

  PieceOverlay(
      TargetObjects objects, WrittenArray array, ChunkCoordinates coordinates, boolean lastWins) {
    this.objects = objects;
    this.array = array;
    this.lastWins = lastWins;
    this.chunk = OpenChunk.of(array, coordinates);
  }

  /**
   * Takes the cells that existed before; whatever the object holds beyond them is not looked at.
   */
  void addOld(byte[] encoded) {
    Elements old = decode(encoded, "of " + array.array().path());
    long[] start = array.start(chunk.coordinates());
    long[] first = array.first();
    long[] counts = chunk.shape().toArray();
    for (int d = 0; d < first.length; d++) {
      if (first[d] > 0) {
        counts[d] = Math.min(counts[d], first[d] - start[d]);
      }
    }
    BoxRuns.forEach(
        start,
        Shape.of(counts),
        start,
        chunk.shape(),
        (source, target, length) -> chunk.copy(old, target, target, length));
  }

  /**
   * Takes the cells of one entry.
   *
   * @param dataKey where the object lies if the entry says PLACED
   * @throws ArrayMorphException DUPLICATE_CELL if one was given before and that is an error
   */
  void add(ChunkEntry entry, String dataKey) {
    BitSet cells = cells(entry);
    Elements elements = elements(entry, dataKey);
    for (int from = cells.nextSetBit(0); from >= 0; ) {
      int to = cells.nextClearBit(from);
      int before = chunk.give(from, to);
      if (before >= 0 && !lastWins) {
        throw array.duplicate(chunk.index(before));
      }
      chunk.copy(elements, from, from, to - from);
      from = cells.nextSetBit(to);
    }
  }

  /** The merged object; empty if every cell is the fill value. */
  Optional<byte[]> encoded() {
    Elements merged = chunk.elements();
    return FillElements.isFill(merged, array.array().schema().fill())
        ? Optional.empty()
        : Optional.of(array.pipeline().encode(merged));
  }

  /** An object of fill values, to stand in place of one that exists. */
  byte[] encodedFill() {
    return array
        .pipeline()
        .encode(FillElements.of(array.array().schema().fill(), array.objectShape()));
  }

  private BitSet cells(ChunkEntry entry) {
    int count = Math.toIntExact(array.objectShape().elementCount());
    if (entry.state() == ChunkEntry.State.PIECE) {
      return CellMask.decode(read(entry.key() + CellMask.SUFFIX), count);
    }
    BitSet all = new BitSet(count);
    all.set(0, count);
    return all;
  }

  private Elements elements(ChunkEntry entry, String dataKey) {
    if (entry.etag().isEmpty()) {
      return FillElements.of(array.array().schema().fill(), array.objectShape());
    }
    String key = entry.state() == ChunkEntry.State.PLACED ? dataKey : entry.key();
    return decode(read(key), key);
  }

  private byte[] read(String key) {
    return objects
        .read(key)
        .orElseThrow(
            () ->
                new ArrayMorphException(
                    ErrorCode.WRITE_FAILED,
                    objects.path(key) + " has disappeared while the write was running",
                    "Let nobody clean up below _arraymorph, and run the write again"))
        .bytes();
  }

  private Elements decode(byte[] encoded, String what) {
    try {
      return array.pipeline().decode(ByteBuffer.wrap(encoded));
    } catch (CodecException corrupt) {
      throw new ArrayMorphException(
          ErrorCode.CHUNK_CORRUPT,
          "chunk " + chunk.coordinates() + " " + what + ": " + corrupt.getMessage(),
          "Repair that chunk before appending to it",
          corrupt);
    }
  }
}
