package io.arraymorph.delta.encoding;

import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.StoredCells;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The pieces of a tensor that is not in blocks: runs of cells in the order of its axes, grouped by
 * the upper bits of their keys, each group sorted by itself in the processor's cache.
 */
final class RunPieces extends Pieces {
  /** So many bits of the keys make groups of cells, at most. */
  private static final int GROUP_BITS = 12;

  private final PieceMaker maker;
  private final StoredCells cells;
  private final CellKeys keys;
  private final KeyGroups sorted;

  private RunPieces(
      PieceMaker maker, StoredCells cells, CellKeys keys, KeyGroups sorted, int[] cuts) {
    super(cuts);
    this.maker = maker;
    this.cells = cells;
    this.keys = keys;
    this.sorted = sorted;
  }

  /** The pieces, or empty if keys and the numbers of cells do not fit into 63 bits together. */
  static Optional<RunPieces> of(
      PieceMaker maker, Shape shape, StoredCells cells, int count, boolean parallel) {
    CellKeys keys = new CellKeys(shape, shape, maker.layout().axes());
    if (count == 0 || keys.placeBits() + KeyGroups.indexBits(count) > 63) {
      return Optional.empty();
    }
    int low = Math.max(0, keys.placeBits() - GROUP_BITS);
    KeyGroups sorted = KeyGroups.of(cells, count, keys, low, parallel);
    sorted.sort(keys, low, parallel);
    return Optional.of(
        new RunPieces(maker, cells, keys, sorted, cuts(maker.layout(), keys, sorted, count)));
  }

  /** A run ends at the limit, or before if the slowest axis changes in its second half. */
  private static int[] cuts(TensorLayout layout, CellKeys keys, KeyGroups sorted, int count) {
    int most = layout.pieceCells();
    int shift = keys.bitsBehind(Math.max(1, layout.compressedAxes()));
    IntStream.Builder cuts = IntStream.builder();
    for (int from = 0; from < count; ) {
      cuts.add(from);
      int to = (int) Math.min(count, (long) from + most);
      int limit = to;
      while (limit < count && to > from + most / 2 && sameRun(sorted, to, shift)) {
        to--;
      }
      from = to > from + most / 2 ? to : limit;
    }
    return cuts.add(count).build().toArray();
  }

  private static boolean sameRun(KeyGroups sorted, int to, int shift) {
    return sorted.key(to) >>> shift == sorted.key(to - 1) >>> shift;
  }

  @Override
  Piece piece(int from, int n, long number) {
    long[][] columns = new long[cells.rank()][n];
    for (int d = 0; d < columns.length; d++) {
      int shift = keys.shift(d);
      long mask = keys.mask(d);
      long[] column = columns[d];
      for (int i = 0; i < n; i++) {
        column[i] = sorted.key(from + i) >>> shift & mask;
      }
    }
    int[] order = new int[n];
    for (int i = 0; i < n; i++) {
      order[i] = sorted.cell(from + i);
    }
    return maker.piece(number, columns, 0, n, new PieceValues(cells, order));
  }
}
