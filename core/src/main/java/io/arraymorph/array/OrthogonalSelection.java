package io.arraymorph.array;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.Collectors;

/**
 * The product of one {@link IndexSet} per dimension (Zarr's orthogonal indexing): every combination
 * of the selected indices.
 *
 * <p>Immutable and thread-safe. Rank 0 holds the one element of a scalar. Two selections are equal
 * if they hold the same elements.
 */
public final class OrthogonalSelection implements Serializable {
  private final IndexSet[] indices;

  private OrthogonalSelection(IndexSet[] indices) {
    this.indices = indices;
  }

  /** All elements of an array of this shape. */
  public static OrthogonalSelection all(Shape shape) {
    return of(Hyperslab.all(shape));
  }

  /** The product of these sets, one per dimension. */
  public static OrthogonalSelection of(List<IndexSet> indices) {
    return new OrthogonalSelection(indices.toArray(IndexSet[]::new));
  }

  /** The elements of a hyperslab. */
  public static OrthogonalSelection of(Hyperslab hyperslab) {
    return of(hyperslab.ranges().stream().map(IndexSet::of).toList());
  }

  /** The number of dimensions. */
  public int rank() {
    return indices.length;
  }

  /** The selected indices along one dimension. */
  public IndexSet indices(int dimension) {
    return indices[dimension];
  }

  /** This selection with the indices along one dimension replaced. */
  public OrthogonalSelection with(int dimension, IndexSet replacement) {
    IndexSet[] replaced = indices.clone();
    replaced[dimension] = replacement;
    return new OrthogonalSelection(replaced);
  }

  /** The elements in this selection and the other, which has the same rank. */
  public OrthogonalSelection intersect(OrthogonalSelection other) {
    IndexSet[] both = new IndexSet[indices.length];
    for (int d = 0; d < both.length; d++) {
      both[d] = indices[d].intersect(other.indices[d]);
    }
    return new OrthogonalSelection(both);
  }

  /** The elements of this selection in {@code box} (which may have strides). */
  public OrthogonalSelection clip(Hyperslab box) {
    IndexSet[] clipped = new IndexSet[indices.length];
    for (int d = 0; d < clipped.length; d++) {
      IndexRange range = box.range(d);
      clipped[d] = indices[d].clip(range.start(), range.stop());
      if (range.stride() > 1) {
        clipped[d] = clipped[d].intersect(IndexSet.of(range));
      }
    }
    return new OrthogonalSelection(clipped);
  }

  /** True if the bounds of both have no index in common along some dimension. */
  boolean isApart(OrthogonalSelection other) {
    for (int d = 0; d < indices.length; d++) {
      IndexSet mine = indices[d];
      IndexSet its = other.indices[d];
      if (mine.isEmpty()
          || its.isEmpty()
          || mine.last() < its.first()
          || its.last() < mine.first()) {
        return true;
      }
    }
    return false;
  }

  /** The elements of this selection that are not in the other, as disjoint selections. */
  List<OrthogonalSelection> minus(OrthogonalSelection other) {
    OrthogonalSelection common = intersect(other);
    if (common.isEmpty()) {
      return isEmpty() ? List.of() : List.of(this);
    }
    List<OrthogonalSelection> rest = new ArrayList<>();
    for (int d = 0; d < indices.length; d++) {
      IndexSet[] piece = indices.clone();
      System.arraycopy(common.indices, 0, piece, 0, d);
      piece[d] = indices[d].minus(other.indices[d]);
      if (!piece[d].isEmpty()) {
        rest.add(new OrthogonalSelection(piece));
      }
    }
    return rest;
  }

  /** The disjoint union as one product if both differ along one dimension at most, else null. */
  OrthogonalSelection joinIfProduct(OrthogonalSelection other) {
    int different = -1;
    for (int d = 0; d < indices.length; d++) {
      if (!indices[d].equals(other.indices[d])) {
        if (different >= 0) {
          return null;
        }
        different = d;
      }
    }
    return different < 0
        ? this
        : with(different, indices[different].union(other.indices[different]));
  }

  /** The number of indices along each dimension: the shape of the selected elements when packed. */
  public Shape counts() {
    return Shape.of(Arrays.stream(indices).mapToLong(IndexSet::count).toArray());
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
    for (IndexSet set : indices) {
      if (set.isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /** The least contiguous box that holds all elements; empty if this is. */
  public Hyperslab bounds() {
    IndexRange[] ranges = new IndexRange[indices.length];
    for (int d = 0; d < ranges.length; d++) {
      ranges[d] =
          isEmpty() ? IndexRange.EMPTY : IndexRange.of(indices[d].first(), indices[d].last() + 1);
    }
    return Hyperslab.of(ranges);
  }

  /** The elements as disjoint hyperslabs, made one by one in ascending order. */
  public Iterable<Hyperslab> hyperslabs() {
    return HyperslabIterator::new;
  }

  @Override
  public boolean equals(Object other) {
    if (!(other instanceof OrthogonalSelection)) {
      return false;
    }
    OrthogonalSelection that = (OrthogonalSelection) other;
    return rank() == that.rank()
        && ((isEmpty() && that.isEmpty()) || Arrays.equals(indices, that.indices));
  }

  @Override
  public int hashCode() {
    return isEmpty() ? rank() : Arrays.hashCode(indices);
  }

  /** As {@code [{0:4, 7:8}, {0:10:2}]}. */
  @Override
  public String toString() {
    return Arrays.stream(indices)
        .map(IndexSet::toString)
        .collect(Collectors.joining(", ", "[", "]"));
  }

  /** An odometer over the ranges of each dimension, the last fastest. */
  private final class HyperslabIterator implements Iterator<Hyperslab> {
    private final int[] position = new int[indices.length];
    private boolean more = !isEmpty();

    @Override
    public boolean hasNext() {
      return more;
    }

    @Override
    public Hyperslab next() {
      if (!more) {
        throw new NoSuchElementException();
      }
      IndexRange[] ranges = new IndexRange[position.length];
      for (int d = 0; d < ranges.length; d++) {
        ranges[d] = indices[d].ranges().get(position[d]);
      }
      int d = position.length - 1;
      while (d >= 0 && ++position[d] == indices[d].ranges().size()) {
        position[d--] = 0;
      }
      more = d >= 0;
      return Hyperslab.of(ranges);
    }
  }
}
