package io.arraymorph.spark.delta;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.table.DeltaTensors;
import io.arraymorph.spark.SessionSettings;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.connector.catalog.SupportsDeleteV2;
import org.apache.spark.sql.connector.catalog.SupportsMetadataColumns;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * Tensors of a Delta table as a table of Spark: the one that option {@code tensor} names, or all
 * with their ids in column {@code tensor}.
 *
 * <p>One row per cell, per piece, or per index of some dimensions; columns are {@link
 * TensorColumns}.
 */
public final class TensorTable implements SupportsRead, SupportsDeleteV2, SupportsMetadataColumns {
  private final Map<String, String> properties;
  private final TensorOptions options;
  private final StoreConfig config;
  private TensorRead opened;

  /** Opened when needed, for a write may be about to create the table. */
  public TensorTable(Map<String, String> properties) {
    this.properties = Map.copyOf(properties);
    this.options = new TensorOptions(properties, SessionSettings.ofSession());
    this.config = SessionSettings.storeConfig(options.path(), properties);
  }

  private synchronized TensorRead read() {
    if (opened == null) {
      DeltaTensors tensors =
          options.version(
              options.checked(DeltaTensors.open(ObjectStores.open(options.path(), config))));
      boolean named = options.get("tensor").isPresent();
      opened =
          TensorRead.of(
              options,
              config,
              named ? List.of(tensors.tensor(options.tensor())) : tensors.all(),
              named);
    }
    return opened;
  }

  /** True if a read or write with these options is of tensors in a Delta table. */
  public static boolean matches(Map<String, String> options) {
    return TensorOptions.areOfTensor(options);
  }

  /** True if there is a Delta table at the path that options name. */
  public static boolean exists(Map<String, String> properties) {
    TensorOptions options = new TensorOptions(properties, Map.of());
    StoreConfig config = SessionSettings.storeConfig(options.path(), properties);
    return DeltaTensors.at(ObjectStores.open(options.path(), config)).exists();
  }

  @Override
  public String name() {
    return "arraymorph "
        + options.path()
        + options.get("tensor").map(tensor -> " tensor " + tensor).orElse(" tensors");
  }

  @Override
  public Map<String, String> properties() {
    return properties;
  }

  @Override
  @SuppressWarnings("deprecation") // the only form that all versions have
  public StructType schema() {
    return readSchema();
  }

  /** The columns of the tensors as they are stored. */
  public StructType readSchema() {
    return read().schema();
  }

  @Override
  public MetadataColumn[] metadataColumns() {
    return read().columns().hasMetadata()
        ? TensorMetadata.columns(read().columns(), read().rows())
        : new MetadataColumn[0];
  }

  @Override
  public Set<TableCapability> capabilities() {
    return Set.of(
        TableCapability.BATCH_READ,
        TableCapability.V1_BATCH_WRITE,
        TableCapability.ACCEPT_ANY_SCHEMA);
  }

  /** True if the predicates take each tensor whole or not at all. */
  @Override
  public boolean canDeleteWhere(Predicate[] predicates) {
    return doomed(predicates).isPresent();
  }

  /** Deletes tensors, each in one commit. */
  @Override
  public void deleteWhere(Predicate[] predicates) {
    if (options.get("versionAsOf").isPresent() || options.get("timestampAsOf").isPresent()) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "an earlier version of " + options.path() + " cannot be changed",
          "Delete from the newest version");
    }
    DeltaTensors tensors = DeltaTensors.open(ObjectStores.open(options.path(), config));
    doomed(predicates).orElseThrow().forEach(tensors::delete);
    synchronized (this) {
      opened = null;
    }
  }

  private Optional<List<String>> doomed(Predicate[] predicates) {
    List<String> doomed = new ArrayList<>();
    for (int t = 0; t < read().columns().tensors(); t++) {
      // Of a tensor without cells a part would be the whole.
      long[] lengths = read().columns().header(t).schema().shape().toArray();
      Shape shape = Shape.of(Arrays.stream(lengths).map(length -> Math.max(1, length)).toArray());
      Selection cells = Selection.all(shape);
      for (Predicate predicate : predicates) {
        Optional<Selection> some =
            new TensorPredicates(read().columns(), t, shape).whereTrue(predicate);
        if (some.isEmpty()) {
          return Optional.empty();
        }
        cells = cells.intersect(some.get());
      }
      if (cells.equals(Selection.all(shape))) {
        doomed.add(read().columns().header(t).tensorId());
      } else if (!cells.isEmpty()) {
        return Optional.empty();
      }
    }
    return Optional.of(doomed);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap scanOptions) {
    return new TensorScanBuilder(read(), options.get("slice"));
  }
}
