package io.arraymorph.spark.read;

import io.arraymorph.array.Selection;
import io.arraymorph.spark.RowMode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.connector.expressions.NullOrdering;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.SupportsPushDownAggregates;
import org.apache.spark.sql.connector.read.SupportsPushDownLimit;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownTopN;
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
        SupportsPushDownTopN,
        SupportsPushDownAggregates {
  private final ArrayTable table;
  private StructType schema;
  private PushdownResult pushed;
  private int limit = -1;
  private Aggregation asked;
  private Optional<AggregatePushdown> aggregates = Optional.empty();

  /** A scan of the whole table, to be narrowed. */
  public HyperslabScanBuilder(ArrayTable table) {
    this.table = table;
    this.schema = table.columns().schema();
    this.pushed = PushdownResult.unfiltered(table.base());
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
        DateTimeUtils.getZoneId(SQLConf.get().sessionLocalTimeZone()),
        table.options().rows() instanceof RowMode.Cells ? table.columns().variables() : List.of());
  }

  @Override
  public Predicate[] pushedPredicates() {
    List<Predicate> used = new ArrayList<>(pushed.exact());
    used.addAll(pushed.filtered());
    pushed.narrowing().stream().filter(p -> !used.contains(p)).forEach(used::add);
    return used.toArray(Predicate[]::new);
  }

  @Override
  public void pruneColumns(StructType requiredSchema) {
    schema = requiredSchema;
  }

  /** Tasks aggregate their chunks; Spark aggregates what they give. */
  @Override
  public boolean pushAggregation(Aggregation aggregation) {
    aggregates = AggregatePushdown.of(table, aggregation, asked == null ? aggregation : asked);
    return aggregates.isPresent();
  }

  /** Never; but Spark asks before it replaces AVG by SUM and COUNT, and again after that. */
  @Override
  public boolean supportCompletePushDown(Aggregation aggregation) {
    asked = asked == null ? aggregation : asked;
    return false;
  }

  /** Reads only the cells of the first rows; Spark still sorts them and cuts what is too much. */
  @Override
  public boolean pushTopN(SortOrder[] orders, int rows) {
    List<TopRows.Key> keys = new ArrayList<>();
    for (SortOrder order : orders) {
      Optional<OutputColumn.Along> column = ScanColumns.along(table, order.expression());
      if (column.isEmpty()) {
        return false;
      }
      keys.add(
          new TopRows.Key(
              column.get(),
              order.direction() == SortDirection.ASCENDING,
              order.nullOrdering() == NullOrdering.NULLS_FIRST));
    }
    Optional<Selection> first =
        pushed.filter().isNone() && aggregates.isEmpty()
            ? new TopRows(keys, table.packed()).of(pushed.selection(), rows)
            : Optional.empty();
    first.ifPresent(cells -> pushed = pushed.within(cells));
    return first.isPresent();
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
    if (aggregates.isPresent() && (pushed.filter().isNone() || pushed.selection().isEmpty())) {
      Optional<LocalAggregate> known =
          LocalAggregate.of(aggregates.get().plan(), pushed.selection());
      if (known.isPresent()) {
        return known.get();
      }
    }
    return new HyperslabScan(table, schema, pushed, limit, aggregates);
  }
}
