package io.arraymorph.layout.dataset;

import io.arraymorph.array.Shape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The arrays of a group that share their dimensions, in order and length: what one scan can read.
 *
 * @param dimensionNames names as stored
 * @param shape lengths
 * @param variables names of the arrays, as option {@code array} takes them
 */
public record TableDescription(List<String> dimensionNames, Shape shape, List<String> variables) {

  /** The table that a group shows first: most dimensions, most variables, first name. */
  static final Comparator<TableDescription> PREFERENCE =
      Comparator.comparing((TableDescription t) -> -t.shape().rank())
          .thenComparing(t -> -t.variables().size())
          .thenComparing(t -> t.variables().get(0));

  /** Copies the lists. */
  public TableDescription {
    dimensionNames = List.copyOf(dimensionNames);
    variables = List.copyOf(variables);
  }

  boolean holds(NamedArray array) {
    return array.dimensionNames().equals(dimensionNames) && array.shape().equals(shape);
  }

  /** As {@code (time 12, lat 90): t2m, sst}. */
  @Override
  public String toString() {
    List<String> dimensions = new ArrayList<>();
    for (int d = 0; d < dimensionNames.size(); d++) {
      dimensions.add(dimensionNames.get(d) + " " + shape.length(d));
    }
    return "(" + String.join(", ", dimensions) + "): " + String.join(", ", variables);
  }
}
