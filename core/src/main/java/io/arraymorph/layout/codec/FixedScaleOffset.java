package io.arraymorph.layout.codec;

import io.arraymorph.array.DataType;

/**
 * {@code round((x - offset) * scale)} kept in another type (numcodecs {@code fixedscaleoffset});
 * read as {@code x / scale + offset} in the precision that numpy uses.
 */
public final class FixedScaleOffset implements ElementMapping {
  private final Numbers decoded;
  private final Numbers encoded;
  private final double scale;
  private final double offset;

  /** Throws METADATA_INVALID for a scale of 0. */
  public FixedScaleOffset(DataType decoded, DataType encoded, double scale, double offset) {
    this.decoded = Numbers.of(decoded, "fixedscaleoffset");
    this.encoded = Numbers.of(encoded, "fixedscaleoffset");
    this.scale = scale;
    this.offset = offset;
    if (scale == 0) {
      throw CodecConfigurationException.invalid("codec 'fixedscaleoffset' with scale 0");
    }
  }

  @Override
  public void decode(byte[] from, int start, byte[] to, int count) {
    boolean single = encoded.isSingle(); // integers are divided as doubles
    for (int i = 0; i < count; i++) {
      double stored = encoded.getDouble(from, start + i * encoded.width());
      double value =
          single ? (float) stored / (float) scale + (float) offset : stored / scale + offset;
      put(decoded, to, i * decoded.width(), value);
    }
  }

  @Override
  public void encode(byte[] from, int start, byte[] to, int count) {
    boolean single = decoded.isSingle();
    for (int i = 0; i < count; i++) {
      double value = decoded.getDouble(from, start + i * decoded.width());
      double scaled =
          single ? ((float) value - (float) offset) * (float) scale : (value - offset) * scale;
      put(encoded, to, i * encoded.width(), Math.rint(scaled));
    }
  }

  private static void put(Numbers numbers, byte[] to, int at, double value) {
    if (!numbers.isInteger()) {
      numbers.putDouble(to, at, value);
      return;
    }
    double whole = value < 0 ? Math.ceil(value) : Math.floor(value);
    if (!numbers.holds(whole)) {
      throw new CodecException("fixedscaleoffset: " + value + " does not fit the type");
    }
    numbers.putLong(to, at, Numbers.toLong(whole));
  }
}
