package io.arraymorph.spark.delta;

import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.table.DeltaTensor;
import io.arraymorph.delta.table.DeltaTensors;
import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.spark.SessionSettings;
import io.arraymorph.spark.read.SparkTypes;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A tensor in a Delta table as a table of Spark: one row per cell, or per chunk of a dense tensor.
 *
 * <p>Columns are the dimensions, each the BIGINT index, and the value.
 */
public final class TensorTable implements SupportsRead {
  private final Map<String, String> properties;
  private final TensorOptions options;
  private final StoreConfig config;
  private DeltaTensor opened;

  /**
   * The tensor that the options name, the table's only one if they name none; opened when needed,
   * for a write may be about to create it.
   */
  public TensorTable(Map<String, String> properties) {
    this.properties = Map.copyOf(properties);
    this.options = new TensorOptions(properties, SessionSettings.ofSession());
    this.config = SessionSettings.storeConfig(options.path(), properties);
  }

  private synchronized DeltaTensor tensor() {
    if (opened == null) {
      opened = open();
    }
    return opened;
  }

  /** True if a read or write with these options is of a tensor in a Delta table. */
  public static boolean matches(Map<String, String> options) {
    return TensorOptions.areOfTensor(options);
  }

  private DeltaTensor open() {
    DeltaTensors tensors =
        options.version(DeltaTensors.open(ObjectStores.open(options.path(), config)));
    if (options.get("tensor").isPresent()) {
      return tensors.tensor(options.tensor());
    }
    List<TensorHeader> headers = tensors.tensors();
    if (headers.size() != 1) {
      List<String> ids = headers.stream().map(TensorHeader::tensorId).limit(20).toList();
      throw TensorOptions.invalid("tensor", "", "The table has the tensors " + ids + "; name one");
    }
    return tensors.tensor(headers.get(0).tensorId());
  }

  @Override
  public String name() {
    return "arraymorph " + options.path() + " tensor " + options.get("tensor").orElse("");
  }

  @Override
  public Map<String, String> properties() {
    return properties;
  }

  /** True if one row is one cell: always, unless the tensor is dense. */
  private boolean hasCellRows() {
    boolean dense = tensor().header().layout().encoding() == TensorEncoding.FTSF;
    if (options.rows().equals("tensors") && !dense) {
      throw TensorOptions.invalid(
          "rows",
          "tensors",
          "Tensor '" + tensor().header().tensorId() + "' is sparse: use rows=cells");
    }
    return !dense || options.rows().equals("cells");
  }

  @Override
  @SuppressWarnings("deprecation") // the only form that all versions have
  public StructType schema() {
    return readSchema();
  }

  /** The columns of the tensor as it is stored. */
  public StructType readSchema() {
    StructType schema = new StructType();
    for (String dimension : tensor().schema().dimensionNames()) {
      schema = schema.add(dimension, DataTypes.LongType, false);
    }
    DataType value = SparkTypes.of(CfDecoding.raw(tensor().schema().dataType()).type());
    if (hasCellRows()) {
      return schema.add(valueColumn(), value, true);
    }
    StructType struct =
        new StructType()
            .add("data", DataTypes.createArrayType(value, true), false)
            .add("shape", DataTypes.createArrayType(DataTypes.IntegerType, false), false);
    return schema.add(valueColumn(), struct, false);
  }

  private String valueColumn() {
    return tensor().header().attributes().getOrDefault(TensorSave.COLUMN_ATTRIBUTE, "value");
  }

  @Override
  public Set<TableCapability> capabilities() {
    return Set.of(
        TableCapability.BATCH_READ,
        TableCapability.V1_BATCH_WRITE,
        TableCapability.ACCEPT_ANY_SCHEMA);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap scanOptions) {
    return new TensorScanBuilder(
        new TensorSource(options.path(), config, tensor()),
        readSchema(),
        hasCellRows(),
        options.allCells(),
        options.get("slice"));
  }
}
