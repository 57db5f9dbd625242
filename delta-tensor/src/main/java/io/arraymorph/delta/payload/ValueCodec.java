package io.arraymorph.delta.payload;

import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.VariableWidthElements;
import io.arraymorph.delta.tensor.ElementBuffer;
import io.arraymorph.delta.tensor.ElementVectors;
import io.arraymorph.delta.tensor.IntegerElements;

/**
 * Element values as payload bytes: a code byte, then what the code says.
 *
 * <p>The writer takes the code that leaves least for the page's zstd to do; every code is lossless
 * bit for bit. Number of values and their type are known from the row and the tensor's header.
 */
public final class ValueCodec {
  static final int RAW = 0;
  static final int CONSTANT = 1;
  static final int OFFSETS = 2;
  static final int ZIGZAG = 3;
  static final int SHUFFLED = 4;
  static final int INTEGRAL_OFFSETS = 5;
  static final int INTEGRAL_ZIGZAG = 6;
  static final int VARIABLE = 7;
  static final int PREDICTED = 8;
  static final int LINEAR = 9;
  static final int MAJORITY = 10;
  static final int INTEGRAL_MAJORITY = 11;

  private static final int SMALL = 16;

  /** Doubles beyond this are not all exact integers. */
  private static final double MAX_INTEGRAL = 1L << 52;

  private ValueCodec() {}

  /** Appends the values of a vector. */
  public static void write(Elements values, PayloadWriter out) {
    if (values instanceof VariableWidthElements) {
      writeVariable((VariableWidthElements) values, out);
      return;
    }
    FixedWidthElements fixed = (FixedWidthElements) values;
    int n = fixed.count();
    if (n > 0 && isConstant(fixed, n)) {
      out.writeByte(CONSTANT);
      out.writeBytes(fixed.bytes(), fixed.offset(), fixed.type().byteWidth());
      return;
    }
    long[] integers = integers(fixed, n);
    if (integers == null || !writeIntegers(integers, fixed.type(), out)) {
      writePlain(fixed, n, out);
    }
  }

  /**
   * Appends values that are all integers from 0 to 65535, as {@link #write} does of their elements;
   * false, and nothing, if that takes the elements.
   *
   * @param type of integers, float32 or float64
   */
  public static boolean writeSmall(long[] values, DataType type, PayloadWriter out) {
    int n = values.length;
    boolean constant = n > 0;
    for (int i = 1; i < n && constant; i++) {
      constant = values[i] == values[0];
    }
    if (!constant) {
      return writeIntegers(values, type, out);
    }
    byte[] element = new byte[type.byteWidth()];
    IntegerElements.writeSmall(element, 0, type, values[0]);
    out.writeByte(CONSTANT);
    out.writeBytes(element, 0, element.length);
    return true;
  }

  private static boolean isConstant(FixedWidthElements values, int n) {
    for (int i = 1; i < n; i++) {
      if (!ElementVectors.same(values, 0, values, i)) {
        return false;
      }
    }
    return true;
  }

  /** The values as integers, or null if they are not integers of at most 64 bits. */
  private static long[] integers(FixedWidthElements values, int n) {
    DataType type = values.type();
    int width = type.byteWidth();
    if (type instanceof DataType.Int
        || type instanceof DataType.DateTime64
        || type instanceof DataType.TimeDelta64) {
      boolean signed = isSigned(type);
      long[] integers = new long[n];
      for (int i = 0; i < n; i++) {
        integers[i] =
            IntegerElements.read(values.bytes(), values.offset() + i * width, width, signed);
      }
      return integers;
    }
    return isWideFloat(type) ? integral(values, n, width) : null;
  }

  private static boolean isSigned(DataType type) {
    return !(type instanceof DataType.Int) || ((DataType.Int) type).signed();
  }

  private static boolean isWideFloat(DataType type) {
    return type instanceof DataType.Float
        && (((DataType.Float) type).format() == FloatFormat.FLOAT32
            || ((DataType.Float) type).format() == FloatFormat.FLOAT64);
  }

  private static long[] integral(FixedWidthElements values, int n, int width) {
    long[] integers = new long[n];
    for (int i = 0; i < n; i++) {
      long bits = IntegerElements.read(values.bytes(), values.offset() + i * width, width, false);
      double value = width == 4 ? Float.intBitsToFloat((int) bits) : Double.longBitsToDouble(bits);
      long integer = (long) value;
      if (!(Math.abs(value) <= MAX_INTEGRAL) || bits != floatBits(integer, width)) {
        return null;
      }
      integers[i] = integer;
    }
    return integers;
  }

  /** The bit pattern of the float of this value: tells -0.0 and rounded values apart. */
  private static long floatBits(long integer, int width) {
    return width == 4
        ? Float.floatToRawIntBits((float) integer) & 0xFFFFFFFFL
        : Double.doubleToRawLongBits((double) integer);
  }

  private static boolean writeIntegers(long[] integers, DataType type, PayloadWriter out) {
    boolean signed = isSigned(type);
    long least = integers.length == 0 ? 0 : integers[0];
    long any = 0;
    for (long v : integers) {
      boolean less = signed ? v < least : Long.compareUnsigned(v, least) < 0;
      least = less ? v : least;
      any |= v;
    }
    int width = type.byteWidth();
    long offsets = integers.length;
    long zigzags = integers.length;
    if (width == 1 || any >>> 6 != 0) { // Else each takes a byte, either way.
      offsets = 0;
      zigzags = 0;
      for (long v : integers) {
        offsets += length(v - least);
        zigzags += length(zigzag(v));
      }
    }
    if (Math.min(offsets, zigzags) > 0.6 * width * integers.length) {
      return false;
    }
    boolean integral = type instanceof DataType.Float;
    if (MajorityValues.write(integers, signed, integral ? INTEGRAL_MAJORITY : MAJORITY, out)) {
      return true;
    }
    if (offsets <= zigzags) {
      out.writeByte(integral ? INTEGRAL_OFFSETS : OFFSETS);
      out.writeVarint(zigzag(least));
      for (long v : integers) {
        out.writeVarint(v - least);
      }
    } else {
      out.writeByte(integral ? INTEGRAL_ZIGZAG : ZIGZAG);
      for (long v : integers) {
        out.writeVarint(zigzag(v));
      }
    }
    return true;
  }

