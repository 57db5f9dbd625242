package io.arraymorph.array;

/** The layouts of floating point numbers that arrays hold. */
public enum FloatFormat {
  FLOAT8_E4M3FN(1),
  FLOAT8_E5M2(1),
  FLOAT8_E4M3B11FNUZ(1),
  FLOAT8_E4M3FNUZ(1),
  FLOAT8_E5M2FNUZ(1),
  /** IEEE 754 binary16. */
  FLOAT16(2),
  /** The upper half of a binary32. */
  BFLOAT16(2),
  /** IEEE 754 binary32. */
  FLOAT32(4),
  /** IEEE 754 binary64. */
  FLOAT64(8);

  private final int byteWidth;

  FloatFormat(int byteWidth) {
    this.byteWidth = byteWidth;
  }

  /** Bytes of one number. */
  public int byteWidth() {
    return byteWidth;
  }

  /** The name in Zarr v3, as {@code float32}. */
  public String zarrName() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
