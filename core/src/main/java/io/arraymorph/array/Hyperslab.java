package io.arraymorph.array;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A box of elements of an n-d array with a stride along each dimension: the product of one {@link
 * IndexRange} per dimension (HDF5's hyperslab with block 1).
 *
 * <p>Immutable. Rank 0 holds the one element of a scalar. If any range is empty the hyperslab is
 * empty.
 */
public final class Hyperslab {
  private final IndexRange[] ranges;

  private Hyperslab(IndexRange[] ranges) {
    this.ranges = ranges;
  }

  /** The product of these ranges, one per dimension. */
  public static Hyperslab of(IndexRange... ranges) {
    return new Hyperslab(ranges.clone());
  }

  /** The product of these ranges, one per dimension. */
  public static Hyperslab of(List<IndexRange> ranges) {
    return new Hyperslab(ranges.toArray(IndexRange[]::new));
  }

  /** The contiguous box {@code [start, stop)}. */
  public static Hyperslab box(long[] start, long[] stop) {
    IndexRange[] ranges = new IndexRange[start.length];
    for (int d = 0; d < ranges.length; d++) {
      ranges[d] = IndexRange.of(start[d], stop[d]);
    }
    return new Hyperslab(ranges);
  }

  /** All elements of an array of this shape. */
  public static Hyperslab all(Shape shape) {
    return box(new long[shape.rank()], shape.toArray());
  }

  /** The number of dimensions. */
  public int rank() {
    return ranges.length;
  }

  /** The indices along one dimension. */
  public IndexRange range(int dimension) {
    return ranges[dimension];
  }

  /** The ranges of all dimensions, unmodifiable. */
  public List<IndexRange> ranges() {
    return List.of(ranges);
  }

  /** The number of indices along each dimension: the shape of the selected elements when packed. */
  public Shape counts() {
    long[] counts = new long[ranges.length];
    for (int d = 0; d < counts.length; d++) {
      counts[d] = ranges[d].count();
    }
    return Shape.of(counts);
  }

  /**
   * The number of elements, 1 for rank 0.
   *
   * @throws ArithmeticException if the count exceeds 2^63-1
   */
  public long elementCount() {
    return counts().elementCount();
  }

  /** True if no element is contained. */
  public boolean isEmpty() {
    return Arrays.stream(ranges).anyMatch(IndexRange::isEmpty);
  }

  /** The elements of this hyperslab in the box {@code [start, stop)}. */
  public Hyperslab clip(long[] start, long[] stop) {
    IndexRange[] clipped = new IndexRange[ranges.length];
    for (int d = 0; d < clipped.length; d++) {
      clipped[d] = ranges[d].clip(start[d], stop[d]);
    }
    return new Hyperslab(clipped);
  }

  /** This hyperslab moved by {@code offset} along each dimension. */
  public Hyperslab shift(long[] offset) {
    IndexRange[] shifted = new IndexRange[ranges.length];
    for (int d = 0; d < shifted.length; d++) {
      shifted[d] = ranges[d].shift(offset[d]);
    }
    return new Hyperslab(shifted);
  }

  /**
   * This contiguous box, which lies in another contiguous one as if that started at 0, where it
   * lies in all.
   */
  public Hyperslab within(Hyperslab box) {
    IndexRange[] moved = new IndexRange[ranges.length];
    for (int d = 0; d < moved.length; d++) {
      moved[d] = ranges[d].shift(box.range(d).start());
    }
    return new Hyperslab(moved);
  }

  /**
   * This hyperslab with dimensions reordered: dimension {@code i} of the result is {@code order[i]}
   * of this.
   */
  public Hyperslab permute(int[] order) {
    IndexRange[] permuted = new IndexRange[order.length];
    for (int i = 0; i < order.length; i++) {
      permuted[i] = ranges[order[i]];
    }
    return new Hyperslab(permuted);
  }

  /**
   * This box as parts of at most so many elements whose packed elements, one part after the other,
   * are those of the box: cut along the slowest dimension that has more than one index.
   *
   * @param most at least 1
   */
  public List<Hyperslab> divided(long most) {
    if (most < 1) {
      throw new IllegalArgumentException("parts of " + most + " elements");
    }
    List<Hyperslab> parts = new ArrayList<>();
    divide(most, parts);
    return parts;
  }

  private void divide(long most, List<Hyperslab> parts) {
    if (elementCount() <= most) {
      parts.add(this);
      return;
    }
    int dimension = 0;
    while (ranges[dimension].count() == 1) {
      dimension++;
    }
    IndexRange all = ranges[dimension];
    long each = Math.max(1, most / (elementCount() / all.count()));
    for (long from = 0; from < all.count(); from += each) {
      long last = Math.min(all.count(), from + each) - 1;
      IndexRange[] part = ranges.clone();
      part[dimension] =
          new IndexRange(
              all.start() + from * all.stride(),
              all.start() + last * all.stride() + 1,
              all.stride());
      new Hyperslab(part).divide(most, parts);
    }
  }

  /** True if this is exactly the whole of an array of that shape. */
  public boolean covers(Shape shape) {
    for (int d = 0; d < ranges.length; d++) {
      if (ranges[d].count() != shape.length(d)) {
        return false;
      }
    }
    return true;
  }

  /** True if the element at this index is contained. */
  public boolean contains(long... index) {
    for (int d = 0; d < ranges.length; d++) {
      if (!ranges[d].contains(index[d])) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Hyperslab && Arrays.equals(ranges, ((Hyperslab) other).ranges);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(ranges);
  }

  /** As {@code [0:12, 40:50, 0:97:4]}. */
  @Override
  public String toString() {
    return Arrays.stream(ranges)
        .map(IndexRange::toString)
        .collect(Collectors.joining(", ", "[", "]"));
  }
}
