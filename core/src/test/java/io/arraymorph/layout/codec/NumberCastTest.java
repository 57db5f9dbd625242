package io.arraymorph.layout.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.array.DataType;
import io.arraymorph.array.FloatFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

class NumberCastTest {
  private static final DataType FLOAT64 = new DataType.Float(FloatFormat.FLOAT64);
  private static final DataType UINT8 = new DataType.Int(8, false);
  private static final DataType INT64 = new DataType.Int(64, true);
  private static final DataType UINT64 = new DataType.Int(64, false);

  private static byte[] doubles(double... values) {
    ByteBuffer bytes = ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (double value : values) {
      bytes.putDouble(value);
    }
    return bytes.array();
  }

  private static NumberCast cast(
      DataType encoded, NumberCast.Rounding rounding, NumberCast.Range range) {
    return new NumberCast("cast_value", FLOAT64, encoded, rounding, range, List.of(), List.of());
  }

  private static byte[] encode(NumberCast cast, int width, double... values) {
    byte[] to = new byte[values.length * width];
    cast.encode(doubles(values), 0, to, values.length);
    return to;
  }

  @Test
  void roundsAsToldAndToEvenOtherwise() {
    assertThat(
            encode(
                cast(UINT8, NumberCast.Rounding.NEAREST_EVEN, NumberCast.Range.ERROR),
                1,
                0.5,
                1.5,
                2.5,
                254.7))
        .containsExactly(0, 2, 2, 255);
    assertThat(
            encode(
                cast(UINT8, NumberCast.Rounding.TOWARDS_ZERO, NumberCast.Range.ERROR), 1, 0.9, 1.5))
        .containsExactly(0, 1);
    assertThat(
            encode(
                cast(UINT8, NumberCast.Rounding.NEAREST_AWAY, NumberCast.Range.ERROR), 1, 0.5, 2.5))
        .containsExactly(1, 3);
  }

  @Test
  void neverReturnsAnotherNumberUnlessToldTo() {
    NumberCast strict = cast(UINT8, NumberCast.Rounding.NEAREST_EVEN, NumberCast.Range.ERROR);
    for (double value : new double[] {256, -1, Double.NaN, Double.POSITIVE_INFINITY, 1e300}) {
      assertThatThrownBy(() -> encode(strict, 1, value)).isInstanceOf(CodecException.class);
    }
    NumberCast clamp = cast(UINT8, NumberCast.Rounding.NEAREST_EVEN, NumberCast.Range.CLAMP);
    assertThat(encode(clamp, 1, 256, -1, Double.NEGATIVE_INFINITY)).containsExactly(255, 0, 0);
    assertThatThrownBy(() -> encode(clamp, 1, Double.NaN)).isInstanceOf(CodecException.class);
  }

  @Test
  void keepsTheEndsOfSixtyFourBits() {
    NumberCast strict = cast(UINT64, NumberCast.Rounding.NEAREST_EVEN, NumberCast.Range.ERROR);
    byte[] stored = encode(strict, 8, 0x1p63, 0x1.fffffffffffffp63);
    byte[] back = new byte[16];
    strict.decode(stored, 0, back, 2);
    assertThat(back).isEqualTo(doubles(0x1p63, 0x1.fffffffffffffp63));
    assertThatThrownBy(() -> encode(strict, 8, 0x1p64)).isInstanceOf(CodecException.class);
    NumberCast integers =
        new NumberCast(
            "cast_value",
            INT64,
            UINT64,
            NumberCast.Rounding.NEAREST_EVEN,
            NumberCast.Range.ERROR,
            List.of(),
            List.of());
    byte[] minusOne = {-1, -1, -1, -1, -1, -1, -1, -1};
    assertThatThrownBy(() -> integers.encode(minusOne, 0, new byte[8], 1))
        .isInstanceOf(CodecException.class);
    assertThatThrownBy(() -> integers.decode(minusOne, 0, new byte[8], 1))
        .isInstanceOf(CodecException.class);
  }

  @Test
  void replacesScalarsBeforeItCasts() {
    NumberCast mapped =
        new NumberCast(
            "cast_value",
            FLOAT64,
            UINT8,
            NumberCast.Rounding.NEAREST_EVEN,
            NumberCast.Range.ERROR,
            List.of(new NumberCast.Replacement(new byte[] {-1}, doubles(Double.NaN))),
            List.of(new NumberCast.Replacement(doubles(Double.NaN), new byte[] {-1})));
    assertThat(encode(mapped, 1, Double.NaN, 7)).containsExactly(255, 7);
    byte[] back = new byte[16];
    mapped.decode(new byte[] {-1, 7}, 0, back, 2);
    assertThat(back).isEqualTo(doubles(Double.NaN, 7));
  }
}
