package io.arraymorph.layout.codec;

import io.arraymorph.array.DataType;

/**
 * {@code (x - offset) * scale} in the arithmetic of the array's own type (Zarr v3 codec {@code
 * scale_offset}). Integers must come out exactly; anything else is an error.
 */
public final class ScaleOffset implements ElementMapping {
  private final Numbers numbers;
  private final byte[] offset;
  private final byte[] scale;

  /**
   * @param offset bytes of one element
   * @param scale bytes of one element
   */
  public ScaleOffset(DataType type, byte[] offset, byte[] scale) {
    this.numbers = Numbers.of(type, "scale_offset");
    this.offset = offset.clone();
    this.scale = scale.clone();
    if (numbers.isUnsignedLong()) {
      throw CodecConfigurationException.unsupported("codec 'scale_offset' for uint64");
    }
    if (numbers.getDouble(scale, 0) == 0) {
      throw CodecConfigurationException.invalid("codec 'scale_offset' with scale 0");
    }
  }

  @Override
  public void decode(byte[] from, int start, byte[] to, int count) {
    int width = numbers.width();
    if (numbers.isInteger()) {
      long divisor = numbers.getLong(scale, 0);
      long added = numbers.getLong(offset, 0);
      for (int i = 0; i < count; i++) {
        long stored = numbers.getLong(from, start + i * width);
        if (stored % divisor != 0) {
          throw new CodecException("scale_offset: " + stored + " is no multiple of " + divisor);
        }
        put(to, i * width, exact(stored / divisor, added, false));
      }
      return;
    }
    double divisor = numbers.getDouble(scale, 0);
    double added = numbers.getDouble(offset, 0);
    for (int i = 0; i < count; i++) {
      double quotient = rounded(numbers.getDouble(from, start + i * width) / divisor);
      numbers.putDouble(to, i * width, rounded(quotient + added));
    }
  }

  @Override
  public void encode(byte[] from, int start, byte[] to, int count) {
    int width = numbers.width();
    if (numbers.isInteger()) {
      long factor = numbers.getLong(scale, 0);
      long taken = numbers.getLong(offset, 0);
      for (int i = 0; i < count; i++) {
        long difference = exact(numbers.getLong(from, start + i * width), -taken, false);
        put(to, i * width, exact(difference, factor, true));
      }
      return;
    }
    double factor = numbers.getDouble(scale, 0);
    double taken = numbers.getDouble(offset, 0);
    for (int i = 0; i < count; i++) {
      double difference = rounded(numbers.getDouble(from, start + i * width) - taken);
      numbers.putDouble(to, i * width, rounded(difference * factor));
    }
  }

  /** Every step of single-precision arithmetic is rounded. */
  private double rounded(double value) {
    return numbers.isSingle() ? (float) value : value;
  }

  private static long exact(long a, long b, boolean multiply) {
    try {
      return multiply ? Math.multiplyExact(a, b) : Math.addExact(a, b);
    } catch (ArithmeticException e) {
      throw new CodecException("scale_offset: overflow of 64 bits", e);
    }
  }

  private void put(byte[] to, int at, long value) {
    if (!numbers.holds(value, false)) {
      throw new CodecException("scale_offset: " + value + " does not fit the type");
    }
    numbers.putLong(to, at, value);
  }
}
