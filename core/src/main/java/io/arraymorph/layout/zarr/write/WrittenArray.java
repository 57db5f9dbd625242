package io.arraymorph.layout.zarr.write;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.codec.CodecPipeline;
import java.util.Arrays;
import java.util.List;

/**
 * An array that is being written, as tasks see it: where its chunk objects go, and which indices
 * may be written.
 *
 * <p>Immutable and thread-safe.
 */
public final class WrittenArray {
  private final String member;
  private final ChunkedArray array;
  private final int grownAxis;
  private final long[] first;
  private final long[] limit;

  private WrittenArray(
      String member, ChunkedArray array, int grownAxis, long[] first, long[] limit) {
    this.member = member;
    this.array = array;
    this.grownAxis = grownAxis;
    this.first = first;
    this.limit = limit;
  }

  /**
   * An array of which every index below {@code limit} may be written.
   *
   * @param member its key relative to the target; empty if it is the target
   * @param array with a regular grid; its shape is not looked at
   * @param limit one past the last index along each dimension; {@link Long#MAX_VALUE} where the
   *     shape comes from the data
   */
  public static WrittenArray whole(String member, ChunkedArray array, long... limit) {
    return new WrittenArray(member, array, -1, new long[limit.length], limit.clone());
  }

  /**
   * An array of which only indices from {@code first} on along {@code axis} may be written; chunks
   * that also hold cells before are edges, of which the old cells are kept.
   */
  public static WrittenArray grown(
      String member, ChunkedArray array, int axis, long first, long... limit) {
    long[] firsts = new long[limit.length];
    firsts[axis] = first;
    return new WrittenArray(member, array, axis, firsts, limit.clone());
  }

  /** Its key relative to the target; empty if it is the target. */
  public String member() {
    return member;
  }

  /** Type, fill value, grid and codecs. */
  public ChunkedArray array() {
    return array;
  }

  /** The nominal shape of a chunk object. */
  public Shape objectShape() {
    return ((RegularChunkGrid) array.grid()).chunkShape();
  }

  /** How chunk objects are encoded. */
  CodecPipeline pipeline() {
    return array.pipeline(objectShape());
  }

  /** The final key of a chunk object, relative to the target. */
  String key(ChunkCoordinates chunk) {
    String path = array.path().key();
    String object = array.chunkObject(chunk).key();
    return ZarrKeys.in(member, object.substring(path.isEmpty() ? 0 : path.length() + 1));
  }

  /** The chunk object that holds a cell. */
  ChunkCoordinates chunkOf(long[] index) {
    long[] chunk = new long[index.length];
    for (int d = 0; d < chunk.length; d++) {
      chunk[d] = index[d] / objectShape().length(d);
    }
    return ChunkCoordinates.of(chunk);
  }

  /** The index of a chunk object's first cell. */
  long[] start(ChunkCoordinates chunk) {
    long[] start = chunk.toArray();
    for (int d = 0; d < start.length; d++) {
      start[d] *= objectShape().length(d);
    }
    return start;
  }

  /** The axis that grows, or -1. */
  int grownAxis() {
    return grownAxis;
  }

  /** True if a cell may be written. */
  boolean accepts(long[] index) {
    for (int d = 0; d < limit.length; d++) {
      if (index[d] < first[d] || index[d] >= limit[d]) {
        return false;
      }
    }
    return true;
  }

  /** True if the chunk object also holds cells that exist already. */
  boolean isEdge(ChunkCoordinates chunk) {
    for (int d = 0; d < first.length; d++) {
      if (chunk.index(d) * objectShape().length(d) < first[d]) {
        return true;
      }
    }
    return false;
  }

  /** The number of cells of a chunk object that can be written: all but those beyond the limit. */
  long writableCells(ChunkCoordinates chunk) {
    long cells = 1;
    for (int d = 0; d < limit.length; d++) {
      long length = objectShape().length(d);
      cells *= Math.min(length, limit[d] - chunk.index(d) * length);
    }
    return cells;
  }

  /**
   * The number of indices along each dimension that existed before; 0 for axes that do not grow.
   */
  long[] first() {
    return first.clone();
  }

  /**
   * Makes sure that a box of cells may be written.
   *
   * @throws ArrayMorphException OUT_OF_BOUNDS otherwise
   */
  void require(long[] start, Shape counts) {
    List<String> names = array.schema().dimensionNames();
    for (int d = 0; d < limit.length; d++) {
      long from = start[d];
      long to = from + counts.length(d);
      if (from < 0 || to > limit[d] || to < from) {
        throw new ArrayMorphException(
            ErrorCode.OUT_OF_BOUNDS,
            "index "
                + (from < 0 ? from : to - 1)
                + " of dimension "
                + names.get(d)
                + " lies outside "
                + array.path()
                + ", which has "
                + limit[d],
            "Correct the index, or give a larger shape");
      }
      if (from < first[d]) {
        throw new ArrayMorphException(
            ErrorCode.OUT_OF_BOUNDS,
            "index "
                + from
                + " of dimension "
                + names.get(d)
                + " exists already in "
                + array.path()
                + ", which has "
                + first[d],
            "Append only cells from index " + first[d] + " on, or overwrite the array");
      }
    }
  }

  /** An error about one cell of this array. */
  ArrayMorphException duplicate(long[] index) {
    return new ArrayMorphException(
        ErrorCode.DUPLICATE_CELL,
        "cell "
            + Arrays.toString(index)
            + " (dimensions "
            + array.schema().dimensionNames()
            + ") of "
            + array.path()
            + " is given more than once",
        "Remove the duplicate rows, or write with option duplicates=last");
  }
}
