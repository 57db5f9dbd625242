package io.arraymorph.array;

/** The bits of numbers in any floating point format, rounded half to even. */
public final class FloatBits {

  /** The parameters of a small format. */
  private enum Small {
    E4M3FN(4, 3, 7, false, 0x7e, 0x7f),
    E5M2(5, 2, 15, true, 0x7b, 0x7e),
    E4M3B11FNUZ(4, 3, 11, false, 0x7f, 0x80),
    E4M3FNUZ(4, 3, 8, false, 0x7f, 0x80),
    E5M2FNUZ(5, 2, 16, false, 0x7f, 0x80),
    HALF(5, 10, 15, true, 0x7bff, 0x7e00),
    BFLOAT(8, 7, 127, true, 0x7f7f, 0x7fc0);

    final int exponentBits;
    final int mantissaBits;
    final int bias;
    final boolean hasInfinity;
    final int largest;
    final int nan;

    Small(int exponentBits, int mantissaBits, int bias, boolean hasInfinity, int largest, int nan) {
      this.exponentBits = exponentBits;
      this.mantissaBits = mantissaBits;
      this.bias = bias;
      this.hasInfinity = hasInfinity;
      this.largest = largest;
      this.nan = nan;
    }
  }

  private FloatBits() {}

  private static Small small(FloatFormat format) {
    switch (format) {
      case FLOAT8_E4M3FN:
        return Small.E4M3FN;
      case FLOAT8_E5M2:
        return Small.E5M2;
      case FLOAT8_E4M3B11FNUZ:
        return Small.E4M3B11FNUZ;
      case FLOAT8_E4M3FNUZ:
        return Small.E4M3FNUZ;
      case FLOAT8_E5M2FNUZ:
        return Small.E5M2FNUZ;
      case FLOAT16:
        return Small.HALF;
      case BFLOAT16:
        return Small.BFLOAT;
      default:
        throw new IllegalArgumentException(format + " is not small");
    }
  }

  /** The bits of the number nearest to {@code value}; what is too large becomes infinity or NaN. */
  public static long of(FloatFormat format, double value) {
    if (format == FloatFormat.FLOAT64) {
      return Double.doubleToLongBits(value);
    }
    if (format == FloatFormat.FLOAT32) {
      return Float.floatToIntBits((float) value) & 0xffffffffL;
    }
    Small small = small(format);
    int signBit = small.exponentBits + small.mantissaBits;
    boolean oneNan = small.nan == 0x80; // these formats have no -0, its bits are the only NaN
    if (Double.isNaN(value)) {
      return small.nan;
    }
    long sign = Double.doubleToRawLongBits(value) >>> 63 << signBit;
    double magnitude = Math.abs(value);
    int exponent = magnitude == 0 ? -2000 : Math.getExponent(magnitude);
    int least = 1 - small.bias;
    // One step between neighbouring numbers there; scaling by powers of two is exact.
    int step = Math.max(exponent, least) - small.mantissaBits;
    double steps =
        Double.isInfinite(magnitude) ? magnitude : Math.rint(Math.scalb(magnitude, -step));
    if (Double.isInfinite(steps)) {
      return overflow(small, sign);
    }
    long units = (long) steps;
    long bits =
        exponent < least ? units : units + ((long) (exponent - least) << small.mantissaBits);
    if (bits > small.largest) {
      return overflow(small, sign);
    }
    return bits == 0 && oneNan ? 0 : sign | bits;
  }

  private static long overflow(Small small, long sign) {
    if (small.hasInfinity) {
      return sign | ((1L << small.exponentBits) - 1) << small.mantissaBits;
    }
    return small.nan == 0x80 ? small.nan : sign | small.nan;
  }

  /** The value of these bits; exact. */
  public static double toDouble(FloatFormat format, long bits) {
    if (format == FloatFormat.FLOAT64) {
      return Double.longBitsToDouble(bits);
    }
    if (format == FloatFormat.FLOAT32) {
      return Float.intBitsToFloat((int) bits);
    }
    Small small = small(format);
    int signBit = small.exponentBits + small.mantissaBits;
    long magnitude = bits & (1L << signBit) - 1;
    boolean negative = (bits >>> signBit & 1) != 0;
    if (small.nan == 0x80 && magnitude == 0 && negative) {
      return Double.NaN;
    }
    if (magnitude > small.largest) {
      boolean infinite =
          small.hasInfinity && magnitude == ((1L << small.exponentBits) - 1) << small.mantissaBits;
      return infinite
          ? (negative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY)
          : Double.NaN;
    }
    int exponent = (int) (magnitude >>> small.mantissaBits);
    long mantissa = magnitude & (1L << small.mantissaBits) - 1;
    double value =
        exponent == 0
            ? Math.scalb((double) mantissa, 1 - small.bias - small.mantissaBits)
            : Math.scalb(
                (double) (mantissa | 1L << small.mantissaBits),
                exponent - small.bias - small.mantissaBits);
    return negative ? -value : value;
  }
}
