package io.arraymorph.array;

/**
 * Decoded elements of one data type in memory: a packed n-d array in C order (last dimension
 * fastest).
 *
 * <p>Not thread-safe for writers; readers may share one after it is filled. The content must not be
 * changed once an {@code Elements} was handed on, for it may be a view of a cached buffer.
 */
public sealed interface Elements permits FixedWidthElements, VariableWidthElements {

  /** The type of each element. */
  DataType type();

  /** The lengths along each dimension; the element count is at most 2^31-1. */
  Shape shape();

  /** The number of bytes held, for memory accounting. */
  long byteSize();

  /** The number of elements. */
  default int count() {
    return Math.toIntExact(shape().elementCount());
  }
}
