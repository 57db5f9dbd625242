package io.arraymorph.spark.read;

import io.arraymorph.array.CoordinateIndex;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.dataset.Coordinate;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.read.LocalScan;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Aggregates without groups that follow from metadata and coordinates: no task runs.
 *
 * <p>Of no cells, counts are 0 and all else is NULL: Spark puts partial counts together by a sum,
 * and the sum of no rows would be NULL.
 *
 * @param schema of the one row
 * @param values in Spark's internal form
 */
record LocalAggregate(StructType schema, List<Optional<Object>> values) implements LocalScan {

  /** Copies the list. */
  LocalAggregate {
    values = List.copyOf(values);
  }

  /** The values of these aggregates of these cells, if no chunk is needed for them. */
  static Optional<LocalAggregate> of(AggregatePlan plan, Selection cells) {
    if (!plan.groups().isEmpty()) {
      return Optional.empty();
    }
    List<Optional<Object>> values = new ArrayList<>();
    for (Measure measure : plan.measures()) {
      if (cells.isEmpty()) {
        values.add(measure.isCount() ? Optional.of(0L) : Optional.empty());
        continue;
      }
      boolean known =
          measure.kind() == Measure.Kind.COUNT_ALL
              || (plan.inputs().get(measure.input()) instanceof MeasureInput.OfDimension
                  && (measure.kind() == Measure.Kind.MIN || measure.kind() == Measure.Kind.MAX));
      if (!known) {
        return Optional.empty();
      }
      if (measure.kind() == Measure.Kind.COUNT_ALL) {
        Optional<Object> count = count(cells);
        if (count.isEmpty()) {
          return Optional.empty();
        }
        values.add(count);
      } else {
        MeasureInput.OfDimension input =
            (MeasureInput.OfDimension) plan.inputs().get(measure.input());
        values.add(extreme(input.column(), cells, measure.kind() == Measure.Kind.MAX));
      }
    }
    return Optional.of(new LocalAggregate(plan.schema(), values));
  }

  private static Optional<Object> count(Selection cells) {
    try {
      return Optional.of(cells.elementCount());
    } catch (ArithmeticException e) {
      return Optional.empty(); // More than 2^63: let Spark add up the parts and see the overflow.
    }
  }

  private static Optional<Object> extreme(OutputColumn.Along column, Selection cells, boolean max) {
    IndexSet indices = IndexSet.EMPTY;
    for (OrthogonalSelection part : cells.parts()) {
      indices = indices.union(part.indices(column.dimension()));
    }
    if (column.values().isEmpty()) {
      return Optional.of(max ? indices.last() : indices.first());
    }
    DecodedColumn values = column.values().get();
    if (indices.count() < values.count()) {
      values = values.gather(positions(indices), 0, Math.toIntExact(indices.count()));
    }
    CoordinateIndex index = Coordinate.indexOf(values);
    OptionalLong at = max ? index.indexOfMaximum() : index.indexOfMinimum();
    return at.isEmpty()
        ? Optional.empty()
        : Optional.of(internal(values.valueAt((int) at.getAsLong())));
  }

  private static int[] positions(IndexSet indices) {
    int[] positions = new int[Math.toIntExact(indices.count())];
    int at = 0;
    for (IndexRange range : indices.ranges()) {
      for (long k = 0; k < range.count(); k++) {
        positions[at++] = Math.toIntExact(range.start() + k * range.stride());
      }
    }
    return positions;
  }

  private static Object internal(Object value) {
    if (value instanceof BigDecimal) {
      return Decimal.apply((BigDecimal) value, 20, 0);
    }
    return value instanceof String ? UTF8String.fromString((String) value) : value;
  }

  @Override
  public StructType readSchema() {
    return schema;
  }

  @Override
  public InternalRow[] rows() {
    return new InternalRow[] {
      new GenericInternalRow(values.stream().map(v -> v.orElse(null)).toArray())
    };
  }

  @Override
  public String description() {
    return "arraymorph aggregates from metadata, no chunks read";
  }
}
