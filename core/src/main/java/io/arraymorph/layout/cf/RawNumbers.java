package io.arraymorph.layout.cf;

import io.arraymorph.array.DataType;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.layout.column.LittleEndianBytes;

/** Reads blocks of stored numbers as long or double: one tight loop for each stored width. */
final class RawNumbers {

  private RawNumbers() {}

  /**
   * Integers of {@code byteWidth} bytes, sign- or zero-extended; unsigned ones of 8 bytes as their
   * bits.
   */
  static void longs(byte[] bytes, int from, int byteWidth, boolean signed, long[] block, int n) {
    switch (byteWidth) {
      case 1:
        for (int i = 0; i < n; i++) {
          block[i] = bytes[from + i];
        }
        break;
      case 2:
        for (int i = 0; i < n; i++) {
          block[i] = LittleEndianBytes.getShort(bytes, from + 2 * i);
        }
        break;
      case 4:
        for (int i = 0; i < n; i++) {
          block[i] = LittleEndianBytes.getInt(bytes, from + 4 * i);
        }
        break;
      default:
        for (int i = 0; i < n; i++) {
          block[i] = LittleEndianBytes.getLong(bytes, from + 8 * i);
        }
        return;
    }
    if (!signed) {
      long mask = (1L << (8 * byteWidth)) - 1;
      for (int i = 0; i < n; i++) {
        block[i] &= mask;
      }
    }
  }

  /** Floating point numbers of a format, widened. */
  static void doubles(byte[] bytes, int from, FloatFormat format, double[] block, int n) {
    switch (format) {
      case FLOAT64:
        for (int i = 0; i < n; i++) {
          block[i] = LittleEndianBytes.getDouble(bytes, from + 8 * i);
        }
        break;
      case FLOAT32:
        for (int i = 0; i < n; i++) {
          block[i] = LittleEndianBytes.getFloat(bytes, from + 4 * i);
        }
        break;
      case BFLOAT16:
        for (int i = 0; i < n; i++) {
          block[i] = SmallFloats.bfloat16(LittleEndianBytes.getShort(bytes, from + 2 * i));
        }
        break;
      case FLOAT16:
        float[] half = SmallFloats.values(format);
        for (int i = 0; i < n; i++) {
          block[i] = half[LittleEndianBytes.getShort(bytes, from + 2 * i) & 0xFFFF];
        }
        break;
      default:
        float[] quarter = SmallFloats.values(format);
        for (int i = 0; i < n; i++) {
          block[i] = quarter[bytes[from + i] & 0xFF];
        }
        break;
    }
  }

  /** Converts in the sense of SQL and numpy, rounding to nearest; unsigned ones from their bits. */
  static void toDoubles(long[] integers, boolean unsigned64, double[] block, int n) {
    for (int i = 0; i < n; i++) {
      block[i] = (double) integers[i];
    }
    if (unsigned64) {
      for (int i = 0; i < n; i++) {
        if (integers[i] < 0) {
          // Halve, keeping the lost bit sticky so that rounding stays right.
          block[i] = 2.0 * (double) ((integers[i] >>> 1) | (integers[i] & 1));
        }
      }
    }
  }

  /** The signedness with which an integer type is read, {@code _Unsigned} taken into account. */
  static boolean isSigned(DataType.Int type, String unsignedAttribute) {
    if (type.signed() && unsignedAttribute.equalsIgnoreCase("true")) {
      return false;
    }
    return type.signed() || unsignedAttribute.equalsIgnoreCase("false");
  }
}
