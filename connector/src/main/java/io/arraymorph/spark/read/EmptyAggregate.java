package io.arraymorph.spark.read;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.read.LocalScan;
import org.apache.spark.sql.types.StructType;

/**
 * The aggregates of no cells: counts are 0, all else is NULL.
 *
 * <p>Spark puts partial counts together by a sum, and the sum of no rows would be NULL.
 */
record EmptyAggregate(AggregatePlan plan) implements LocalScan {

  @Override
  public StructType readSchema() {
    return plan.schema();
  }

  @Override
  public InternalRow[] rows() {
    Object[] values = plan.measures().stream().map(m -> m.isCount() ? 0L : null).toArray();
    return new InternalRow[] {new GenericInternalRow(values)};
  }

  @Override
  public String description() {
    return "arraymorph aggregates of no cells";
  }
}
