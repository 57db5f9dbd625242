package io.arraymorph.spark.read;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownAggregates;
import org.apache.spark.sql.connector.read.SupportsPushDownLimit;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;

/**
 * Collects what Spark pushes down to one scan: predicates, columns and a limit. Planning is
 * elsewhere.
 */
public final class HyperslabScanBuilder
    implements SupportsPushDownV2Filters,
        SupportsPushDownRequiredColumns,
        SupportsPushDownLimit,
        SupportsPushDownAggregates {
  private final ArrayTable table;
  private StructType schema;
  private PushdownResult pushed;
  private int limit = -1;
  private Optional<AggregatePushdown> aggregates = Optional.empty();

  /** A scan of the whole table, to be narrowed. */
  public HyperslabScanBuilder(ArrayTable table) {
    this.table = table;
    this.schema = table.columns().schema();
    this.pushed = new PushdownResult(table.base(), List.of(), List.of(), List.of());
  }

  @Override
  public Predicate[] pushPredicates(Predicate[] predicates) {
    pushed = pushdown(table).push(table.base(), predicates);
    return pushed.residual().toArray(Predicate[]::new);
  }

  /** What turns predicates on columns of the table into selections. */
  static PredicatePushdown pushdown(ArrayTable table) {
    Set<List<String>> clipping = new HashSet<>();
    table.packedColumns().forEach(name -> clipping.add(List.of(name)));
    table.packedIndexFields().forEach(name -> clipping.add(List.of(TableColumns.INDEX, name)));
    return new PredicatePushdown(
        table.shape(),
        table.indexedColumns(),
        clipping,
        DateTimeUtils.getZoneId(SQLConf.get().sessionLocalTimeZone()));
  }

  @Override
  public Predicate[] pushedPredicates() {
    List<Predicate> used = new ArrayList<>(pushed.exact());
    used.addAll(pushed.narrowing());
    return used.toArray(Predicate[]::new);
  }

  @Override
  public void pruneColumns(StructType requiredSchema) {
    schema = requiredSchema;
  }

  /** Tasks aggregate their chunks; Spark aggregates what they give. */
  @Override
  public boolean pushAggregation(Aggregation aggregation) {
    aggregates = AggregatePushdown.of(table, aggregation);
    return aggregates.isPresent();
  }

  @Override
  public boolean pushLimit(int rows) {
    limit = rows;
    return true;
  }

  /** Each task stops early; Spark still cuts the union of their rows. */
  @Override
  public boolean isPartiallyPushed() {
    return true;
  }

  @Override
  public Scan build() {
    boolean oneRow = aggregates.map(a -> a.plan().groups().isEmpty()).orElse(false);
    if (oneRow && pushed.selection().isEmpty()) {
      return new EmptyAggregate(aggregates.get().plan());
    }
    return new HyperslabScan(table, schema, pushed, limit, aggregates);
  }
}
