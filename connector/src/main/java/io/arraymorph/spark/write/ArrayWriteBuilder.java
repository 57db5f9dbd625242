package io.arraymorph.spark.write;

import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsTruncate;
import org.apache.spark.sql.connector.write.V1Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.sources.InsertableRelation;

/**
 * Writes to a table by SQL's INSERT or {@code writeTo}: asks Spark for the DataFrame, for planning
 * needs to look at the rows, and saves it.
 */
public final class ArrayWriteBuilder implements SupportsTruncate {
  private final Map<String, String> options;
  private boolean truncates;

  /**
   * @param properties of the table, with {@code path}
   * @param info of Spark, whose options come before the table's
   */
  public ArrayWriteBuilder(Map<String, String> properties, LogicalWriteInfo info) {
    this.options = new HashMap<>();
    properties.forEach((key, value) -> options.put(key.toLowerCase(java.util.Locale.ROOT), value));
    options.putAll(info.options());
  }

  @Override
  public WriteBuilder truncate() {
    truncates = true;
    return this;
  }

  @Override
  public V1Write build() {
    SaveMode mode = truncates ? SaveMode.Overwrite : SaveMode.Append;
    return new V1Write() {
      @Override
      public InsertableRelation toInsertableRelation() {
        return (data, overwrite) -> ArraySave.save(data, options, mode);
      }
    };
  }
}
