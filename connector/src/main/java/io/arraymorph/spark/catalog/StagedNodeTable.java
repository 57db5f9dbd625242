package io.arraymorph.spark.catalog;

import io.arraymorph.spark.write.ArraySave;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.StagedTable;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsTruncate;
import org.apache.spark.sql.connector.write.V1Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.sources.InsertableRelation;
import org.apache.spark.sql.types.StructType;

/**
 * A table that is about to be created or replaced, with rows or without.
 *
 * <p>A save is atomic by itself: nothing is visible until all of it is, so there is nothing to
 * abort. Without a save, {@link #commitStagedChanges} declares the table.
 */
final class StagedNodeTable implements StagedTable, SupportsWrite {
  private final String name;
  private final StructType schema;
  private final Map<String, String> options;
  private final SaveMode mode;
  private boolean saved;

  /**
   * @param schema of the rows
   * @param options of the write, with {@code path}
   * @param mode what to do with a table that is there
   */
  StagedNodeTable(String name, StructType schema, Map<String, String> options, SaveMode mode) {
    this.name = name;
    this.schema = schema;
    this.options = Map.copyOf(options);
    this.mode = mode;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  @Deprecated
  public StructType schema() {
    return schema;
  }

  @Override
  public Set<TableCapability> capabilities() {
    return Set.of(
        TableCapability.V1_BATCH_WRITE,
        TableCapability.TRUNCATE,
        TableCapability.ACCEPT_ANY_SCHEMA);
  }

  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    Map<String, String> all = new HashMap<>(options);
    info.options().forEach((key, value) -> all.put(key.toLowerCase(java.util.Locale.ROOT), value));
    all.put("path", options.get("path"));
    return new SupportsTruncate() {
      /** What to do with rows that are there was said when the table was staged. */
      @Override
      public WriteBuilder truncate() {
        return this;
      }

      @Override
      public V1Write build() {
        return new V1Write() {
          @Override
          public InsertableRelation toInsertableRelation() {
            return (data, overwrite) -> {
              ArraySave.save(data, all, mode);
              saved = true;
            };
          }
        };
      }
    };
  }

  @Override
  public void commitStagedChanges() {
    if (!saved) {
      ArraySave.declare(SparkSession.active(), schema, options, mode);
    }
  }

  @Override
  public void abortStagedChanges() {
    // A failed save has undone itself.
  }
}
