package io.arraymorph.delta.encoding;

import io.arraymorph.delta.payload.PayloadReader;
import io.arraymorph.delta.payload.PayloadWriter;
import io.arraymorph.delta.tensor.CellBuffer;

/** Every position of the box: nothing is stored. */
final class AllPositions implements PositionCodec {

  @Override
  public void write(long[][] columns, int from, int to, Geometry geometry, PayloadWriter out) {}

  @Override
  public void read(PayloadReader in, int cells, Geometry geometry, CellBuffer out) {
    Odometer odometer =
        new Odometer(geometry.box(), geometry.axisOrder(), 0, geometry.axisOrder().length);
    int at = out.extend(cells);
    long[][] columns = PositionCodec.columns(out);
    for (int i = 0; i < cells; i++) {
      odometer.advance(i == 0 ? 0 : 1);
      odometer.store(columns, at + i);
    }
  }
}
