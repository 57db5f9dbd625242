package io.arraymorph.delta.encoding;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.delta.payload.PayloadException;
import io.arraymorph.delta.payload.PayloadReader;
import io.arraymorph.delta.payload.PayloadWriter;
import io.arraymorph.delta.tensor.CellBuffer;

/**
 * Compressed rows of any rank (pydata's GCXS, doubly compressed): the compressed axes count as one
 * row number, the others as one column number, both within the box. Three blocks of varints: gaps
 * between the numbers of non-empty rows, cells per row minus one, gaps between column numbers.
 */
final class GcxsPositions implements PositionCodec {

  @Override
  public void write(long[][] columns, int from, int to, Geometry geometry, PayloadWriter out) {
    Odometer rows = rows(geometry);
    Odometer inRow = inRow(geometry);
    if (rows.range() == Long.MAX_VALUE || inRow.range() == Long.MAX_VALUE) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          "rows or columns over " + geometry.box() + " count more than 2^63-1",
          "Use the csf or coo encoding");
    }
    PayloadWriter rowGaps = new PayloadWriter();
    PayloadWriter counts = new PayloadWriter();
    PayloadWriter columnGaps = new PayloadWriter();
    long nextRow = 0;
    for (int i = from; i < to; ) {
      long row = rows.number(columns, i);
      rowGaps.writeVarint(row - nextRow);
      nextRow = row + 1;
      int first = i;
      long nextColumn = 0;
      while (i < to && rows.number(columns, i) == row) {
        long column = inRow.number(columns, i);
        columnGaps.writeVarint(column - nextColumn);
        nextColumn = column + 1;
        i++;
      }
      counts.writeVarint(i - first - 1);
    }
    out.writeBlock(rowGaps);
    out.writeBlock(counts);
    out.writeBlock(columnGaps);
  }

  private static Odometer rows(Geometry g) {
    return new Odometer(g.box(), g.axisOrder(), 0, g.compressedAxes());
  }

  private static Odometer inRow(Geometry g) {
    return new Odometer(g.box(), g.axisOrder(), g.compressedAxes(), g.axisOrder().length);
  }

  @Override
  public void read(PayloadReader in, int cells, Geometry geometry, CellBuffer out) {
    PayloadReader rowGaps = in.readBlock();
    PayloadReader counts = in.readBlock();
    PayloadReader columnGaps = in.readBlock();
    if (cells > columnGaps.remaining()) {
      throw new PayloadException(cells + " columns in " + columnGaps.remaining() + " bytes");
    }
    Odometer rows = rows(geometry);
    Odometer inRow = inRow(geometry);
    int at = out.extend(cells);
    long[][] columns = PositionCodec.columns(out);
    for (int i = 0; i < cells; ) {
      rows.advance(rowGaps.readVarint() + (i == 0 ? 0 : 1));
      int count = counts.readCount(cells - i - 1) + 1;
      inRow.reset();
      for (int c = 0; c < count; c++, i++) {
        inRow.advance(columnGaps.readVarint() + (c == 0 ? 0 : 1));
        rows.store(columns, at + i);
        inRow.store(columns, at + i);
      }
    }
    rowGaps.expectEnd();
    counts.expectEnd();
    columnGaps.expectEnd();
  }
}
