package io.arraymorph.delta.encoding;

import io.arraymorph.delta.payload.PayloadException;
import io.arraymorph.delta.payload.PayloadReader;
import io.arraymorph.delta.payload.PayloadWriter;
import io.arraymorph.delta.tensor.CellBuffer;

/**
 * One column of varints per axis: the index as a distance from the cell before while all slower
 * axes are unchanged, else from the low corner of the box.
 */
final class CooPositions implements PositionCodec {

  @Override
  public void write(long[][] columns, int from, int to, Geometry geometry, PayloadWriter out) {
    boolean[] same = new boolean[to - from];
    java.util.Arrays.fill(same, true);
    PayloadWriter block = new PayloadWriter();
    long[] gaps = new long[to - from];
    for (int axis : geometry.axisOrder()) {
      long[] column = columns[axis];
      long low = geometry.box().low(axis);
      long before = low;
      for (int i = from; i < to; i++) {
        long index = column[i];
        gaps[i - from] = index - (same[i - from] ? before : low);
        same[i - from] &= i > from && index == before;
        before = index;
      }
      block.writeVarints(gaps, gaps.length);
      out.writeBlock(block);
      block.reset();
    }
  }

  @Override
  public void read(PayloadReader in, int cells, Geometry geometry, CellBuffer out) {
    PayloadReader[] blocks = new PayloadReader[geometry.axisOrder().length];
    for (int k = 0; k < blocks.length; k++) {
      blocks[k] = in.readBlock();
      if (cells > blocks[k].remaining()) {
        throw new PayloadException(cells + " indices in " + blocks[k].remaining() + " bytes");
      }
    }
    if (blocks.length == 0 && cells > 1) {
      throw new PayloadException(cells + " cells of a scalar");
    }
    int at = out.extend(cells);
    boolean[] same = new boolean[cells];
    java.util.Arrays.fill(same, true);
    for (int k = 0; k < blocks.length; k++) {
      int axis = geometry.axisOrder()[k];
      long[] column = out.column(axis);
      long low = geometry.box().low(axis);
      long high = geometry.box().high(axis);
      long before = low;
      for (int i = 0; i < cells; i++) {
        long index = (same[i] ? before : low) + blocks[k].readVarint();
        if (index < low || index > high) {
          throw new PayloadException("index outside its box");
        }
        column[at + i] = index;
        same[i] &= i > 0 && index == before;
        before = index;
      }
      blocks[k].expectEnd();
    }
  }
}
