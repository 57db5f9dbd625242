package io.arraymorph.layout.dataset;

import com.fasterxml.jackson.databind.JsonNode;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.zarr.ZarrArray;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * An array with the name and attributes that its group gives it.
 *
 * @param name the last segment of its path
 * @param array the open array
 * @param attributes its attributes, not to be changed
 * @param v2Fill the fill value that the metadata of a Zarr v2 array declare
 */
public record NamedArray(
    String name, ChunkedArray array, JsonNode attributes, Optional<JsonNode> v2Fill) {

  /** No part may be null. */
  public NamedArray {
    Objects.requireNonNull(name);
    Objects.requireNonNull(array);
    Objects.requireNonNull(attributes);
    Objects.requireNonNull(v2Fill);
  }

  /** A Zarr array, called so. */
  static NamedArray of(String name, ZarrArray array) {
    return new NamedArray(name, array, array.attributes(), array.v2Fill());
  }

  List<String> dimensionNames() {
    return array.schema().dimensionNames();
  }

  Shape shape() {
    return array.schema().shape();
  }

  /** True if this is 1-D and named as its dimension. */
  boolean isCoordinateVariable() {
    return shape().rank() == 1 && dimensionNames().get(0).equals(name);
  }

  boolean lies(String dimension, long length) {
    return shape().rank() == 1
        && dimensionNames().get(0).equals(dimension)
        && shape().length(0) == length;
  }
}
