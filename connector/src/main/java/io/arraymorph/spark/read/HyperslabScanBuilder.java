package io.arraymorph.spark.read;

import io.arraymorph.array.Selection;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
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
    implements SupportsPushDownV2Filters, SupportsPushDownRequiredColumns, SupportsPushDownLimit {
  private final ArrayTable table;
  private StructType schema;
  private PushdownResult pushed;
  private int limit = -1;

  /** A scan of the whole table, to be narrowed. */
  public HyperslabScanBuilder(ArrayTable table) {
    this.table = table;
    this.schema = table.columns().schema();
    this.pushed = new PushdownResult(table.base(), List.of(), List.of(), List.of());
  }

  @Override
  public Predicate[] pushPredicates(Predicate[] predicates) {
    Map<List<String>, IndexedColumn> columns = table.indexedColumns();
    Set<List<String>> clipping = new HashSet<>();
    table.packedColumns().forEach(name -> clipping.add(List.of(name)));
    table.packedIndexFields().forEach(name -> clipping.add(List.of(TableColumns.INDEX, name)));
    ZoneId zone = DateTimeUtils.getZoneId(SQLConf.get().sessionLocalTimeZone());
    Selection base = table.base();
    pushed = new PredicatePushdown(table.shape(), columns, clipping, zone).push(base, predicates);
    return pushed.residual().toArray(Predicate[]::new);
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
    return new HyperslabScan(table, schema, pushed, limit);
  }
}
