package io.arraymorph.delta.paper;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.delta.tensor.ElementBuffer;
import io.arraymorph.delta.tensor.IntegerElements;

/**
 * Elements as the doubles that the paper's sparse layouts hold, and back, exactly or not at all.
 */
final class PaperValues {
  private PaperValues() {}

  /** Refuses types that doubles do not stand for. */
  static void check(DataType type) {
    boolean known =
        type instanceof DataType.Bool
            || (type instanceof DataType.Int && ((DataType.Int) type).bits() >= 8)
            || (type instanceof DataType.Float
                && (((DataType.Float) type).format() == FloatFormat.FLOAT32
                    || ((DataType.Float) type).format() == FloatFormat.FLOAT64));
    if (!known) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_TYPE,
          "values of "
              + type.zarrName()
              + " are not in the paper's sparse layouts, which hold doubles",
          "Use layout=compact, or cast to a number");
    }
  }

  /** An element as a double; TYPE_MISMATCH if there is none of that value. */
  static double real(Elements values, int i) {
    FixedWidthElements fixed = (FixedWidthElements) values;
    DataType type = fixed.type();
    int width = type.byteWidth();
    boolean signed = !(type instanceof DataType.Int) || ((DataType.Int) type).signed();
    long bits = IntegerElements.read(fixed.bytes(), fixed.offset() + i * width, width, signed);
    if (type instanceof DataType.Float) {
      return width == 8 ? Double.longBitsToDouble(bits) : Float.intBitsToFloat((int) bits);
    }
    if (Math.abs(bits) > 1L << 53 || bits == Long.MIN_VALUE || (!signed && bits < 0)) {
      throw new ArrayMorphException(
          ErrorCode.TYPE_MISMATCH,
          "value "
              + (signed ? Long.toString(bits) : Long.toUnsignedString(bits))
              + " is not a double",
          "Use layout=compact: the paper's layouts hold doubles");
    }
    return bits;
  }

  /** Appends a number as an element of a type; corrupt if the type does not have it. */
  static void append(Numbers numbers, int i, ElementBuffer out) {
    DataType type = out.type();
    int width = type.byteWidth();
    long bits;
    if (type instanceof DataType.Float) {
      double value = numbers.real(i);
      if (width == 4 && (double) (float) value != value && !Double.isNaN(value)) {
        throw Numbers.corrupt("has " + value + " in a tensor of float32");
      }
      bits =
          width == 8 ? Double.doubleToRawLongBits(value) : Float.floatToRawIntBits((float) value);
    } else {
      bits = numbers.integer(i);
      boolean signed = type instanceof DataType.Int && ((DataType.Int) type).signed();
      int unit = type instanceof DataType.Bool ? 1 : 8 * width;
      long least = signed ? -1L << (unit - 1) : 0;
      long greatest = unit == 64 ? Long.MAX_VALUE : (1L << (signed ? unit - 1 : unit)) - 1;
      if (bits < least || bits > greatest) {
        throw Numbers.corrupt("has " + bits + " in a tensor of " + type.zarrName());
      }
    }
    int at = out.extend(1);
    IntegerElements.write(out.bytes(), at, width, bits);
  }
}
