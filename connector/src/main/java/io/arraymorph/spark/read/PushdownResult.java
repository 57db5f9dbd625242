package io.arraymorph.spark.read;

import io.arraymorph.array.Selection;
import java.util.List;
import org.apache.spark.sql.connector.expressions.filter.Predicate;

/**
 * What became of the predicates of a query.
 *
 * @param selection the cells to read
 * @param exact predicates that the selection answers completely
 * @param residual predicates that Spark must evaluate on the rows read
 * @param narrowing those of {@code residual} and {@code filtered} that made the selection smaller
 * @param filtered predicates that tasks evaluate completely on the cells they read
 * @param filter the condition that all of {@code filtered} are
 */
record PushdownResult(
    Selection selection,
    List<Predicate> exact,
    List<Predicate> residual,
    List<Predicate> narrowing,
    List<Predicate> filtered,
    ValueFilter filter) {

  /** No predicate on these cells. */
  static PushdownResult unfiltered(Selection cells) {
    return new PushdownResult(cells, List.of(), List.of(), List.of(), List.of(), ValueFilter.NONE);
  }

  /** The same for fewer cells. */
  PushdownResult within(Selection cells) {
    return new PushdownResult(cells, exact, residual, narrowing, filtered, filter);
  }

  PushdownResult {
    exact = List.copyOf(exact);
    residual = List.copyOf(residual);
    narrowing = List.copyOf(narrowing);
    filtered = List.copyOf(filtered);
  }
}
