package io.arraymorph.delta.encoding;

import io.arraymorph.delta.payload.PayloadException;
import io.arraymorph.delta.payload.PayloadReader;
import io.arraymorph.delta.payload.PayloadWriter;
import io.arraymorph.delta.tensor.CellBuffer;

/** One bit per position of the box, least significant bit of the first byte first. */
final class BitmapPositions implements PositionCodec {

  @Override
  public void write(long[][] columns, int from, int to, Geometry geometry, PayloadWriter out) {
    Odometer odometer = odometer(geometry);
    int start = out.writeZeros(Math.toIntExact((odometer.range() + 7) / 8));
    for (int i = from; i < to; i++) {
      long number = odometer.number(columns, i);
      out.orByte(start + (int) (number >>> 3), 1 << (int) (number & 7));
    }
  }

  private static Odometer odometer(Geometry geometry) {
    return new Odometer(geometry.box(), geometry.axisOrder(), 0, geometry.axisOrder().length);
  }

  @Override
  public void read(PayloadReader in, int cells, Geometry geometry, CellBuffer out) {
    Odometer odometer = odometer(geometry);
    long range = odometer.range();
    if (cells > range || range > 8L * in.remaining()) {
      throw new PayloadException(range + " bits in " + in.remaining() + " bytes");
    }
    int start = in.skip((int) ((range + 7) / 8));
    int at = out.extend(cells);
    long[][] columns = PositionCodec.columns(out);
    int found = 0;
    long last = 0;
    for (int b = 0; b < (range + 7) / 8; b++) {
      for (int bits = in.array()[start + b] & 0xFF; bits != 0; bits &= bits - 1) {
        long number = 8L * b + Integer.numberOfTrailingZeros(bits);
        if (found == cells) {
          throw new PayloadException("more bits set than the " + cells + " cells of the row");
        }
        odometer.advance(number - last);
        last = number;
        odometer.store(columns, at + found++);
      }
    }
    if (found != cells) {
      throw new PayloadException(found + " bits set for " + cells + " cells");
    }
  }
}
