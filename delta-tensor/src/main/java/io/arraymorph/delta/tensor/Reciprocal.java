package io.arraymorph.delta.tensor;

/**
 * Division of many non-negative numbers by one divisor as a multiplication, several times faster:
 * {@code n / d} is the upper half of {@code 2 n} times {@code floor(2^63 / d) + 1}, which is exact
 * as long as {@code n d < 2^62}. Immutable.
 */
public final class Reciprocal {
  private final long divisor;
  private final boolean exact;

  /**
   * @param divisor at least 2
   * @param greatest the greatest number to be divided
   */
  public Reciprocal(long divisor, long greatest) {
    this.divisor = divisor;
    this.exact =
        Math.multiplyHigh(divisor, greatest) == 0
            && divisor * greatest >= 0
            && divisor * greatest < 1L << 62;
  }

  /** True if multiplication gives the quotient of all numbers. */
  public boolean isExact() {
    return exact;
  }

  /** What twice the numbers are multiplied with. */
  public long factor() {
    return Long.MAX_VALUE / divisor + 1;
  }
}
