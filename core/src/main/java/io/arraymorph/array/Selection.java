package io.arraymorph.array;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * Any set of elements of an n-d array, as disjoint {@link OrthogonalSelection}s.
 *
 * <p>Immutable and thread-safe. Two selections are equal if they hold the same elements, however
 * they are cut into parts.
 */
public final class Selection implements Serializable {
  private final int rank;
  private final List<OrthogonalSelection> parts;

  private Selection(int rank, List<OrthogonalSelection> disjoint) {
    this.rank = rank;
    this.parts = List.copyOf(disjoint);
  }

  /** The selection without elements in an array of this rank. */
  public static Selection none(int rank) {
    return new Selection(rank, List.of());
  }

  /** All elements of an array of this shape. */
  public static Selection all(Shape shape) {
    return of(OrthogonalSelection.all(shape));
  }

  /** The elements of a hyperslab. */
  public static Selection of(Hyperslab hyperslab) {
    return of(OrthogonalSelection.of(hyperslab));
  }

  /** The elements of one product. */
  public static Selection of(OrthogonalSelection part) {
    return new Selection(part.rank(), part.isEmpty() ? List.of() : List.of(part));
  }

  /** The union of selections of one rank, which may overlap. */
  public static Selection of(int rank, Collection<OrthogonalSelection> selections) {
    List<OrthogonalSelection> disjoint = new ArrayList<>();
    selections.forEach(selection -> addTo(disjoint, selection));
    return new Selection(rank, disjoint);
  }

  private static void addTo(List<OrthogonalSelection> disjoint, OrthogonalSelection added) {
    for (OrthogonalSelection piece : minus(List.of(added), disjoint)) {
      OrthogonalSelection joined = piece;
      for (int i = 0; i < disjoint.size(); ) {
        OrthogonalSelection product = disjoint.get(i).joinIfProduct(joined);
        if (product == null) {
          i++;
        } else {
          joined = product;
          disjoint.remove(i);
          i = 0;
        }
      }
      disjoint.add(joined);
    }
  }

  private static List<OrthogonalSelection> minus(
      List<OrthogonalSelection> from, List<OrthogonalSelection> removed) {
    List<OrthogonalSelection> rest = new ArrayList<>();
    from.stream().filter(part -> !part.isEmpty()).forEach(rest::add);
    for (OrthogonalSelection other : removed) {
      if (isApart(other, rest)) {
        continue; // Of many boxes most are.
      }
      List<OrthogonalSelection> left = new ArrayList<>();
      for (OrthogonalSelection part : rest) {
        left.addAll(part.minus(other));
      }
      rest = left;
    }
    return rest;
  }

  private static boolean isApart(OrthogonalSelection one, List<OrthogonalSelection> others) {
    for (OrthogonalSelection other : others) {
      if (!one.isApart(other)) {
        return false;
      }
    }
    return true;
  }

  /** The number of dimensions. */
  public int rank() {
    return rank;
  }

  /** The disjoint parts, none empty. */
  public List<OrthogonalSelection> parts() {
    return parts;
  }

  /** The elements in this selection or the other. */
  public Selection union(Selection other) {
    List<OrthogonalSelection> disjoint = new ArrayList<>(parts);
    other.parts.forEach(part -> addTo(disjoint, part));
    return new Selection(rank, disjoint);
  }

  /** The elements in this selection and the other. */
  public Selection intersect(Selection other) {
    List<OrthogonalSelection> common = new ArrayList<>();
    for (OrthogonalSelection a : parts) {
      for (OrthogonalSelection b : other.parts) {
        OrthogonalSelection both = a.intersect(b);
        if (!both.isEmpty()) {
          common.add(both);
        }
      }
    }
    return new Selection(rank, common);
  }

  /** The elements of this selection that are not in the other. */
  public Selection minus(Selection other) {
    return new Selection(rank, minus(parts, other.parts));
  }

  /** The elements of this selection in a box. */
  public Selection clip(Hyperslab box) {
    return new Selection(
        rank, parts.stream().map(part -> part.clip(box)).filter(part -> !part.isEmpty()).toList());
  }

  /**
   * The number of elements.
   *
   * @throws ArithmeticException if the count exceeds 2^63-1
   */
  public long elementCount() {
    return parts.stream().mapToLong(OrthogonalSelection::elementCount).reduce(0, Math::addExact);
  }

  /** True if no element is contained. */
  public boolean isEmpty() {
    return parts.isEmpty();
  }

  /** The least contiguous box that holds all elements; empty if this is. */
  public Hyperslab bounds() {
    long[] start = new long[rank];
    long[] stop = new long[rank];
    for (int d = 0; d < rank && !isEmpty(); d++) {
      int dimension = d;
      start[d] = parts.stream().mapToLong(p -> p.indices(dimension).first()).min().getAsLong();
      stop[d] = parts.stream().mapToLong(p -> p.indices(dimension).last() + 1).max().getAsLong();
    }
    return Hyperslab.box(start, stop);
  }

  /** The elements as disjoint hyperslabs, made one by one, part after part. */
  public Iterable<Hyperslab> hyperslabs() {
    return () -> hyperslabIterator();
  }

  private Iterator<Hyperslab> hyperslabIterator() {
    return parts.stream()
        .flatMap(part -> StreamSupport.stream(part.hyperslabs().spliterator(), false))
        .iterator();
  }

  @Override
  public boolean equals(Object object) {
    if (!(object instanceof Selection)) {
      return false;
    }
    Selection other = (Selection) object;
    return rank == other.rank && minus(other).isEmpty() && other.minus(this).isEmpty();
  }

  @Override
  public int hashCode() {
    return 31 * rank + (isEmpty() ? 0 : bounds().hashCode());
  }

  @Override
  public String toString() {
    return parts.stream()
        .map(OrthogonalSelection::toString)
        .collect(Collectors.joining(" + ", "", ""));
  }
}
