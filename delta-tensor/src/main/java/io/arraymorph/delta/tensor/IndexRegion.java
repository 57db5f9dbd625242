package io.arraymorph.delta.tensor;

import io.arraymorph.array.IndexRange;
import io.arraymorph.array.IndexSet;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/** A region given by one set of indices per dimension. Immutable, serializable. */
public final class IndexRegion implements Region, Serializable {
  private static final long serialVersionUID = 1L;

  private final ArrayList<IndexSet> indices;

  /** The product of these sets. */
  public IndexRegion(List<IndexSet> indices) {
    this.indices = new ArrayList<>(indices);
  }

  /** The indices along a dimension. */
  public IndexSet indices(int dimension) {
    return indices.get(dimension);
  }

  /** The sets of all dimensions, unmodifiable. */
  public List<IndexSet> indices() {
    return List.copyOf(indices);
  }

  /** This region where it lies in a box. */
  public IndexRegion clip(Box box) {
    List<IndexSet> clipped = new ArrayList<>();
    for (int d = 0; d < indices.size(); d++) {
      clipped.add(
          indices.get(d).intersect(IndexSet.of(IndexRange.of(box.low(d), box.high(d) + 1))));
    }
    return new IndexRegion(clipped);
  }

  @Override
  public int rank() {
    return indices.size();
  }

  @Override
  public boolean isEmpty() {
    return indices.stream().anyMatch(IndexSet::isEmpty);
  }

  @Override
  public long first(int dimension) {
    return indices.get(dimension).first();
  }

  @Override
  public long last(int dimension) {
    return indices.get(dimension).last();
  }

  @Override
  public boolean contains(int dimension, long index) {
    return indices.get(dimension).contains(index);
  }

  @Override
  public boolean containsAny(int dimension, long low, long high) {
    long next = indices.get(dimension).ceiling(low);
    return next >= 0 && next <= high;
  }

  @Override
  public boolean containsAll(int dimension, long low, long high) {
    IndexSet within = indices.get(dimension).intersect(IndexSet.of(IndexRange.of(low, high + 1)));
    return within.count() == high - low + 1;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof IndexRegion && indices.equals(((IndexRegion) other).indices);
  }

  @Override
  public int hashCode() {
    return indices.hashCode();
  }

  @Override
  public String toString() {
    return indices.toString();
  }
}
