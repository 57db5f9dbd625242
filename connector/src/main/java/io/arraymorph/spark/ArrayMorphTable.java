package io.arraymorph.spark;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.layout.dataset.Dataset;
import io.arraymorph.layout.zarr.ZarrNode;
import io.arraymorph.spark.read.ArrayTable;
import io.arraymorph.spark.read.HyperslabScanBuilder;
import io.arraymorph.spark.write.ArrayWriteBuilder;
import io.arraymorph.store.StoreConfig;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.connector.catalog.SupportsMetadataColumns;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * An array, or a group of arrays, as a table of Spark.
 *
 * <p>Nothing is read before something of it is asked for, so that a table can stand for an array
 * that a write is about to create.
 */
public final class ArrayMorphTable implements SupportsRead, SupportsWrite, SupportsMetadataColumns {
  private final Map<String, String> properties;
  private final Optional<StructType> supplied;
  private final Optional<ZarrNode> node;
  private ArrayTable opened;

  /**
   * A table that is opened when needed.
   *
   * @param properties the options of the read or write
   * @param supplied the schema of the data that will be written, or the one Spark remembers
   */
  ArrayMorphTable(Map<String, String> properties, Optional<StructType> supplied) {
    this(properties, supplied, Optional.empty());
  }

  private ArrayMorphTable(
      Map<String, String> properties, Optional<StructType> supplied, Optional<ZarrNode> node) {
    this.properties = Map.copyOf(properties);
    this.supplied = supplied;
    this.node = node;
  }

  /**
   * A table of a node whose metadata were read.
   *
   * @param properties the options of every read and write of it; {@code path} is where the node is
   */
  public static ArrayMorphTable of(Map<String, String> properties, ZarrNode node) {
    return new ArrayMorphTable(properties, Optional.empty(), Optional.of(node));
  }

  @Override
  public String name() {
    return "arraymorph " + properties.getOrDefault("path", "");
  }

  @Override
  public Map<String, String> properties() {
    return properties;
  }

  @Override
  @SuppressWarnings("deprecation") // the only form that all versions have
  public StructType schema() {
    return supplied.orElseGet(this::readSchema);
  }

  /** The columns of the array as it is stored. */
  StructType readSchema() {
    return opened(properties).columns().schema();
  }

  /** The opened arrays. */
  public Dataset dataset() {
    return opened(properties).dataset();
  }

  @Override
  public MetadataColumn[] metadataColumns() {
    // What is about to be created has none.
    return supplied.isPresent() && opened == null
        ? new MetadataColumn[0]
        : opened(properties).columns().metadataColumns();
  }

  /** Not every schema is accepted: so Spark aligns the columns of an INSERT with the table's. */
  @Override
  public Set<TableCapability> capabilities() {
    return Set.of(
        TableCapability.BATCH_READ, TableCapability.V1_BATCH_WRITE, TableCapability.TRUNCATE);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    ArrayTable table = opened(withOptions(options));
    supplied.ifPresent(schema -> checkColumns(schema, table));
    if (!(table.options().rows() instanceof RowMode.Cells)) {
      ClipGuard.warnIfAbsent();
    }
    return new HyperslabScanBuilder(table);
  }

  /** Not the ordinary batch write: with that, save() would know two of its four modes only. */
  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    return new ArrayWriteBuilder(properties, info);
  }

  private Map<String, String> withOptions(CaseInsensitiveStringMap options) {
    Map<String, String> merged = new HashMap<>(properties);
    options
        .asCaseSensitiveMap()
        .forEach(
            (key, value) -> {
              merged.keySet().removeIf(known -> known.equalsIgnoreCase(key));
              merged.put(key, value);
            });
    return merged;
  }

  private synchronized ArrayTable opened(Map<String, String> options) {
    ReadOptions parsed = ReadOptions.parse(options, SessionSettings.ofSession());
    if (opened == null || !opened.options().equals(parsed)) {
      StoreConfig config = SessionSettings.storeConfig(parsed.uri(), options);
      opened = ArrayTable.open(parsed, config, node);
    }
    return opened;
  }

  /** A schema given by the user or remembered by a catalog must be that of the array. */
  private void checkColumns(StructType schema, ArrayTable table) {
    StructType actual = table.columns().schema();
    for (StructField field : schema.fields()) {
      boolean known =
          java.util.Arrays.stream(actual.fields())
              .anyMatch(
                  f ->
                      f.name().equals(field.name())
                          && f.dataType().catalogString().equals(field.dataType().catalogString()));
      if (!known) {
        throw new ArrayMorphException(
            ErrorCode.TYPE_MISMATCH,
            "column "
                + field.name()
                + " "
                + field.dataType().catalogString()
                + " is not a column of "
                + table.source()
                + ", which has "
                + actual.simpleString(),
            "Leave the schema out; it comes from the array");
      }
    }
  }
}
