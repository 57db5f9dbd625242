package io.arraymorph.spark;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.layout.dataset.Dataset;
import io.arraymorph.layout.zarr.ZarrNode;
import io.arraymorph.spark.read.ArrayTable;
import io.arraymorph.spark.read.HyperslabScanBuilder;
import io.arraymorph.spark.write.ArrayWriteBuilder;
import io.arraymorph.spark.write.RememberedColumns;
import io.arraymorph.store.StoreConfig;
import java.util.Arrays;
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
    OptionNames.check(options.asCaseSensitiveMap());
    ArrayTable table = withColumns(withOptions(options));
    if (!(table.options().rows() instanceof RowMode.Cells)) {
      ClipGuard.warnIfAbsent();
    }
    return new HyperslabScanBuilder(table);
  }

  /** Not the ordinary batch write: with that, save() would know two of its four modes only. */
  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    return supplied.isPresent()
        ? new ArrayWriteBuilder(properties, info, new RememberedColumns(supplied.get()))
        : new ArrayWriteBuilder(properties, info);
  }

  /**
   * The array in rows that have the supplied columns: where no option says what rows are, a catalog
   * may remember columns that only cells have.
   */
  private ArrayTable withColumns(Map<String, String> options) {
    ArrayTable table = opened(options);
    if (supplied.isEmpty()) {
      return table;
    }
    boolean isOpen = options.keySet().stream().noneMatch("rows"::equalsIgnoreCase);
    if (isOpen && foreignColumn(supplied.get(), table).isPresent()) {
      Map<String, String> cells = new HashMap<>(options);
      cells.put("rows", "cells");
      ArrayTable ofCells = opened(cells);
      if (foreignColumn(supplied.get(), ofCells).isEmpty()) {
        return ofCells;
      }
    }
    checkColumns(supplied.get(), table);
    return table;
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
  private static void checkColumns(StructType schema, ArrayTable table) {
    Optional<StructField> foreign = foreignColumn(schema, table);
    if (foreign.isPresent()) {
      throw new ArrayMorphException(
          ErrorCode.TYPE_MISMATCH,
          "column "
              + foreign.get().name()
              + " "
              + foreign.get().dataType().catalogString()
              + " is not a column of "
              + table.source()
              + ", which has "
              + table.columns().schema().simpleString(),
          "Leave the schema out; it comes from the array. If a catalog remembers it, drop the table"
              + " and create it again");
    }
  }

  private static Optional<StructField> foreignColumn(StructType schema, ArrayTable table) {
    StructField[] actual = table.columns().schema().fields();
    return Arrays.stream(schema.fields())
        .filter(field -> Arrays.stream(actual).noneMatch(known -> isSame(field, known)))
        .findFirst();
  }

  private static boolean isSame(StructField one, StructField other) {
    return one.name().equals(other.name())
        && one.dataType().catalogString().equals(other.dataType().catalogString());
  }
}
