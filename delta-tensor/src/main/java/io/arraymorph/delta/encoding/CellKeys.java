package io.arraymorph.delta.encoding;

import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.PieceScratch;
import io.arraymorph.delta.tensor.StoredCells;

/**
 * Numbers cells in the order of a layout: the number of the block in the upper bits, below it the
 * place along each axis in the block, side by side, the fastest axis lowest. Immutable.
 */
final class CellKeys {
  private final BlockNumbers blocks;
  private final long[] lengths;
  private final int[] axes;
  private final int[] shifts;
  private final int[] widths;
  private final int placeBits;
  private final int blockBits;

  /**
   * @param block lengths of a block; the shape itself for cells in one block
   * @param axes slowest first
   */
  CellKeys(Shape shape, Shape block, int[] axes) {
    this.blocks = new BlockNumbers(shape, block);
    this.axes = axes.clone();
    this.lengths = new long[axes.length];
    this.shifts = new int[axes.length];
    this.widths = new int[axes.length];
    int sum = 0;
    for (int k = axes.length - 1; k >= 0; k--) {
      int d = axes[k];
      lengths[d] = Math.max(1, Math.min(shape.length(d), block.length(d)));
      widths[d] = 64 - Long.numberOfLeadingZeros(lengths[d] - 1);
      shifts[d] = sum;
      sum += widths[d];
    }
    this.placeBits = sum;
    this.blockBits = blocks.blocks() < 0 ? 64 : 64 - Long.numberOfLeadingZeros(blocks.blocks() - 1);
  }

  BlockNumbers blocks() {
    return blocks;
  }

  int[] axes() {
    return axes;
  }

  /** The bits of the place in a block. */
  int placeBits() {
    return placeBits;
  }

  /** The bits of the block's number; 64 if they are too many. */
  int blockBits() {
    return blockBits;
  }

  /** By how many bits the place along a dimension is shifted. */
  int shift(int d) {
    return shifts[d];
  }

  /** As many ones as the place along a dimension has bits. */
  long mask(int d) {
    return (1L << widths[d]) - 1;
  }

  /** The bits of the first axes of the order are above this one. */
  int bitsBehind(int firstAxes) {
    return firstAxes >= axes.length ? 0 : shifts[axes[firstAxes]] + widths[axes[firstAxes]];
  }

  /**
   * The bits of the last axes, along which cells of a block are in order if they came in C order.
   */
  int inOrderBits() {
    int k = axes.length - 1;
    while (k > 0 && axes[k - 1] < axes[k]) {
      k--;
    }
    return axes.length == 0 ? 0 : shifts[axes[k]] + widths[axes[k]];
  }

  /** The first index, along a dimension, of the block that holds an index. */
  long blockStart(int d, long index) {
    return index - index % lengths[d];
  }

  /** Numbers the cells {@code [from, to)}, to the start of an array. */
  void of(StoredCells cells, int from, int to, long[] into) {
    long[] places = PieceScratch.get().second(to - from);
    blocks.of(cells, from, to, into, places, shifts);
    for (int i = 0; i < to - from; i++) {
      into[i] = into[i] << placeBits | places[i];
    }
  }

  /** The places of the cells {@code [from, to)} in their blocks, to the start of an array. */
  void places(StoredCells cells, int from, int to, long[] into) {
    blocks.of(cells, from, to, PieceScratch.get().second(to - from), into, shifts);
  }
}
