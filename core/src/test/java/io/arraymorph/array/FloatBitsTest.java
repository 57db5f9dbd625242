package io.arraymorph.array;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FloatBitsTest {

  private static List<FloatFormat> smallFormats() {
    List<FloatFormat> formats = new ArrayList<>();
    for (FloatFormat format : FloatFormat.values()) {
      if (format.byteWidth() < 4) {
        formats.add(format);
      }
    }
    return formats;
  }

  @Test
  void everyNumberKeepsItsBits() {
    for (FloatFormat format : smallFormats()) {
      for (long bits = 0; bits < 1L << (8 * format.byteWidth()); bits++) {
        double value = FloatBits.toDouble(format, bits);
        if (Double.isNaN(value)) {
          assertThat(FloatBits.toDouble(format, FloatBits.of(format, value))).isNaN();
        } else {
          assertThat(FloatBits.of(format, value)).as("%s %x", format, bits).isEqualTo(bits);
        }
      }
    }
  }

  @Test
  void whatLiesBetweenTwoNumbersGoesToTheNearestAndTiesToEven() {
    for (FloatFormat format : smallFormats()) {
      long top = 1L << (8 * format.byteWidth() - 1);
      for (long bits = 0; bits + 1 < top; bits++) {
        double low = FloatBits.toDouble(format, bits);
        double high = FloatBits.toDouble(format, bits + 1);
        if (!Double.isFinite(low) || !Double.isFinite(high)) {
          continue;
        }
        double middle = low + (high - low) / 2; // exact: few bits
        long even = (bits & 1) == 0 ? bits : bits + 1;
        assertThat(FloatBits.of(format, middle)).as("%s %x", format, bits).isEqualTo(even);
        assertThat(FloatBits.of(format, Math.nextDown(middle))).isEqualTo(bits);
        assertThat(FloatBits.of(format, Math.nextUp(middle))).isEqualTo(bits + 1);
      }
    }
  }

  @Test
  void knowsLandmarks() {
    assertThat(FloatBits.of(FloatFormat.FLOAT16, 65504)).isEqualTo(0x7bff);
    assertThat(FloatBits.of(FloatFormat.FLOAT16, 65520)).isEqualTo(0x7c00);
    assertThat(FloatBits.of(FloatFormat.FLOAT16, -0.0)).isEqualTo(0x8000);
    assertThat(FloatBits.of(FloatFormat.FLOAT16, 0x1p-24)).isEqualTo(1);
    assertThat(FloatBits.of(FloatFormat.BFLOAT16, 1)).isEqualTo(0x3f80);
    assertThat(FloatBits.of(FloatFormat.FLOAT8_E4M3FN, 448)).isEqualTo(0x7e);
    assertThat(FloatBits.of(FloatFormat.FLOAT8_E5M2, 57344)).isEqualTo(0x7b);
    assertThat(FloatBits.of(FloatFormat.FLOAT8_E4M3FNUZ, -0.0)).isEqualTo(0);
    assertThat(FloatBits.toDouble(FloatFormat.FLOAT8_E4M3FNUZ, 0x80)).isNaN();
  }
}
