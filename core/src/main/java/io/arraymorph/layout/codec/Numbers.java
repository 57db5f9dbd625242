package io.arraymorph.layout.codec;

import io.arraymorph.array.DataType;
import io.arraymorph.array.FloatBits;
import io.arraymorph.array.FloatFormat;

/** Access to the numbers of one type in little-endian bytes, by byte position. */
final class Numbers {
  private final int width;
  private final int bits;
  private final boolean signed;

  /** Null for integers. */
  private final FloatFormat format;

  private Numbers(int width, int bits, boolean signed, FloatFormat format) {
    this.width = width;
    this.bits = bits;
    this.signed = signed;
    this.format = format;
  }

  /**
   * The numbers of a type; true and false count as 1 and 0.
   *
   * @throws CodecConfigurationException UNSUPPORTED_CODEC for types that are no numbers
   */
  static Numbers of(DataType type, String codec) {
    if (type instanceof DataType.Int) {
      DataType.Int integer = (DataType.Int) type;
      return new Numbers(type.byteWidth(), integer.bits(), integer.signed(), null);
    }
    if (type instanceof DataType.Bool) {
      return new Numbers(1, 1, false, null);
    }
    if (type instanceof DataType.Float) {
      return new Numbers(type.byteWidth(), 0, true, ((DataType.Float) type).format());
    }
    throw CodecConfigurationException.unsupported(
        "codec '" + codec + "' for data type '" + type.zarrName() + "'");
  }

  int width() {
    return width;
  }

  boolean isInteger() {
    return format == null;
  }

  /** True for integers of 64 bits without sign, whose values may exceed a long. */
  boolean isUnsignedLong() {
    return bits == 64 && !signed;
  }

  /** True if arithmetic on these numbers happens in single precision. */
  boolean isSingle() {
    return format != null && format != FloatFormat.FLOAT64;
  }

  /** An integer; the bits of a 64-bit one without sign. */
  long getLong(byte[] bytes, int at) {
    switch (width) {
      case 1:
        return signed ? bytes[at] : bytes[at] & 0xff;
      case 2:
        short s = (short) LittleEndian.SHORT.get(bytes, at);
        return signed ? s : s & 0xffff;
      case 4:
        int i = (int) LittleEndian.INT.get(bytes, at);
        return signed ? i : i & 0xffffffffL;
      default:
        return (long) LittleEndian.LONG.get(bytes, at);
    }
  }

  /** Writes the low bits of an integer. */
  void putLong(byte[] bytes, int at, long value) {
    switch (width) {
      case 1:
        bytes[at] = (byte) value;
        break;
      case 2:
        LittleEndian.SHORT.set(bytes, at, (short) value);
        break;
      case 4:
        LittleEndian.INT.set(bytes, at, (int) value);
        break;
      default:
        LittleEndian.LONG.set(bytes, at, value);
    }
  }

  /** Any number as the nearest double. */
  double getDouble(byte[] bytes, int at) {
    long raw = getLong(bytes, at);
    if (format != null) {
      return FloatBits.toDouble(format, width == 8 ? raw : raw & ((1L << (8 * width)) - 1));
    }
    if (isUnsignedLong() && raw < 0) {
      return ((raw >>> 1) | (raw & 1)) * 2.0;
    }
    return raw;
  }

  /** Writes the floating point number nearest to a double. */
  void putDouble(byte[] bytes, int at, double value) {
    putLong(bytes, at, FloatBits.of(format, value));
  }

  /** True if an integer, given as a double without fraction, is one of this type. */
  boolean holds(double value) {
    double least = signed ? -Math.scalb(1.0, bits - 1) : 0;
    double bound = Math.scalb(1.0, signed ? bits - 1 : bits);
    return value >= least && value < bound;
  }

  /** The integer that a double without fraction is; {@link #holds} must be true. */
  static long toLong(double value) {
    return value < 0x1p63 ? (long) value : (long) (value - 0x1p63) ^ Long.MIN_VALUE;
  }

  /** True if an integer of another type is one of this type. */
  boolean holds(long value, boolean unsignedLong) {
    if (unsignedLong && value < 0) {
      return isUnsignedLong();
    }
    if (value < 0) {
      return signed && value >= -1L << (bits - 1);
    }
    int magnitude = signed ? bits - 1 : bits;
    return magnitude >= 63 || value < 1L << magnitude;
  }

  /** The least (or greatest) integer of this type, as its bits. */
  long limit(boolean least) {
    if (least) {
      return signed ? -1L << (bits - 1) : 0;
    }
    int magnitude = signed ? bits - 1 : bits;
    return magnitude == 64 ? -1L : (1L << magnitude) - 1;
  }
}
