package io.arraymorph.layout.column;

import java.io.Serializable;

/**
 * Which values of a column are not NULL: one bit each, least significant bit of byte 0 first, 1 for
 * a value, as Arrow lays them out.
 *
 * <p>Immutable once handed on. A column without NULLs has {@link #ALL} and no bits.
 */
public final class Validity implements Serializable {
  private static final long serialVersionUID = 1L;

  /** No value is NULL. */
  public static final Validity ALL = new Validity(null, 0);

  private final byte[] bits;
  private final int nullCount;

  private Validity(byte[] bits, int nullCount) {
    this.bits = bits;
    this.nullCount = nullCount;
  }

  /** Takes ownership of the bits of {@code count} values; {@link #ALL} if all are set. */
  public static Validity of(byte[] bits, int count) {
    int set = 0;
    for (int b = 0; b < count >> 3; b++) {
      set += Integer.bitCount(bits[b] & 0xFF);
    }
    if ((count & 7) != 0) {
      set += Integer.bitCount(bits[count >> 3] & ((1 << (count & 7)) - 1));
    }
    return set == count ? ALL : new Validity(bits, count - set);
  }

  /** The bits to fill for {@code count} values, all set (also those beyond the last value). */
  public static byte[] allSet(int count) {
    byte[] bits = new byte[(count + 7) >> 3];
    java.util.Arrays.fill(bits, (byte) 0xFF);
    return bits;
  }

  /** Valid in both, of {@code count} values. */
  public Validity and(Validity other, int count) {
    if (bits == null || other.bits == null) {
      return bits == null ? other : this;
    }
    byte[] both = new byte[(count + 7) >> 3];
    for (int b = 0; b < both.length; b++) {
      both[b] = (byte) (bits[b] & other.bits[b]);
    }
    return of(both, count);
  }

  /** The validity of the values at {@code n} positions, read from {@code from} on. */
  Validity gather(int[] positions, int from, int n) {
    if (bits == null) {
      return ALL;
    }
    byte[] gathered = allSet(n);
    for (int k = 0; k < n; k++) {
      if (isNull(positions[from + k])) {
        gathered[k >> 3] &= (byte) ~(1 << (k & 7));
      }
    }
    return of(gathered, n);
  }

  /** True if some value is NULL. */
  public boolean hasNulls() {
    return nullCount > 0;
  }

  /** The number of NULLs. */
  public int nullCount() {
    return nullCount;
  }

  /** True if value {@code i} is NULL. */
  public boolean isNull(int i) {
    return bits != null && (bits[i >> 3] & (1 << (i & 7))) == 0;
  }

  /**
   * The bits, shared, not to be changed; bits beyond the last value may be anything. Only if {@link
   * #hasNulls()}.
   */
  public byte[] bits() {
    if (bits == null) {
      throw new IllegalStateException("a column without NULLs has no validity bits");
    }
    return bits;
  }
}
