package io.arraymorph.delta.encoding;

import io.arraymorph.delta.payload.PayloadReader;
import io.arraymorph.delta.payload.PayloadWriter;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.CellBuffer;

/**
 * The positions of a piece's cells as payload bytes, relative to the piece's box.
 *
 * <p>Both directions take the cells in ascending order of {@link Geometry#axisOrder}.
 */
interface PositionCodec {

  /**
   * What positions are relative to.
   *
   * @param box bounding box of the cells
   * @param axisOrder the order in which axes count, slowest first
   * @param compressedAxes how many of the leading axes are compressed (CSR, CSC)
   */
  @SuppressWarnings("ArrayRecordComponent") // Lives for one call.
  record Geometry(Box box, int[] axisOrder, int compressedAxes) {}

  /** Appends the positions of the cells {@code [from, to)}, which are ascending. */
  void write(long[][] columns, int from, int to, Geometry geometry, PayloadWriter out);

  /** Reads the positions of {@code cells} cells and appends them. */
  void read(PayloadReader in, int cells, Geometry geometry, CellBuffer out);

  /** The columns of a buffer, to be written from {@code extend}'s result on. */
  static long[][] columns(CellBuffer out) {
    long[][] columns = new long[out.rank()][];
    for (int d = 0; d < columns.length; d++) {
      columns[d] = out.column(d);
    }
    return columns;
  }
}
