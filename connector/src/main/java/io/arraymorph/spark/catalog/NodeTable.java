package io.arraymorph.spark.catalog;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.layout.dataset.AuxiliaryCoordinate;
import io.arraymorph.layout.dataset.Dataset;
import io.arraymorph.layout.zarr.ZarrNode;
import io.arraymorph.spark.ArrayMorphTable;
import io.arraymorph.spark.write.ArrayWriteBuilder;
import io.arraymorph.spark.write.NodeLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.connector.catalog.SupportsMetadataColumns;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsRowLevelOperations;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.RowLevelOperationBuilder;
import org.apache.spark.sql.connector.write.RowLevelOperationInfo;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** An array or group of a catalog as a table, in rows of tensors or of cells. */
final class NodeTable
    implements SupportsRead,
        SupportsWrite,
        SupportsMetadataColumns,
        SupportsRowLevelOperations,
        ArrayWriteBuilder.Replacement {
  /** Options that say what the columns are, which in a catalog the name says. */
  private static final List<String> OF_COLUMNS =
      List.of("path", "rows", "array", "decode", "v2-fill", "storage", "tensor");

  private final String name;
  private final ZarrNode node;
  private final Map<String, String> options;
  private final ArrayMorphTable table;

  /**
   * @param name as users see it in plans
   * @param options of every read and write, stores' included
   */
  NodeTable(String name, CatalogNodes.Found found, Map<String, String> options) {
    this.name = name;
    this.node = found.node();
    this.options = new HashMap<>(options);
    this.options.put("path", node.path().toString());
    this.options.put("rows", found.cells() ? "cells" : "tensors");
    this.table = ArrayMorphTable.of(this.options, node);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  @SuppressWarnings("deprecation") // the only form that all versions have
  public StructType schema() {
    return table.schema();
  }

  /** How the arrays are stored. No settings: those may be credentials. */
  @Override
  public Map<String, String> properties() {
    return NodeProperties.of(node, table.dataset());
  }

  @Override
  public MetadataColumn[] metadataColumns() {
    return table.metadataColumns();
  }

  @Override
  public Set<TableCapability> capabilities() {
    return table.capabilities();
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    for (String option : OF_COLUMNS) {
      if (options.containsKey(option)) {
        throw new ArrayMorphException(
            ErrorCode.INVALID_OPTION,
            "option " + option + " cannot be given for table " + name + ", whose columns are fixed",
            "Use the table's name with .cells for rows of cells, or format(\"arraymorph\") and"
                + " option("
                + option
                + ") with the path "
                + node.path());
      }
    }
    return table.newScanBuilder(options);
  }

  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    return new ArrayWriteBuilder(options, info, this);
  }

  /**
   * Chunks are replaced, not rows: DELETE, UPDATE and MERGE are refused with what to do instead.
   */
  @Override
  public RowLevelOperationBuilder newRowLevelOperationBuilder(RowLevelOperationInfo info) {
    throw new ArrayMorphException(
        ErrorCode.UNSUPPORTED_FEATURE,
        info.command() + " of table " + name + ": cells of an array cannot be changed in place",
        "Use INSERT OVERWRITE, or CREATE OR REPLACE TABLE .. AS SELECT");
  }

  /** What INSERT OVERWRITE writes is stored as what was there. */
  @Override
  public Map<String, String> layout() {
    Dataset dataset = table.dataset();
    if (!dataset.auxiliary().isEmpty()) {
      throw cannotOverwrite(
          "the columns "
              + dataset.auxiliary().stream().map(AuxiliaryCoordinate::name).toList()
              + " along single dimensions");
    }
    if (dataset.tables().size() > 1) {
      throw cannotOverwrite("arrays of other dimensions: " + dataset.tables());
    }
    return NodeLayout.of(node, dataset);
  }

  private ArrayMorphException cannotOverwrite(String what) {
    return new ArrayMorphException(
        ErrorCode.UNSUPPORTED_FEATURE,
        "INSERT OVERWRITE of " + name + " would lose " + what,
        "Use CREATE OR REPLACE TABLE .. AS SELECT, which replaces all of the group");
  }

  /** Integers along a dimension that has coordinates are coordinates, not positions. */
  @Override
  public org.apache.spark.sql.Dataset<Row> columns(org.apache.spark.sql.Dataset<Row> rows) {
    org.apache.spark.sql.Dataset<Row> described = rows;
    for (StructField field : table.schema().fields()) {
      if (field.metadata().contains("coordinate")
          && List.of(rows.columns()).contains(field.name())) {
        described = described.withMetadata(field.name(), field.metadata());
      }
    }
    return described;
  }
}
