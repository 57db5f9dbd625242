package io.arraymorph.delta.encoding;

import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.StoredCells;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The pieces of a tensor that is not in blocks: runs of cells in the order of its axes, grouped by
 * the upper bits of their keys, each group sorted by itself in the processor's cache.
 */
final class RunPieces implements Pieces {
  /** So many bits of the keys make groups of cells, at most. */
  private static final int GROUP_BITS = 12;

  private final PieceMaker maker;
  private final StoredCells cells;
  private final CellKeys keys;
  private final KeyGroups sorted;
  private final int[] cuts;

  private RunPieces(
      PieceMaker maker, StoredCells cells, int count, CellKeys keys, boolean parallel) {
    this.maker = maker;
    this.cells = cells;
    this.keys = keys;
    int low = Math.max(0, keys.placeBits() - GROUP_BITS);
    this.sorted = KeyGroups.of(cells, count, keys, low, parallel);
    sorted.sort(keys, low, parallel);
    this.cuts = cuts(maker.layout(), count);
  }

  /** The pieces, or empty if keys and the numbers of cells do not fit into 63 bits together. */
  static Optional<RunPieces> of(
      PieceMaker maker, Shape shape, StoredCells cells, int count, boolean parallel) {
    CellKeys keys = new CellKeys(shape, shape, maker.layout().axes());
    return count > 0 && keys.placeBits() + KeyGroups.indexBits(count) <= 63
        ? Optional.of(new RunPieces(maker, cells, count, keys, parallel))
        : Optional.empty();
  }

  /** A run ends at the limit, or before if the slowest axis changes in its second half. */
  private int[] cuts(TensorLayout layout, int count) {
    int most = layout.pieceCells();
    int shift = keys.bitsBehind(Math.max(1, layout.compressedAxes()));
    IntStream.Builder cuts = IntStream.builder();
    for (int from = 0; from < count; ) {
      cuts.add(from);
      int to = (int) Math.min(count, (long) from + most);
      int limit = to;
      while (limit < count && to > from + most / 2 && sameRun(to, shift)) {
        to--;
      }
      from = to > from + most / 2 ? to : limit;
    }
    return cuts.add(count).build().toArray();
  }

  private boolean sameRun(int to, int shift) {
    return sorted.key(to) >>> shift == sorted.key(to - 1) >>> shift;
  }

  @Override
  public int count() {
    return cuts.length - 1;
  }

  @Override
  public int cells(int k) {
    return cuts[k + 1] - cuts[k];
  }

  @Override
  public Piece piece(int k, long number) {
    int from = cuts[k];
    int n = cuts[k + 1] - from;
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
