package io.arraymorph.array;

import java.io.Serializable;
import java.util.Arrays;

/**
 * The lengths of an n-d array along each of its dimensions.
 *
 * <p>Immutable. Lengths are at least 0; rank 0 is a scalar with one element.
 */
public final class Shape implements Serializable {
  private final long[] lengths;

  private Shape(long[] lengths) {
    this.lengths = lengths;
  }

  /**
   * The shape with these lengths.
   *
   * @throws IllegalArgumentException if a length is negative
   */
  public static Shape of(long... lengths) {
    for (long length : lengths) {
      if (length < 0) {
        throw new IllegalArgumentException("negative length in shape " + Arrays.toString(lengths));
      }
    }
    return new Shape(lengths.clone());
  }

  /** The number of dimensions. */
  public int rank() {
    return lengths.length;
  }

  /** The length along one dimension. */
  public long length(int dimension) {
    return lengths[dimension];
  }

  /**
   * The number of elements, 1 for rank 0.
   *
   * @throws ArithmeticException if the count exceeds 2^63-1
   */
  public long elementCount() {
    long count = 1;
    for (long length : lengths) {
      if (length == 0) {
        return 0;
      }
    }
    for (long length : lengths) {
      count = Math.multiplyExact(count, length);
    }
    return count;
  }

  /** The number of elements, or the limit if there are more. */
  public long elementCountAtMost(long limit) {
    if (isEmpty()) {
      return 0;
    }
    long count = 1;
    for (long length : lengths) {
      if (count > limit / length) {
        return limit;
      }
      count *= length;
    }
    return Math.min(count, limit);
  }

  /** True if some dimension has length 0. */
  public boolean isEmpty() {
    for (long length : lengths) {
      if (length == 0) {
        return true;
      }
    }
    return false;
  }

  /**
   * This shape with its dimensions reordered: dimension {@code i} of the result is {@code order[i]}
   * of this.
   */
  public Shape permute(int[] order) {
    long[] permuted = new long[order.length];
    for (int i = 0; i < order.length; i++) {
      permuted[i] = lengths[order[i]];
    }
    return new Shape(permuted);
  }

  /** A fresh copy of the lengths. */
  public long[] toArray() {
    return lengths.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Shape && Arrays.equals(lengths, ((Shape) other).lengths);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(lengths);
  }

  /** As {@code (12, 90, 180)}. */
  @Override
  public String toString() {
    return Arrays.toString(lengths).replace('[', '(').replace(']', ')');
  }
}
