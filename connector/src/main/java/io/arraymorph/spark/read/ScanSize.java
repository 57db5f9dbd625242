package io.arraymorph.spark.read;

import java.util.OptionalLong;
import org.apache.spark.sql.connector.read.Statistics;

/**
 * How much a scan will give, as Spark wants to know it for joins.
 *
 * @param rows may exceed a long
 * @param bytes of memory that they take, may exceed a long
 */
record ScanSize(double rows, double bytes) implements Statistics {
  @Override
  public OptionalLong sizeInBytes() {
    return OptionalLong.of(Math.max(1, saturated(bytes)));
  }

  @Override
  public OptionalLong numRows() {
    return OptionalLong.of(saturated(rows));
  }

  private static long saturated(double value) {
    return value >= Long.MAX_VALUE ? Long.MAX_VALUE : (long) value;
  }
}
