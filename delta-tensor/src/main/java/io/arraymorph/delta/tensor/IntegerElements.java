package io.arraymorph.delta.tensor;

import io.arraymorph.array.DataType;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Little-endian integers of 1, 2, 4 or 8 bytes in a byte array. */
public final class IntegerElements {
  private static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private IntegerElements() {}

  /** The integer at byte {@code position}, sign- or zero-extended to 64 bits. */
  public static long read(byte[] bytes, int position, int width, boolean signed) {
    switch (width) {
      case 1:
        return signed ? bytes[position] : bytes[position] & 0xFFL;
      case 2:
        short s = (short) SHORTS.get(bytes, position);
        return signed ? s : s & 0xFFFFL;
      case 4:
        int i = (int) INTS.get(bytes, position);
        return signed ? i : i & 0xFFFFFFFFL;
      case 8:
        return (long) LONGS.get(bytes, position);
      default:
        throw new IllegalArgumentException("integer of " + width + " bytes");
    }
  }

  /** Writes the low {@code width} bytes of a value at byte {@code position}. */
  public static void write(byte[] bytes, int position, int width, long value) {
    switch (width) {
      case 1:
        bytes[position] = (byte) value;
        return;
      case 2:
        SHORTS.set(bytes, position, (short) value);
        return;
      case 4:
        INTS.set(bytes, position, (int) value);
        return;
      case 8:
        LONGS.set(bytes, position, value);
        return;
      default:
        throw new IllegalArgumentException("integer of " + width + " bytes");
    }
  }

  /**
   * Writes the element of an integer from 0 to 65535.
   *
   * @param type of integers, float32 or float64
   */
  public static void writeSmall(byte[] bytes, int position, DataType type, long value) {
    int width = type.byteWidth();
    long element = value;
    if (type instanceof DataType.Float) {
      element =
          width == 8
              ? Double.doubleToRawLongBits((double) value)
              : Float.floatToRawIntBits((float) value);
    }
    write(bytes, position, width, element);
  }

  /** Copies an element of 4 or 8 bytes. */
  static void move(byte[] from, int position, byte[] to, int target, int width) {
    if (width == 8) {
      LONGS.set(to, target, (long) LONGS.get(from, position));
    } else {
      INTS.set(to, target, (int) INTS.get(from, position));
    }
  }
}
