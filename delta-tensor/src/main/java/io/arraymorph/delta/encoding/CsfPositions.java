package io.arraymorph.delta.encoding;

import io.arraymorph.delta.payload.PayloadException;
import io.arraymorph.delta.payload.PayloadReader;
import io.arraymorph.delta.payload.PayloadWriter;
import io.arraymorph.delta.tensor.CellBuffer;

/**
 * A tree with one level per axis, as in compressed sparse fibres: for each level a block of varints
 * with the index of every node (from the low corner for a first child, else the gap to its sibling
 * minus one), then for each level but the last a block with the number of children of every node
 * minus one. Summing the children gives Arrow's {@code indptr}, undoing the gaps its {@code
 * indices}.
 */
final class CsfPositions implements PositionCodec {

  @Override
  public void write(long[][] columns, int from, int to, Geometry geometry, PayloadWriter out) {
    int rank = geometry.axisOrder().length;
    PayloadWriter[] indices = writers(rank);
    PayloadWriter[] children = writers(rank);
    long[] open = new long[rank];
    for (int i = from; i < to; i++) {
      int changed = i == from ? 0 : firstChange(columns, i - 1, i, geometry);
      for (int k = rank - 2; k >= changed && i > from; k--) {
        children[k].writeVarint(open[k] - 1);
        open[k] = 0;
      }
      for (int k = changed; k < rank; k++) {
        int axis = geometry.axisOrder()[k];
        long index = columns[axis][i];
        boolean sibling = k == changed && i > from;
        long base = sibling ? columns[axis][i - 1] + 1 : geometry.box().low(axis);
        indices[k].writeVarint(index - base);
        if (k > 0) {
          open[k - 1]++;
        }
      }
    }
    for (int k = rank - 2; k >= 0; k--) {
      children[k].writeVarint(open[k] - 1);
    }
    for (int k = 0; k < rank; k++) {
      out.writeBlock(indices[k]);
    }
    for (int k = 0; k < rank - 1; k++) {
      out.writeBlock(children[k]);
    }
  }

  private static PayloadWriter[] writers(int count) {
    PayloadWriter[] writers = new PayloadWriter[count];
    java.util.Arrays.setAll(writers, k -> new PayloadWriter());
    return writers;
  }

  private static int firstChange(long[][] columns, int before, int cell, Geometry geometry) {
    int k = 0;
    for (int axis : geometry.axisOrder()) {
      if (columns[axis][before] != columns[axis][cell]) {
        return k;
      }
      k++;
    }
    throw new IllegalArgumentException("the same cell twice");
  }

  @Override
  public void read(PayloadReader in, int cells, Geometry geometry, CellBuffer out) {
    int rank = geometry.axisOrder().length;
    if (rank == 0) {
      if (cells > 1) {
        throw new PayloadException(cells + " cells of a scalar");
      }
      out.extend(cells);
      return;
    }
    PayloadReader[] indices = new PayloadReader[rank];
    PayloadReader[] children = new PayloadReader[rank - 1];
    for (int k = 0; k < rank; k++) {
      indices[k] = in.readBlock();
    }
    for (int k = 0; k < rank - 1; k++) {
      children[k] = in.readBlock();
    }
    if (cells > indices[rank - 1].remaining()) {
      throw new PayloadException(cells + " leaves in " + indices[rank - 1].remaining() + " bytes");
    }
    int at = out.extend(cells);
    new Walk(geometry, indices, children, PositionCodec.columns(out), at, at + cells).run();
  }

  /** One pass over the tree, depth first: every block is read from start to end. */
  private static final class Walk {
    private final Geometry geometry;
    private final PayloadReader[] indices;
    private final PayloadReader[] children;
    private final long[][] columns;
    private final int end;
    private int at;

    Walk(
        Geometry geometry,
        PayloadReader[] indices,
        PayloadReader[] children,
        long[][] columns,
        int at,
        int end) {
      this.geometry = geometry;
      this.indices = indices;
      this.children = children;
      this.columns = columns;
      this.at = at;
      this.end = end;
    }

    void run() {
      siblings(0, Long.MAX_VALUE);
      if (at != end) {
        throw new PayloadException("the tree has too few leaves");
      }
      for (PayloadReader block : indices) {
        block.expectEnd();
      }
      for (PayloadReader block : children) {
        block.expectEnd();
      }
    }

    /** Visits {@code count} siblings, or on level 0 as many as the block holds. */
    private void siblings(int level, long count) {
      int axis = geometry.axisOrder()[level];
      long low = geometry.box().low(axis);
      long high = geometry.box().high(axis);
      long next = low;
      boolean leaf = level == indices.length - 1;
      for (long i = 0; i < count && (level > 0 || indices[0].remaining() > 0); i++) {
        long index = next + indices[level].readVarint();
        if (index < next || index > high || at == end) {
          throw new PayloadException("tree outside its box");
        }
        next = index + 1;
        int from = at;
        if (leaf) {
          at++;
        } else {
          siblings(level + 1, children[level].readCount(end - at) + 1L);
        }
        java.util.Arrays.fill(columns[axis], from, at, index);
      }
    }
  }
}
