package io.arraymorph.layout.column;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Little-endian numbers in a byte array, at any alignment. */
public final class LittleEndianBytes {
  private static final VarHandle SHORT = view(short[].class);
  private static final VarHandle INT = view(int[].class);
  private static final VarHandle LONG = view(long[].class);

  private LittleEndianBytes() {}

  private static VarHandle view(Class<?> arrayType) {
    return MethodHandles.byteArrayViewVarHandle(arrayType, ByteOrder.LITTLE_ENDIAN);
  }

  /** The 16 bits at {@code at}. */
  public static short getShort(byte[] bytes, int at) {
    return (short) SHORT.get(bytes, at);
  }

  /** The 32 bits at {@code at}. */
  public static int getInt(byte[] bytes, int at) {
    return (int) INT.get(bytes, at);
  }

  /** The 64 bits at {@code at}. */
  public static long getLong(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at);
  }

  /** The binary32 at {@code at}. */
  public static float getFloat(byte[] bytes, int at) {
    return Float.intBitsToFloat(getInt(bytes, at));
  }

  /** The binary64 at {@code at}. */
  public static double getDouble(byte[] bytes, int at) {
    return Double.longBitsToDouble(getLong(bytes, at));
  }

  /** Stores 16 bits. */
  public static void putShort(byte[] bytes, int at, short value) {
    SHORT.set(bytes, at, value);
  }

  /** Stores 32 bits. */
  public static void putInt(byte[] bytes, int at, int value) {
    INT.set(bytes, at, value);
  }

  /** Stores 64 bits. */
  public static void putLong(byte[] bytes, int at, long value) {
    LONG.set(bytes, at, value);
  }

  /** Stores a binary32, NaN payloads kept. */
  public static void putFloat(byte[] bytes, int at, float value) {
    putInt(bytes, at, Float.floatToRawIntBits(value));
  }

  /** Stores a binary64, NaN payloads kept. */
  public static void putDouble(byte[] bytes, int at, double value) {
    putLong(bytes, at, Double.doubleToRawLongBits(value));
  }
}
