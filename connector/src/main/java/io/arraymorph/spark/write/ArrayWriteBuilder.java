package io.arraymorph.spark.write;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
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
  private final Replacement replacement;
  private final Optional<RememberedColumns> remembered;
  private boolean truncates;

  /** What a table knows of the array that takes the place of its own. */
  public interface Replacement {
    /** Write options that are used unless the write gives others. */
    Map<String, String> layout();

    /** The rows, with what the table knows of their columns. */
    Dataset<Row> columns(Dataset<Row> rows);
  }

  private static final class Anything implements Replacement {
    @Override
    public Map<String, String> layout() {
      return Map.of();
    }

    @Override
    public Dataset<Row> columns(Dataset<Row> rows) {
      return rows;
    }
  }

  /**
   * @param properties of the table, with {@code path}
   * @param info of Spark, whose options come before the table's
   */
  public ArrayWriteBuilder(Map<String, String> properties, LogicalWriteInfo info) {
    this(properties, info, new Anything());
  }

  /**
   * @param replacement asked when the table is overwritten
   */
  public ArrayWriteBuilder(
      Map<String, String> properties, LogicalWriteInfo info, Replacement replacement) {
    this(properties, info, replacement, Optional.empty());
  }

  /**
   * @param remembered the columns by which a session catalog will go on reading what is written
   */
  public ArrayWriteBuilder(
      Map<String, String> properties, LogicalWriteInfo info, RememberedColumns remembered) {
    this(properties, info, remembered, Optional.of(remembered));
    options.putIfAbsent("group", "true");
  }

  private ArrayWriteBuilder(
      Map<String, String> properties,
      LogicalWriteInfo info,
      Replacement replacement,
      Optional<RememberedColumns> remembered) {
    this.replacement = replacement;
    this.remembered = remembered;
    this.options = new HashMap<>();
    properties.forEach((key, value) -> options.put(key.toLowerCase(Locale.ROOT), value));
    info.options().forEach((key, value) -> options.put(key.toLowerCase(Locale.ROOT), value));
  }

  @Override
  public WriteBuilder truncate() {
    truncates = true;
    replacement
        .layout()
        .forEach((key, value) -> options.putIfAbsent(key.toLowerCase(Locale.ROOT), value));
    return this;
  }

  @Override
  public V1Write build() {
    return new V1Write() {
      @Override
      public InsertableRelation toInsertableRelation() {
        return (data, overwrite) ->
            ArraySave.save(
                truncates ? replacement.columns(data) : data, options, mode(), remembered);
      }
    };
  }

  /** Tables of session catalogs are created and appended to by the same call of Spark. */
  private SaveMode mode() {
    if (truncates || (remembered.isPresent() && isCalledBy("ReplaceTableAsSelectExec"))) {
      return SaveMode.Overwrite;
    }
    return remembered.isPresent() && isCalledBy("CreateTableAsSelectExec")
        ? SaveMode.ErrorIfExists
        : SaveMode.Append;
  }

  /** True if a physical operator of Spark waits for this write. */
  private static boolean isCalledBy(String operator) {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getClassName().endsWith("." + operator)));
  }
}
