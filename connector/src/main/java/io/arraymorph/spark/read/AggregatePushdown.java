package io.arraymorph.spark.read;

import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.dataset.Variable;
import io.arraymorph.spark.RowMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.aggregate.Count;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.aggregate.Max;
import org.apache.spark.sql.connector.expressions.aggregate.Min;
import org.apache.spark.sql.connector.expressions.aggregate.Sum;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Which aggregates of a query can be computed on the buffers of chunks: COUNT, SUM, MIN and MAX of
 * variables in rows of cells, grouped by columns along dimensions.
 *
 * @param plan what tasks compute
 * @param variables the variables that are read for it
 */
record AggregatePushdown(AggregatePlan plan, List<Variable> variables) {

  /** The plan for an aggregation, or empty if any part of it is better left to Spark. */
  static Optional<AggregatePushdown> of(ArrayTable table, Aggregation aggregation) {
    if (!(table.options().rows() instanceof RowMode.Cells)) {
      return Optional.empty();
    }
    StructType all = table.columns().schema();
    List<StructField> groups = new ArrayList<>();
    for (Expression expression : aggregation.groupByExpressions()) {
      Optional<String> column = column(expression);
      if (column.isEmpty()
          || !List.of(all.fieldNames()).contains(column.get())
          || table.columns().variable(column.get()).isPresent()) {
        return Optional.empty();
      }
      groups.add(all.apply(column.get()));
    }
    List<Variable> variables = new ArrayList<>();
    List<Measure> measures = new ArrayList<>();
    for (AggregateFunc function : aggregation.aggregateExpressions()) {
      Optional<Measure> measure = measure(table, function, variables);
      if (measure.isEmpty()) {
        return Optional.empty();
      }
      measures.add(measure.get());
    }
    List<OutputColumn.Along> along =
        ScanColumns.of(table, DataTypes.createStructType(groups)).outputs().stream()
            .map(column -> (OutputColumn.Along) column)
            .toList();
    List<StructField> fields = new ArrayList<>(groups);
    for (int m = 0; m < measures.size(); m++) {
      Measure measure = measures.get(m);
      fields.add(
          DataTypes.createStructField("aggregate_" + m, measure.resultType(), !measure.isCount()));
    }
    StructType schema = DataTypes.createStructType(fields);
    return Optional.of(
        new AggregatePushdown(new AggregatePlan(along, measures, schema), variables));
  }

  private static Optional<Measure> measure(
      ArrayTable table, AggregateFunc function, List<Variable> variables) {
    if (function instanceof CountStar) {
      return Optional.of(Measure.COUNT_ALL);
    }
    boolean distinct =
        (function instanceof Count && ((Count) function).isDistinct())
            || (function instanceof Sum && ((Sum) function).isDistinct());
    Optional<Measure.Kind> kind = kind(function);
    if (distinct || kind.isEmpty() || function.children().length != 1) {
      return Optional.empty();
    }
    Optional<String> column = column(function.children()[0]);
    Optional<Variable> variable = column.flatMap(table.columns()::variable);
    if (variable.isEmpty()) {
      return Optional.empty();
    }
    if (kind.get() == Measure.Kind.COUNT && !variable.get().decoding().isNullable()) {
      return Optional.of(Measure.COUNT_ALL);
    }
    if (!(variable.get().type() instanceof Scalar)
        || !Measure.isPossible(kind.get(), (Scalar) variable.get().type())) {
      return Optional.empty();
    }
    if (!variables.contains(variable.get())) {
      variables.add(variable.get());
    }
    return Optional.of(
        new Measure(kind.get(), variables.indexOf(variable.get()), (Scalar) variable.get().type()));
  }

  private static Optional<Measure.Kind> kind(AggregateFunc function) {
    if (function instanceof Count) {
      return Optional.of(Measure.Kind.COUNT);
    }
    if (function instanceof Sum) {
      return Optional.of(Measure.Kind.SUM);
    }
    if (function instanceof Min) {
      return Optional.of(Measure.Kind.MIN);
    }
    return function instanceof Max ? Optional.of(Measure.Kind.MAX) : Optional.empty();
  }

  private static Optional<String> column(Expression expression) {
    if (!(expression instanceof NamedReference)) {
      return Optional.empty();
    }
    String[] names = ((NamedReference) expression).fieldNames();
    return names.length == 1 ? Arrays.stream(names).findFirst() : Optional.empty();
  }
}
