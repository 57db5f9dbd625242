package io.arraymorph.spark;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.io.Serializable;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What one row of a read is: option {@code rows}. */
public sealed interface RowMode extends Serializable {

  /** One row per piece; every dimension is packed into the tensors. */
  record Tensors() implements RowMode {
    @Override
    public boolean packs(String dimension) {
      return true;
    }

    @Override
    public String toString() {
      return "tensors";
    }
  }

  /** One row per cell; no dimension is packed. */
  record Cells() implements RowMode {
    @Override
    public boolean packs(String dimension) {
      return false;
    }

    @Override
    public String toString() {
      return "cells";
    }
  }

  /** One row per index of the named dimensions; the others are packed. */
  record Named(List<String> dimensions) implements RowMode {
    /** Copies the list. */
    public Named {
      dimensions = List.copyOf(dimensions);
    }

    @Override
    public boolean packs(String dimension) {
      return !dimensions.contains(dimension);
    }

    @Override
    public String toString() {
      return String.join(",", dimensions);
    }
  }

  /** True if a row spans several indices of this dimension. */
  boolean packs(String dimension);

  /**
   * The mode a text names.
   *
   * @throws ArrayMorphException with INVALID_OPTION for an empty or repeated dimension name
   */
  static RowMode parse(String text) {
    switch (text.trim()) {
      case "tensors":
        return new Tensors();
      case "cells":
        return new Cells();
      default:
        List<String> names =
            Arrays.stream(text.split(",", -1)).map(String::trim).collect(Collectors.toList());
        Set<String> distinct = new LinkedHashSet<>(names);
        if (distinct.contains("") || distinct.size() != names.size()) {
          throw new ArrayMorphException(
              ErrorCode.INVALID_OPTION,
              "option rows: '" + text + "' is not a list of different dimension names",
              "Use tensors, cells, or dimensions as in time,level");
        }
        return new Named(names);
    }
  }
}
