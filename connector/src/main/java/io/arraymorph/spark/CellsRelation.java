package io.arraymorph.spark;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.spark.write.ArraySave;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BinaryOperator;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.sources.And;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.EqualNullSafe;
import org.apache.spark.sql.sources.EqualTo;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.sources.GreaterThan;
import org.apache.spark.sql.sources.GreaterThanOrEqual;
import org.apache.spark.sql.sources.In;
import org.apache.spark.sql.sources.InsertableRelation;
import org.apache.spark.sql.sources.IsNotNull;
import org.apache.spark.sql.sources.IsNull;
import org.apache.spark.sql.sources.LessThan;
import org.apache.spark.sql.sources.LessThanOrEqual;
import org.apache.spark.sql.sources.Not;
import org.apache.spark.sql.sources.Or;
import org.apache.spark.sql.sources.PrunedFilteredScan;
import org.apache.spark.sql.types.StructType;

/**
 * Cells as a relation of Spark's first data source interface: that of tables in session catalogs
 * that know no other, as Spark 3.5's own and Delta's.
 *
 * <p>Columns and predicates are handed on to a read through the second interface, so chunks are
 * left out as there; aggregates and limits are Spark's. Rows that pack dimensions are refused: this
 * interface does not show the predicates that Spark keeps, so one on a packed dimension could not
 * be told from one on a plain column.
 */
final class CellsRelation extends BaseRelation implements PrunedFilteredScan, InsertableRelation {
  private final SQLContext context;
  private final Map<String, String> options;
  private final StructType schema;

  private CellsRelation(SQLContext context, Map<String, String> options) {
    this.context = context;
    this.options = options;
    this.schema = cells().schema();
  }

  /**
   * The relation of a table's options.
   *
   * @throws ArrayMorphException UNSUPPORTED_FEATURE unless {@code rows} is {@code cells},
   *     INVALID_OPTION for an option that there is not
   */
  static BaseRelation of(
      SQLContext context, scala.collection.immutable.Map<String, String> parameters) {
    Map<String, String> options = new HashMap<>();
    scala.collection.Iterator<scala.Tuple2<String, String>> entries = parameters.iterator();
    while (entries.hasNext()) {
      scala.Tuple2<String, String> entry = entries.next();
      options.put(entry._1().toLowerCase(Locale.ROOT), entry._2());
    }
    OptionNames.check(options);
    boolean areCells = "cells".equalsIgnoreCase(options.getOrDefault("rows", "").trim());
    if (!areCells) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "this session catalog reads tables through Spark's first interface, which has no rows"
              + " that pack dimensions",
          "Create the table with rows 'cells', or use a temporary view, a catalog of class"
              + " io.arraymorph.spark.ArrayMorphCatalog, or array_scan");
    }
    return new CellsRelation(context, options);
  }

  @Override
  public SQLContext sqlContext() {
    return context;
  }

  @Override
  public StructType schema() {
    return schema;
  }

  /** The array as it is now: Spark keeps a relation for longer than one query. */
  private Dataset<Row> cells() {
    return context.sparkSession().read().format("arraymorph").options(options).load();
  }

  @Override
  public RDD<Row> buildScan(String[] columns, Filter[] filters) {
    Dataset<Row> rows = cells();
    for (Filter filter : filters) {
      Optional<Column> condition = condition(filter);
      if (condition.isPresent()) {
        rows = rows.filter(condition.get());
      }
    }
    return rows.select(Arrays.stream(columns).map(CellsRelation::column).toArray(Column[]::new))
        .rdd();
  }

  private static Column column(String name) {
    return functions.col('`' + name.replace("`", "``") + '`');
  }

  /** Appends rows, or replaces all by them. */
  @Override
  public void insert(Dataset<Row> data, boolean overwrite) {
    ArraySave.save(data, options, overwrite ? SaveMode.Overwrite : SaveMode.Append);
  }

  /** The same condition on our columns; empty if it is of another kind, which Spark evaluates. */
  private Optional<Column> condition(Filter filter) {
    if (filter instanceof And) {
      return both(((And) filter).left(), ((And) filter).right(), Column::and);
    } else if (filter instanceof Or) {
      return both(((Or) filter).left(), ((Or) filter).right(), Column::or);
    } else if (filter instanceof Not) {
      return condition(((Not) filter).child()).map(functions::not);
    } else if (filter instanceof EqualTo) {
      EqualTo equal = (EqualTo) filter;
      return named(equal.attribute()).map(column -> column.equalTo(equal.value()));
    } else if (filter instanceof EqualNullSafe) {
      EqualNullSafe equal = (EqualNullSafe) filter;
      return named(equal.attribute()).map(column -> column.eqNullSafe(equal.value()));
    } else if (filter instanceof GreaterThan) {
      GreaterThan greater = (GreaterThan) filter;
      return named(greater.attribute()).map(column -> column.gt(greater.value()));
    } else if (filter instanceof GreaterThanOrEqual) {
      GreaterThanOrEqual greater = (GreaterThanOrEqual) filter;
      return named(greater.attribute()).map(column -> column.geq(greater.value()));
    } else if (filter instanceof LessThan) {
      LessThan less = (LessThan) filter;
      return named(less.attribute()).map(column -> column.lt(less.value()));
    } else if (filter instanceof LessThanOrEqual) {
      LessThanOrEqual less = (LessThanOrEqual) filter;
      return named(less.attribute()).map(column -> column.leq(less.value()));
    } else if (filter instanceof In) {
      In in = (In) filter;
      return named(in.attribute()).map(column -> column.isin(in.values()));
    } else if (filter instanceof IsNull) {
      return named(((IsNull) filter).attribute()).map(Column::isNull);
    } else if (filter instanceof IsNotNull) {
      return named(((IsNotNull) filter).attribute()).map(Column::isNotNull);
    }
    return Optional.empty();
  }

  private Optional<Column> both(Filter left, Filter right, BinaryOperator<Column> join) {
    return condition(left).flatMap(a -> condition(right).map(b -> join.apply(a, b)));
  }

  /** The column of an attribute as Spark quotes it; empty for a field of a struct. */
  private Optional<Column> named(String attribute) {
    boolean isQuoted =
        attribute.length() > 1 && attribute.startsWith("`") && attribute.endsWith("`");
    String name =
        isQuoted ? attribute.substring(1, attribute.length() - 1).replace("``", "`") : attribute;
    return Arrays.asList(schema.fieldNames()).contains(name)
        ? Optional.of(column(name))
        : Optional.empty();
  }
}
