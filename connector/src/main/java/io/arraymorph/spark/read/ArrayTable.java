package io.arraymorph.spark.read;

import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.dataset.AuxiliaryCoordinate;
import io.arraymorph.layout.dataset.Coordinate;
import io.arraymorph.layout.dataset.Dataset;
import io.arraymorph.layout.dataset.DatasetOptions;
import io.arraymorph.layout.dataset.Dimension;
import io.arraymorph.layout.dataset.SliceText;
import io.arraymorph.layout.dataset.Variable;
import io.arraymorph.layout.dataset.ZarrDataset;
import io.arraymorph.layout.zarr.ZarrNode;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.optimizer.execute.HyperslabReader;
import io.arraymorph.optimizer.execute.ReadSettings;
import io.arraymorph.optimizer.plan.PlannerOptions;
import io.arraymorph.spark.ReadOptions;
import io.arraymorph.spark.RowMode;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An opened dataset with the options of a read: what its columns are and which of them lie along
 * which dimension. Lives on the driver.
 *
 * <p>Opening read metadata only; coordinates are read when a query needs them. Thread-safe.
 */
public final class ArrayTable {
  private static final Logger LOG = LoggerFactory.getLogger(ArrayTable.class);

  /** What this process has warned of: every query opens its tables anew. */
  private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

  private static final int MOST_WARNED = 1000;

  private final ReadOptions options;
  private final StoreConfig config;
  private final StorePath path;
  private final Dataset dataset;
  private final List<Boolean> packed;
  private Selection base;

  private ArrayTable(ReadOptions options, StoreConfig config, StorePath path, Dataset dataset) {
    this.options = options;
    this.config = config;
    this.path = path;
    this.dataset = dataset;
    this.packed = packed(dataset, options.rows());
  }

  /** Names in {@code rows} are found as the dataset finds dimensions; unknown ones are refused. */
  private static List<Boolean> packed(Dataset dataset, RowMode rows) {
    List<Boolean> packed = new ArrayList<>();
    for (int d = 0; d < dataset.dimensions().size(); d++) {
      packed.add(!(rows instanceof RowMode.Cells));
    }
    if (rows instanceof RowMode.Named) {
      ((RowMode.Named) rows)
          .dimensions()
          .forEach(name -> packed.set(dataset.dimension(name), false));
    }
    return packed;
  }

  /**
   * Opens what the options name.
   *
   * @throws io.arraymorph.ArrayMorphException if it is no array or group, or the options do not fit
   */
  public static ArrayTable open(ReadOptions options, StoreConfig config) {
    return open(options, config, Optional.empty());
  }

  /**
   * As {@link #open(ReadOptions, StoreConfig)}, for what may be open already.
   *
   * @param known the node at the URI of the options, if its metadata were read before
   */
  public static ArrayTable open(ReadOptions options, StoreConfig config, Optional<ZarrNode> known) {
    StorePath path = ObjectStores.open(options.uri(), config);
    DatasetOptions how =
        DatasetOptions.DEFAULT
            .withArray(String.join(",", options.array()))
            .withDecode(options.decode())
            .withV2Fill(
                options.v2FillIsMissing()
                    ? DatasetOptions.V2Fill.MISSING
                    : DatasetOptions.V2Fill.VALUE);
    // Refuses planners and profiles that there are not, before any I/O.
    PlannerOptions.of(options.planner(), options.profile(), options.phi())
        .withFunction(options.sliceFunction().isPresent())
        .planner();
    Dataset dataset =
        ZarrDataset.open(
            known.orElseGet(() -> ZarrNodes.open(path)),
            how,
            (array, hyperslab) -> {
              try (HyperslabReader reader = new HyperslabReader(ReadSettings.DEFAULT)) {
                return reader.read(array, hyperslab);
              }
            });
    dataset.warnings().forEach(warning -> warnOnce(path + ": " + warning));
    return new ArrayTable(options, config, path, dataset);
  }

  private static void warnOnce(String warning) {
    if (WARNED.size() >= MOST_WARNED) {
      WARNED.clear();
    }
    if (WARNED.add(warning)) {
      LOG.warn("{}", warning);
    }
  }

  /** The options of the read. */
  public ReadOptions options() {
    return options;
  }

  /** How to open the store. */
  StoreConfig config() {
    return config;
  }

  /** What is read, without credentials. */
  public String source() {
    return path.toString();
  }

  /** The columns. */
  public TableColumns columns() {
    return new TableColumns(dataset, options.rows() instanceof RowMode.Cells, packed);
  }

  /** The opened arrays. */
  public Dataset dataset() {
    return dataset;
  }

  Shape shape() {
    return dataset.shape();
  }

  /** For each dimension whether a row spans several of its indices. */
  List<Boolean> packed() {
    return packed;
  }

  /** The cells that option {@code slice} names, all without it. */
  synchronized Selection base() {
    if (base == null) {
      base =
          options
              .slice()
              .map(text -> SliceText.parse(text).toSelection(dataset.dimensions()))
              .orElseGet(() -> Selection.all(shape()));
    }
    return base;
  }

  /** The columns whose comparisons select indices, by field names. */
  Map<List<String>, IndexedColumn> indexedColumns() {
    Map<List<String>, IndexedColumn> columns = new HashMap<>();
    List<Dimension> dimensions = dataset.dimensions();
    for (int d = 0; d < dimensions.size(); d++) {
      Dimension dimension = dimensions.get(d);
      IndexColumn index = new IndexColumn(d, dimension.length());
      columns.put(List.of(TableColumns.INDEX, dimension.name()), index);
      columns.put(
          List.of(dimension.name()),
          dimension.coordinate().isPresent() ? coordinate(d, dimension.coordinate().get()) : index);
    }
    for (AuxiliaryCoordinate auxiliary : dataset.auxiliary()) {
      columns.put(
          List.of(auxiliary.name()), coordinate(auxiliary.dimension(), auxiliary.coordinate()));
    }
    return columns;
  }

  private static IndexedColumn coordinate(int dimension, Coordinate coordinate) {
    return new CoordinateColumn(
        dimension, coordinate.length(), SparkTypes.of(coordinate.type()), coordinate::index);
  }

  /** The columns along packed dimensions, {@code _index} apart. */
  Set<String> packedColumns() {
    Set<String> columns = new HashSet<>(columns().packedNames());
    for (AuxiliaryCoordinate auxiliary : dataset.auxiliary()) {
      if (packed.get(auxiliary.dimension())) {
        columns.add(auxiliary.name());
      }
    }
    return columns;
  }

  /** The fields of {@code _index} that are packed dimensions. */
  Set<String> packedIndexFields() {
    return new HashSet<>(columns().packedNames());
  }

  /** The variables, at least one. */
  List<Variable> variables() {
    return dataset.variables();
  }
}
