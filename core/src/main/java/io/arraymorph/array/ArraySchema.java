package io.arraymorph.array;

import java.util.List;
import java.util.Objects;

/**
 * What an array is, apart from how it is stored: its element type, shape, dimension names and fill
 * value.
 *
 * @param dataType type of the elements
 * @param shape lengths along each dimension
 * @param dimensionNames one name per dimension, unique; unnamed ones are {@code dim_0, dim_1, ..}
 * @param fill one element (shape of rank 0): the value of every cell that was never written
 */
public record ArraySchema(
    DataType dataType, Shape shape, List<String> dimensionNames, Elements fill) {

  /** Copies the names; throws {@link IllegalArgumentException} if their number is not the rank. */
  public ArraySchema {
    Objects.requireNonNull(dataType);
    Objects.requireNonNull(fill);
    dimensionNames = List.copyOf(dimensionNames);
    if (dimensionNames.size() != shape.rank()) {
      throw new IllegalArgumentException(
          dimensionNames + " do not name the dimensions of " + shape);
    }
  }
}
