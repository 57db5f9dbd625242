package io.arraymorph.spark.delta;

import io.arraymorph.array.IndexSet;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.IndexRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.types.StructType;

/** Collects what Spark pushes down before a tensor is scanned. */
final class TensorScanBuilder
    implements SupportsPushDownV2Filters, SupportsPushDownRequiredColumns {
  private final TensorSource source;
  private final boolean cellRows;
  private final boolean allCells;
  private StructType schema;
  private IndexRegion region;
  private final List<Predicate> pushed = new ArrayList<>();

  TensorScanBuilder(
      TensorSource source,
      StructType schema,
      boolean cellRows,
      boolean allCells,
      Optional<String> slice) {
    this.source = source;
    this.schema = schema;
    this.cellRows = cellRows;
    this.allCells = allCells;
    Shape shape = source.tensor().schema().shape();
    List<String> dimensions = source.tensor().schema().dimensionNames();
    List<IndexSet> all = new ArrayList<>();
    for (int d = 0; d < shape.rank(); d++) {
      all.add(IndexSet.all(shape.length(d)));
    }
    this.region =
        slice
            .map(text -> new SliceOption(text, dimensions, shape).region())
            .orElseGet(() -> new IndexRegion(all));
  }

  @Override
  public Predicate[] pushPredicates(Predicate[] predicates) {
    DimensionFilter filter =
        new DimensionFilter(
            source.tensor().schema().dimensionNames(), source.tensor().schema().shape());
    List<Predicate> left = new ArrayList<>();
    for (Predicate predicate : predicates) {
      Optional<IndexRegion> narrowed = filter.apply(predicate, region);
      if (narrowed.isPresent()) {
        region = narrowed.get();
        pushed.add(predicate);
      } else {
        left.add(predicate);
      }
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
    return new TensorScan(source, schema, region, cellRows, allCells);
  }
}
