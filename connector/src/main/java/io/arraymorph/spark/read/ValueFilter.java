package io.arraymorph.spark.read;

import io.arraymorph.layout.dataset.Variable;
import java.util.List;

/**
 * A condition on cells with the variables that it counts.
 *
 * @param filter the condition
 * @param variables what {@link CellFilter.InSet#variable()} is a position in
 */
record ValueFilter(CellFilter filter, List<Variable> variables) {
  /** No condition. */
  static final ValueFilter NONE = new ValueFilter(CellFilter.everyCell(), List.of());

  /** Copies the list. */
  ValueFilter {
    variables = List.copyOf(variables);
  }

  boolean isNone() {
    return filter.isEveryCell();
  }

  /**
   * The condition for a scan that reads these variables.
   *
   * @param read to which variables that only the condition needs are added
   */
  CellFilter among(List<Variable> read) {
    return filter.renumbered(
        v -> {
          Variable variable = variables.get(v);
          if (!read.contains(variable)) {
            read.add(variable);
          }
          return read.indexOf(variable);
        });
  }
}
