package io.arraymorph.spark.read;

import io.arraymorph.layout.column.ColumnType;
import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.dataset.Variable;
import io.arraymorph.spark.RowMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.aggregate.Avg;
import org.apache.spark.sql.connector.expressions.aggregate.Count;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.aggregate.Max;
import org.apache.spark.sql.connector.expressions.aggregate.Min;
import org.apache.spark.sql.connector.expressions.aggregate.Sum;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Which aggregates of a query can be computed on the buffers of chunks: COUNT, SUM, MIN, MAX and
 * AVG of variables and of columns along dimensions in rows of cells, grouped by columns along
 * dimensions.
 *
 * @param plan what tasks compute
 * @param variables the variables that are read for it
 */
record AggregatePushdown(AggregatePlan plan, List<Variable> variables) {

  /**
   * The plan for an aggregation, or empty if any part of it is better left to Spark.
   *
   * @param asked the aggregation as the query has it; in {@code aggregation} Spark has replaced AVG
   *     by SUM and COUNT
   */
  static Optional<AggregatePushdown> of(
      ArrayTable table, Aggregation aggregation, Aggregation asked) {
    return table.options().rows() instanceof RowMode.Cells
        ? new Resolver(table, asked).resolve(aggregation)
        : Optional.empty();
  }

  private static final class Resolver {
    private final ArrayTable table;
    private final StructType columns;
    private final Set<String> averaged;
    private final List<Variable> variables = new ArrayList<>();
    private final List<MeasureInput> inputs = new ArrayList<>();

    Resolver(ArrayTable table, Aggregation asked) {
      this.table = table;
      this.columns = table.columns().schema();
      this.averaged = averagedIn(asked);
    }

    private static Set<String> averagedIn(Aggregation aggregation) {
      return Arrays.stream(aggregation.aggregateExpressions())
          .filter(function -> function instanceof Avg)
          .flatMap(f -> column(f.children()[0]).stream())
          .collect(Collectors.toSet());
    }

    Optional<AggregatePushdown> resolve(Aggregation aggregation) {
      List<StructField> fields = new ArrayList<>();
      for (Expression expression : aggregation.groupByExpressions()) {
        Optional<String> column = column(expression).filter(this::isAlongDimension);
        if (column.isEmpty()) {
          return Optional.empty();
        }
        fields.add(columns.apply(column.get()));
      }
      List<OutputColumn.Along> groups = along(fields);
      List<Measure> measures = new ArrayList<>();
      for (AggregateFunc function : aggregation.aggregateExpressions()) {
        Optional<Measure> measure = measure(function);
        if (measure.isEmpty()) {
          return Optional.empty();
        }
        fields.add(
            DataTypes.createStructField(
                "aggregate_" + measures.size(),
                measure.get().resultType(),
                !measure.get().isCount()));
        measures.add(measure.get());
      }
      StructType schema = DataTypes.createStructType(fields);
      return Optional.of(
          new AggregatePushdown(new AggregatePlan(groups, inputs, measures, schema), variables));
    }

    private boolean isAlongDimension(String column) {
      return List.of(columns.fieldNames()).contains(column)
          && table.columns().variable(column).isEmpty();
    }

    private List<OutputColumn.Along> along(List<StructField> fields) {
      return ScanColumns.of(table, DataTypes.createStructType(fields)).outputs().stream()
          .map(column -> (OutputColumn.Along) column)
          .toList();
    }

    private Optional<Measure> measure(AggregateFunc function) {
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
      if (column.isEmpty() || !List.of(columns.fieldNames()).contains(column.get())) {
        return Optional.empty();
      }
      if (kind.get() == Measure.Kind.COUNT && !columns.apply(column.get()).nullable()) {
        return Optional.of(Measure.COUNT_ALL);
      }
      Optional<Scalar> type = scalar(column.get());
      if (type.isEmpty()
          || !Measure.isPossible(kind.get(), type.get())
          || (kind.get() == Measure.Kind.SUM && isUnsafeAverage(column.get(), type.get()))) {
        return Optional.empty();
      }
      return Optional.of(new Measure(kind.get(), input(column.get()), type.get()));
    }

    /**
     * True if SUM stands for AVG of a column whose sum may overflow where Spark's average, which is
     * computed of doubles or of wider decimals, does not.
     */
    private boolean isUnsafeAverage(String column, Scalar type) {
      boolean mayOverflow = type == Scalar.DECIMAL20 || (type == Scalar.LONG && !isNarrow(column));
      return mayOverflow && averaged.contains(column);
    }

    /** True if a LONG is stored in 32 bits and there are too few cells for a sum to overflow. */
    private boolean isNarrow(String column) {
      return table
          .columns()
          .variable(column)
          .map(v -> v.array().schema())
          .filter(schema -> schema.dataType().byteWidth() <= 4)
          .filter(
              schema -> {
                double cells = 1;
                for (long length : schema.shape().toArray()) {
                  cells *= length;
                }
                return cells < Integer.MAX_VALUE;
              })
          .isPresent();
    }

    private Optional<Scalar> scalar(String column) {
      ColumnType type =
          table
              .columns()
              .variable(column)
              .map(Variable::type)
              .orElseGet(() -> along(List.of(columns.apply(column))).get(0).columnType());
      return type instanceof Scalar ? Optional.of((Scalar) type) : Optional.empty();
    }

    private int input(String column) {
      Optional<Variable> variable = table.columns().variable(column);
      MeasureInput input;
      if (variable.isPresent()) {
        if (!variables.contains(variable.get())) {
          variables.add(variable.get());
        }
        input = new MeasureInput.OfVariable(variables.indexOf(variable.get()));
      } else {
        input = new MeasureInput.OfDimension(along(List.of(columns.apply(column))).get(0));
      }
      if (!inputs.contains(input)) {
        inputs.add(input);
      }
      return inputs.indexOf(input);
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
      return names.length == 1 ? Optional.of(names[0]) : Optional.empty();
    }
  }
}
