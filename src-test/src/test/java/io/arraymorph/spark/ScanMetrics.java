package io.arraymorph.spark;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** The metrics of a scan as Spark's UI shows them. */
final class ScanMetrics {
  private ScanMetrics() {}

  /** Those with these names, after a run without adaptive execution. */
  static Map<String, Long> of(Dataset<Row> rows, String... names) {
    Map<String, Long> metrics = new HashMap<>();
    rows.queryExecution()
        .executedPlan()
        .foreach(
            new AbstractFunction1<SparkPlan, BoxedUnit>() {
              @Override
              public BoxedUnit apply(SparkPlan node) {
                if (node instanceof BatchScanExec) {
                  for (String name : names) {
                    metrics.put(name, node.metrics().apply(name).value());
                  }
                }
                return BoxedUnit.UNIT;
              }
            });
    return metrics;
  }
}
