package io.arraymorph.delta.tensor;

/**
 * A set of cells that is a product of one set of indices per dimension.
 *
 * <p>What reading needs to know of any slice or pushed predicate: which rows of a table can hold a
 * cell of it, and which cells of a row belong to it. Implementations are immutable.
 */
public interface Region {

  /** The number of dimensions. */
  int rank();

  /** True if no cell is contained. */
  boolean isEmpty();

  /** The least index along {@code dimension}; the region must not be empty. */
  long first(int dimension);

  /** The greatest index along {@code dimension}; the region must not be empty. */
  long last(int dimension);

  /** True if the index along {@code dimension} is in the region. */
  boolean contains(int dimension, long index);

  /** True if some index of {@code [low, high]}, both ends included, is in the region. */
  boolean containsAny(int dimension, long low, long high);

  /** True if every index of {@code [low, high]}, both ends included, is in the region. */
  boolean containsAll(int dimension, long low, long high);

  /** True if the box with these inclusive corners may hold a cell of the region. */
  default boolean intersects(Box box) {
    if (isEmpty()) {
      return false;
    }
    for (int d = 0; d < rank(); d++) {
      if (!containsAny(d, box.low(d), box.high(d))) {
        return false;
      }
    }
    return true;
  }

  /** True if the whole box is in the region. */
  default boolean covers(Box box) {
    if (isEmpty()) {
      return false;
    }
    for (int d = 0; d < rank(); d++) {
      if (!containsAll(d, box.low(d), box.high(d))) {
        return false;
      }
    }
    return true;
  }
}
