package io.arraymorph.delta.encoding;

import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.Reciprocal;

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

  /** How many blocks there are, or -1 if their numbers are beyond 63 bits. */
  long blocks() {
    return blocks;
  }

  /** The numbers of the cells {@code [from, to)}, to the start of an array. */
  void of(long[][] columns, int from, int to, long[] into) {
    int n = to - from;
    boolean first = true;
    for (int d = 0; d < shape.rank(); d++) {
      if (isCut(d)) {
        add(columns[d], from, n, block.length(d), first ? 0 : extent(d), into, d);
        first = false;
      }
    }
    if (first) {
      java.util.Arrays.fill(into, 0, n, 0);
    }
  }

  private void add(long[] column, int from, int n, long length, long extent, long[] into, int d) {
    if (extent == 0) {
      java.util.Arrays.fill(into, 0, n, 0);
    }
    if (Long.bitCount(length) == 1) {
      int shift = Long.numberOfTrailingZeros(length);
      for (int i = 0; i < n; i++) {
        into[i] = into[i] * extent + (column[from + i] >>> shift);
      }
      return;
    }
    Reciprocal by = new Reciprocal(length, shape.length(d));
    if (by.isExact()) {
      long factor = by.factor();
      for (int i = 0; i < n; i++) {
        into[i] = into[i] * extent + Math.multiplyHigh(column[from + i] << 1, factor);
      }
      return;
    }
    for (int i = 0; i < n; i++) {
      into[i] = into[i] * extent + column[from + i] / length;
    }
  }
}
