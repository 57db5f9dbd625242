package io.arraymorph.spark.write;

import java.util.List;
import java.util.Optional;

/** How the values of a dimension's column become indices. */
sealed interface DimensionIndex {

  /** There is no column: every tensor row starts at index 0. */
  record Origin() implements DimensionIndex {}

  /** The column is the index. */
  record Position() implements DimensionIndex {}

  /**
   * The column is a coordinate.
   *
   * @param keys key of each index: Long, Double or String
   */
  record Lookup(List<Object> keys) implements DimensionIndex {
    /** Copies the keys. */
    public Lookup {
      keys = List.copyOf(keys);
    }
  }

  /** The keys, if the column is a coordinate. */
  default Optional<Lookup> lookup() {
    return this instanceof Lookup ? Optional.of((Lookup) this) : Optional.empty();
  }
}