  private static int length(long varint) {
    return (63 - Long.numberOfLeadingZeros(varint | 1)) / 7 + 1;
  }

  private static long zigzag(long value) {
    return value << 1 ^ value >> 63;
  }

  private static long unzigzag(long value) {
    return value >>> 1 ^ -(value & 1);
  }

  private static void writePlain(FixedWidthElements values, int n, PayloadWriter out) {
    int width = values.type().byteWidth();
    if (width == 1 || !(isWideFloat(values.type()) || width <= 16)) {
      out.writeByte(RAW);
      out.writeBytes(values.bytes(), values.offset(), n * width);
      return;
    }
    out.writeByte(SHUFFLED);
    writeShuffled(values.bytes(), values.offset(), n, width, out);
  }

  static void writeShuffled(byte[] bytes, int offset, int n, int width, PayloadWriter out) {
    byte[] plane = new byte[n];
    for (int b = 0; b < width; b++) {
      for (int i = 0; i < n; i++) {
        plane[i] = bytes[offset + i * width + b];
      }
      out.writeBytes(plane, 0, n);
    }
  }

  private static void writeVariable(VariableWidthElements values, PayloadWriter out) {
    out.writeByte(VARIABLE);
    int n = values.count();
    for (int i = 0; i < n; i++) {
      out.writeVarint(values.offsets()[i + 1] - values.offsets()[i]);
    }
    out.writeBytes(values.bytes(), values.offsets()[0], values.offsets()[n] - values.offsets()[0]);
  }

  /**
   * Reads {@code n} values and appends them.
   *
   * @throws PayloadException if the bytes do not hold {@code n} values of the buffer's type
   */
  public static void read(PayloadReader in, int n, ElementBuffer out) {
    int code = in.readByte();
    if (!out.type().isFixedWidth()) {
      if (code != VARIABLE) {
        throw unknown(code);
      }
      readVariable(in, n, out);
      return;
    }
    int width = out.type().byteWidth();
    if (code == CONSTANT) {
      int from = in.skip(width);
      int at = out.extend(n);
      for (int i = 0; i < n; i++, at += width) {
        System.arraycopy(in.array(), from, out.bytes(), at, width);
      }
      return;
    }
    if (code == MAJORITY) {
      MajorityValues.read(in, n, value -> value, out);
      return;
    }
    if (code == INTEGRAL_MAJORITY) {
      MajorityValues.read(in, n, value -> floatBits(value, width), out);
      return;
    }
    if ((long) n * (code == RAW || code == SHUFFLED ? width : 1) > in.remaining()) {
      throw new PayloadException(n + " values in " + in.remaining() + " bytes");
    }
    int at = out.extend(n);
    switch (code) {
      case RAW:
        System.arraycopy(in.array(), in.skip(n * width), out.bytes(), at, n * width);
        return;
      case SHUFFLED:
        readShuffled(in, n, width, out.bytes(), at);
        return;
      case OFFSETS:
      case ZIGZAG:
      case INTEGRAL_OFFSETS:
      case INTEGRAL_ZIGZAG:
        readIntegers(in, code, n, out, at);
        return;
      default:
        throw unknown(code);
    }
  }

  static void readShuffled(PayloadReader in, int n, int width, byte[] bytes, int at) {
    for (int b = 0; b < width; b++) {
      int from = in.skip(n);
      for (int i = 0; i < n; i++) {
        bytes[at + i * width + b] = in.array()[from + i];
      }
    }
  }

  private static void readIntegers(
      PayloadReader in, int code, int n, ElementBuffer out, int start) {
    int width = out.type().byteWidth();
    boolean zigzag = code == ZIGZAG || code == INTEGRAL_ZIGZAG;
    boolean integral = code == INTEGRAL_OFFSETS || code == INTEGRAL_ZIGZAG;
    long least = zigzag ? 0 : unzigzag(in.readVarint());
    byte[] bytes = out.bytes();
    long[] values = new long[n];
    in.readVarints(values, n);
    long[] small = new long[SMALL]; // Most values are, and making floats takes time.
    for (int i = 0; i < SMALL; i++) {
      long value = zigzag ? unzigzag(i) : least + i;
      small[i] = integral ? floatBits(value, width) : value;
    }
    for (int i = 0, at = start; i < n; i++, at += width) {
      long stored = values[i];
      if (stored >= 0 && stored < SMALL) {
        IntegerElements.write(bytes, at, width, small[(int) stored]);
      } else {
        long value = zigzag ? unzigzag(stored) : least + stored;
        IntegerElements.write(bytes, at, width, integral ? floatBits(value, width) : value);
      }
    }
  }

  private static void readVariable(PayloadReader in, int n, ElementBuffer out) {
    if (n > in.remaining()) {
      throw new PayloadException(n + " values in " + in.remaining() + " bytes");
    }
    int[] lengths = new int[n];
    for (int i = 0; i < n; i++) {
      lengths[i] = in.readCount(in.remaining());
    }
    for (int length : lengths) {
      out.appendBytes(in.array(), in.skip(length), length);
    }
  }

  private static PayloadException unknown(int code) {
    return new PayloadException("unknown value code " + code);
  }
}
