package io.arraymorph.spark.read;

import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.types.StructType;

/**
 * Aggregates that tasks compute on chunks, for Spark to put together.
 *
 * @param groups the columns to group by, each along one dimension
 * @param inputs what measures are computed of
 * @param measures what is computed for each group
 * @param schema of the partial results: the groups, then the measures
 */
record AggregatePlan(
    List<OutputColumn.Along> groups,
    List<MeasureInput> inputs,
    List<Measure> measures,
    StructType schema)
    implements Serializable {

  /** Copies the lists. */
  AggregatePlan {
    groups = List.copyOf(groups);
    inputs = List.copyOf(inputs);
    measures = List.copyOf(measures);
  }
}
