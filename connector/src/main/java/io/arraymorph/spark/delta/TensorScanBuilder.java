package io.arraymorph.spark.delta;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Selection;
import io.arraymorph.layout.dataset.Dimension;
import io.arraymorph.layout.dataset.SliceText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.types.StructType;

/** Collects what Spark pushes down before tensors are scanned. */
final class TensorScanBuilder
    implements SupportsPushDownV2Filters, SupportsPushDownRequiredColumns {
  private final TensorRead read;
  private StructType schema;
  private final List<Selection> selections = new ArrayList<>();
  private final List<Predicate> pushed = new ArrayList<>();

  TensorScanBuilder(TensorRead read, Optional<String> slice) {
    this.read = read;
    this.schema = read.schema();
    for (int t = 0; t < read.tensors().size(); t++) {
      ArraySchema schema = read.columns().header(t).schema();
      selections.add(
          slice
              .map(text -> SliceText.parse(text).toSelection(dimensions(schema)))
              .orElseGet(() -> Selection.all(schema.shape())));
    }
  }

  /** The dimensions of a tensor, along which indices are the values. */
  private static List<Dimension> dimensions(ArraySchema tensor) {
    List<Dimension> dimensions = new ArrayList<>();
    for (int d = 0; d < tensor.shape().rank(); d++) {
      String name = tensor.dimensionNames().get(d);
      dimensions.add(new Dimension(name, name, tensor.shape().length(d), Optional.empty()));
    }
    return dimensions;
  }

  /** Takes what is exact for every tensor; the rest may still narrow some, and stays with Spark. */
  @Override
  public Predicate[] pushPredicates(Predicate[] predicates) {
    List<Predicate> left = new ArrayList<>();
    for (Predicate predicate : predicates) {
      boolean exact = true;
      for (int t = 0; t < selections.size(); t++) {
        Optional<Selection> cells = new TensorPredicates(read.columns(), t).whereTrue(predicate);
        if (cells.isPresent()) {
          selections.set(t, selections.get(t).intersect(cells.get()));
        }
        exact &= cells.isPresent();
      }
      (exact ? pushed : left).add(predicate);
    }
    return left.toArray(Predicate[]::new);
  }

  @Override
  public Predicate[] pushedPredicates() {
    return pushed.toArray(Predicate[]::new);
  }

  @Override
  public void pruneColumns(StructType required) {
    schema = required;
  }

  @Override
  public Scan build() {
    return new TensorScan(read, schema, List.copyOf(selections));
  }
}
