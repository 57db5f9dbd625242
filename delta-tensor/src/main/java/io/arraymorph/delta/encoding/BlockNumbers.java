package io.arraymorph.delta.encoding;

import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.PieceScratch;
import io.arraymorph.delta.tensor.Reciprocal;
import io.arraymorph.delta.tensor.StoredCells;
import java.util.Arrays;

/** The number of the block that holds a cell, blocks counted in C order. Immutable. */
final class BlockNumbers {
  private final Shape shape;
  private final Shape block;
  private final long blocks;

  BlockNumbers(Shape shape, Shape block) {
    this.shape = shape;
    this.block = block;
    long all = 1;
    for (int d = 0; d < shape.rank(); d++) {
      if (isCut(d)) {
        long extent = extent(d);
        all = Math.multiplyHigh(all, extent) != 0 || all * extent < 0 ? -1 : all * extent;
        if (all < 0) {
          break;
        }
      }
    }
    this.blocks = all;
  }

  private boolean isCut(int d) {
    return block.length(d) < shape.length(d);
  }

  private long extent(int d) {
    return (shape.length(d) - 1) / block.length(d) + 1;
  }

  /** True if the numbers of cells in C order ascend: only one cut dimension has longer blocks. */
  boolean areAscending() {
    int last = shape.rank() - 1;
    while (last >= 0 && !isCut(last)) {
      last--;
    }
    for (int d = 0; d < last; d++) {
      if (block.length(d) > 1 && shape.length(d) > 1) {
        return false;
      }
    }
    return blocks >= 0;
  }

  /** How many blocks there are, or -1 if their numbers are beyond 63 bits. */
  long blocks() {
    return blocks;
  }

  /** The numbers of the cells {@code [from, to)}, to the start of an array. */
  void of(StoredCells cells, int from, int to, long[] into) {
    of(cells, from, to, into, null, new int[shape.rank()]);
  }

  /**
   * As above, and the places in the blocks, each dimension's shifted by so many bits.
   *
   * @param places null if they are not wanted
   */
  void of(StoredCells cells, int from, int to, long[] into, long[] places, int[] shifts) {
    int n = to - from;
    long[] column = PieceScratch.get().third(n);
    Arrays.fill(into, 0, n, 0);
    if (places != null) {
      Arrays.fill(places, 0, n, 0);
    }
    for (int d = 0; d < shape.rank(); d++) {
      if (isCut(d)) {
        cells.copy(d, from, to, column);
        add(d, column, n, into, places, shifts[d]);
      } else if (places != null) {
        cells.copy(d, from, to, column);
        int shift = shifts[d];
        for (int i = 0; i < n; i++) {
          places[i] |= column[i] << shift;
        }
      }
    }
  }

  private void add(int d, long[] column, int n, long[] into, long[] places, int shift) {
    long length = block.length(d);
    long extent = extent(d);
    Reciprocal by = new Reciprocal(Math.max(2, length), shape.length(d));
    boolean exact = length > 1 && by.isExact();
    long factor = by.factor();
    for (int i = 0; i < n; i++) {
      long index = column[i];
      long above =
          length == 1 ? index : exact ? Math.multiplyHigh(index << 1, factor) : index / length;
      into[i] = into[i] * extent + above;
      if (places != null) {
        places[i] |= (index - above * length) << shift;
      }
    }
  }
}
