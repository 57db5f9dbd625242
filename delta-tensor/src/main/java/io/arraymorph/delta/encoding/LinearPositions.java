package io.arraymorph.delta.encoding;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.delta.payload.PayloadException;
import io.arraymorph.delta.payload.PayloadReader;
import io.arraymorph.delta.payload.PayloadWriter;
import io.arraymorph.delta.tensor.CellBuffer;
import java.util.function.IntFunction;

/** Positions in the box as one number each: the gaps between neighbours, as varints. */
final class LinearPositions implements PositionCodec {

  @Override
  public void write(long[][] columns, int from, int to, Geometry geometry, PayloadWriter out) {
    Odometer odometer = odometer(geometry);
    if (odometer.range() == Long.MAX_VALUE) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          "a block over " + geometry.box() + " has more than 2^63-1 cells",
          "Give a smaller block shape, or use the csf encoding");
    }
    long[] gaps = new long[to - from];
    long next = 0;
    for (int i = from; i < to; i++) {
      long number = odometer.number(columns, i);
      gaps[i - from] = number - next;
      next = number + 1;
    }
    out.writeVarints(gaps, gaps.length);
  }

  private static Odometer odometer(Geometry geometry) {
    return new Odometer(geometry.box(), geometry.axisOrder(), 0, geometry.axisOrder().length);
  }

  @Override
  public void read(PayloadReader in, int cells, Geometry geometry, CellBuffer out) {
    long[] numbers = numbers(in, cells, geometry, long[]::new);
    int at = out.extend(cells);
    odometer(geometry).store(numbers, PositionCodec.columns(out), at);
  }

  /**
   * The ascending numbers of a piece's cells over all axes, each inside the box.
   *
   * @param memory gives an array of at least so many numbers
   */
  static long[] numbers(
      PayloadReader in, int cells, Geometry geometry, IntFunction<long[]> memory) {
    if (cells > in.remaining()) {
      throw new PayloadException(cells + " positions in " + in.remaining() + " bytes");
    }
    long[] numbers = memory.apply(cells);
    in.readVarints(numbers, cells);
    long number = -1;
    long least = 0;
    for (int i = 0; i < cells; i++) {
      number += numbers[i] + 1;
      least |= number | numbers[i];
      numbers[i] = number;
    }
    if (least < 0 || (cells > 0 && number >= odometer(geometry).range())) {
      throw new PayloadException("position outside its box");
    }
    return numbers;
  }
}
