package io.arraymorph.layout.cf;

import io.arraymorph.array.FloatFormat;
import java.util.EnumMap;
import java.util.Map;

/** Floating point numbers of 8 and 16 bits as binary32, which holds each of them exactly. */
final class SmallFloats {
  private static final Map<FloatFormat, float[]> TABLES = new EnumMap<>(FloatFormat.class);

  static {
    for (FloatFormat format : FloatFormat.values()) {
      if (format.byteWidth() == 1) {
        TABLES.put(format, table(format));
      }
    }
    TABLES.put(FloatFormat.FLOAT16, table(FloatFormat.FLOAT16));
  }

  private SmallFloats() {}

  /** The values of all bit patterns of a format of 8 bits, or of FLOAT16. */
  static float[] values(FloatFormat format) {
    return TABLES.get(format);
  }

  /** The value of a bfloat16: the upper half of a binary32. */
  static float bfloat16(short bits) {
    return Float.intBitsToFloat(bits << 16);
  }

  private static float[] table(FloatFormat format) {
    float[] values = new float[1 << (8 * format.byteWidth())];
    for (int bits = 0; bits < values.length; bits++) {
      values[bits] = value(format, bits);
    }
    return values;
  }

  private static float value(FloatFormat format, int bits) {
    switch (format) {
      case FLOAT8_E4M3FN:
        // No infinity; all ones is NaN.
        return (bits & 0x7F) == 0x7F ? Float.NaN : finite(bits, 8, 3, 7);
      case FLOAT8_E4M3FNUZ:
        return bits == 0x80 ? Float.NaN : finite(bits, 8, 3, 8);
      case FLOAT8_E4M3B11FNUZ:
        return bits == 0x80 ? Float.NaN : finite(bits, 8, 3, 11);
      case FLOAT8_E5M2FNUZ:
        return bits == 0x80 ? Float.NaN : finite(bits, 8, 2, 16);
      case FLOAT8_E5M2:
        return ieee(bits, 8, 2, 15);
      case FLOAT16:
        return ieee(bits, 16, 10, 15);
      default:
        throw new IllegalArgumentException(format + " has no table");
    }
  }

  /** The greatest exponent is infinity or NaN; the payload of NaN is kept. */
  private static float ieee(int bits, int width, int mantissaBits, int bias) {
    int exponent = (bits & ((1 << (width - 1)) - 1)) >> mantissaBits;
    if (exponent < (1 << (width - 1 - mantissaBits)) - 1) {
      return finite(bits, width, mantissaBits, bias);
    }
    int sign = (bits >> (width - 1)) << 31;
    int mantissa = (bits & ((1 << mantissaBits) - 1)) << (23 - mantissaBits);
    return Float.intBitsToFloat(sign | 0x7F800000 | mantissa);
  }

  private static float finite(int bits, int width, int mantissaBits, int bias) {
    int exponent = (bits & ((1 << (width - 1)) - 1)) >> mantissaBits;
    int mantissa = bits & ((1 << mantissaBits) - 1);
    float magnitude =
        exponent == 0
            ? Math.scalb((float) mantissa, 1 - bias - mantissaBits)
            : Math.scalb((float) (mantissa | (1 << mantissaBits)), exponent - bias - mantissaBits);
    return bits >> (width - 1) == 0 ? magnitude : -magnitude;
  }
}
