package io.arraymorph.delta.table;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.Region;
import io.arraymorph.store.ReadCondition;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Everything of a data file but its payloads: one entry per row, and the bytes of the footer. What
 * rows a slice needs is decided here, without I/O. Immutable.
 */
final class FileIndex {
  private final DataFile file;
  private final String[] tensors;
  private final int[] kinds;
  private final long[] parts;
  private final long[][] low;
  private final long[][] high;
  private final long[] cells;
  private final long[] rawBytes;
  private final String[] encodings;
  private final Tail tail;

  /**
   * The end of the file, kept to read it again without a request.
   *
   * @param start position of its first byte in the file
   * @param version what pins the version of the object
   * @param pages the payload pages, if they can be read without Parquet's reader
   */
  @SuppressWarnings("ArrayRecordComponent") // A cached buffer.
  record Tail(long start, byte[] bytes, ReadCondition version, Optional<PayloadPages> pages) {}

  /** Columns as read; a null in {@code low}, {@code high} is -1. */
  FileIndex(
      DataFile file,
      String[] tensors,
      int[] kinds,
      long[] parts,
      long[][] low,
      long[][] high,
      long[] cells,
      long[] rawBytes,
      String[] encodings,
      Tail tail) {
    this.file = file;
    this.tensors = tensors;
    this.kinds = kinds;
    this.parts = parts;
    this.low = low;
    this.high = high;
    this.cells = cells;
    this.rawBytes = rawBytes;
    this.encodings = encodings;
    this.tail = tail;
  }

  DataFile file() {
    return file;
  }

  Tail tail() {
    return tail;
  }

  int rows() {
    return kinds.length;
  }

  /** The data rows of a tensor that may hold cells of a region. */
  int[] dataRows(String tensor, Region region) {
    return rows(
        row ->
            kinds[row] == TableColumns.DATA
                && tensors[row].equals(tensor)
                && mayMeet(row, region)
                && region.intersects(box(row, region.rank())));
  }

  /** False if the bounds of a row, if valid, do not meet those of a region. */
  private boolean mayMeet(int row, Region region) {
    if (region.isEmpty()) {
      return false;
    }
    int rank = Math.min(region.rank(), low.length);
    for (int d = 0; d < rank; d++) {
      long from = low[d][row];
      long to = high[d][row];
      if (from >= 0 && from <= to && (from > region.last(d) || to < region.first(d))) {
        return false;
      }
    }
    return true;
  }

  /** The header rows of tensors whose id passes. */
  int[] headerRows(java.util.function.Predicate<String> tensor) {
    return rows(row -> kinds[row] == TableColumns.HEADER && tensor.test(tensors[row]));
  }

  /** All live rows that pass. */
  int[] rows(IntPredicate test) {
    return IntStream.range(0, rows()).filter(r -> !file.isDeleted(r) && test.test(r)).toArray();
  }

  String tensor(int row) {
    return tensors[row];
  }

  boolean isHeader(int row) {
    return kinds[row] == TableColumns.HEADER;
  }

  long part(int row) {
    return parts[row];
  }

  long cells(int row) {
    return cells[row];
  }

  long rawBytes(int row) {
    return rawBytes[row];
  }

  String encoding(int row) {
    return encodings[row];
  }

  /** The number of dimensions for which a row has bounds. */
  int rank(int row) {
    int rank = 0;
    while (rank < low.length && low[rank][row] >= 0) {
      rank++;
    }
    return rank;
  }

  /** The box of a row; METADATA_INVALID if its bounds are not one of that rank. */
  Box box(int row, int rank) {
    long[] from = new long[rank];
    long[] to = new long[rank];
    for (int d = 0; d < rank; d++) {
      from[d] = d < low.length ? low[d][row] : -1;
      to[d] = d < high.length ? high[d][row] : -1;
    }
    try {
      return Box.of(from, to);
    } catch (IllegalArgumentException e) {
      throw new ArrayMorphException(
          ErrorCode.CHUNK_CORRUPT,
          "row " + row + " of " + file + " has the bounds " + e.getMessage(),
          "The row was not written by arraymorph, or was damaged",
          e);
    }
  }
}
