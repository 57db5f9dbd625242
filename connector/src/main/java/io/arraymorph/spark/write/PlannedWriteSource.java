package io.arraymorph.spark.write;

import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The data source of the inner write that {@link ArraySave} starts by this class's name; not for
 * users.
 */
public final class PlannedWriteSource implements TableProvider {
  /** The option that names the write. */
  static final String UUID = "arraymorph-write";

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    return new StructType();
  }

  @Override
  public Table getTable(
      StructType schema, Transform[] partitioning, Map<String, String> properties) {
    return new PlannedTable(schema);
  }

  @Override
  public boolean supportsExternalMetadata() {
    return true;
  }

  /** What rows in normal form are appended to. */
  private static final class PlannedTable implements SupportsWrite {
    private final StructType schema;

    PlannedTable(StructType schema) {
      this.schema = schema;
    }

    @Override
    public String name() {
      return "arraymorph write";
    }

    @Override
    @Deprecated
    public StructType schema() {
      return schema;
    }

    @Override
    public Set<TableCapability> capabilities() {
      return Set.of(TableCapability.BATCH_WRITE, TableCapability.ACCEPT_ANY_SCHEMA);
    }

    @Override
    public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
      String uuid = info.options().get(UUID);
      ActiveWrite active =
          ActiveWrite.find(uuid)
              .orElseThrow(() -> new IllegalStateException("no write " + uuid + " is running"));
      return new WriteBuilder() {
        @Override
        public Write build() {
          return new PlannedWrite(active);
        }
      };
    }
  }

  /** The write with the name users see in the plan. */
  private static final class PlannedWrite implements Write {
    private final ActiveWrite active;

    PlannedWrite(ActiveWrite active) {
      this.active = active;
    }

    @Override
    public String description() {
      return "arraymorph write to " + active.job().uri();
    }

    @Override
    public BatchWrite toBatch() {
      return new ArrayBatchWrite(active);
    }
  }
}
