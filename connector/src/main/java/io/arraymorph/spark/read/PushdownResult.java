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
 * @param narrowing those of {@code residual} that made the selection smaller
 */
record PushdownResult(
    Selection selection,
    List<Predicate> exact,
    List<Predicate> residual,
    List<Predicate> narrowing) {

  PushdownResult {
    exact = List.copyOf(exact);
    residual = List.copyOf(residual);
    narrowing = List.copyOf(narrowing);
  }
}
