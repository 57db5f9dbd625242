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
   * @param key kind of the keys
   * @param keys key of each index
   */
  record Lookup(DimensionKey key, List<Object> keys) implements DimensionIndex {
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
