package io.arraymorph.layout.dataset;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.CoordinateIndex;
import io.arraymorph.layout.column.ColumnType.Scalar;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * One dimension of a table and its column: the coordinate's value where there is one, else the
 * index as LONG.
 *
 * @param name the name of the column, unique in the table also without regard to case
 * @param storedName the name that the array's metadata give
 * @param length the number of indices
 * @param coordinate the values along the dimension, if any
 */
public record Dimension(
    String name, String storedName, long length, Optional<Coordinate> coordinate) {

  /** No part may be null. */
  public Dimension {
    Objects.requireNonNull(name);
    Objects.requireNonNull(storedName);
    Objects.requireNonNull(coordinate);
  }

  /** What answers comparisons of the column; reads the coordinate's values at the first call. */
  public CoordinateIndex index() {
    return coordinate.map(Coordinate::index).orElseGet(() -> CoordinateIndex.ofRange(length));
  }

  /** The type of the column: the coordinate's, else LONG. */
  public Scalar type() {
    return coordinate.map(Coordinate::type).orElse(Scalar.LONG);
  }

  /** As {@link Dataset#findDimension}, among these. */
  static Optional<Integer> find(List<Dimension> dimensions, String name) {
    for (int d = 0; d < dimensions.size(); d++) {
      if (dimensions.get(d).name.equals(name)) {
        return Optional.of(d);
      }
    }
    String lower = name.toLowerCase(Locale.ROOT);
    for (int d = 0; d < dimensions.size(); d++) {
      Dimension dimension = dimensions.get(d);
      if (dimension.name.equalsIgnoreCase(name)
          || dimension.storedName.toLowerCase(Locale.ROOT).equals(lower)) {
        return Optional.of(d);
      }
    }
    return Optional.empty();
  }

  /** As {@link Dataset#dimension}, among these. */
  static int position(List<Dimension> dimensions, String name) {
    return find(dimensions, name)
        .orElseThrow(
            () ->
                new ArrayMorphException(
                    ErrorCode.UNKNOWN_DIMENSION,
                    "there is no dimension '" + name + "'",
                    dimensions.isEmpty()
                        ? "The array is a scalar and has none"
                        : "The dimensions are "
                            + String.join(
                                ", ", dimensions.stream().map(Dimension::name).toList())));
  }
}
