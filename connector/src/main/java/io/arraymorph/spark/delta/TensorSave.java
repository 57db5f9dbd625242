package io.arraymorph.spark.delta;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.encoding.HeaderJson;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.encoding.TensorLayout;
import io.arraymorph.delta.paper.PaperGeometry;
import io.arraymorph.delta.table.DeltaTensor;
import io.arraymorph.delta.table.DeltaTensors;
import io.arraymorph.delta.table.PieceFile;
import io.arraymorph.delta.table.TableForm;
import io.arraymorph.delta.table.TensorChange;
import io.arraymorph.delta.table.WriteMode;
import io.arraymorph.spark.SessionSettings;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.functions;

/**
 * Saves a DataFrame of cells or tensor rows as a tensor in a Delta table: tasks write files, the
 * driver commits once.
 */
public final class TensorSave {
  /** Names the attribute that holds the name of the value column. */
  static final String COLUMN_ATTRIBUTE = "arraymorph.column";

  private static final long TASK_CELLS = 2_000_000;

  /** Cells that one task holds for a layout that has no parts. */
  private static final long MOST_WHOLE_CELLS = 100_000_000;

  private final Dataset<Row> data;
  private final TensorOptions options;
  private final StoreConfig config;
  private final TensorInput input;
  private final DeltaTensors tensors;

  private TensorSave(Dataset<Row> data, Map<String, String> options) {
    this.data = data;
    this.options = new TensorOptions(options, SessionSettings.ofSession());
    this.config = SessionSettings.storeConfig(this.options.path(), options);
    this.input = TensorInput.of(data.schema(), this.options.names("dims"));
    StorePath path = ObjectStores.open(this.options.path(), config);
    this.tensors = this.options.checked(DeltaTensors.at(path, this.options.form()));
  }

  /**
   * Saves.
   *
   * @param options of the write, with {@code path}, {@code storage} and {@code tensor}
   * @throws ArrayMorphException if the write is refused or fails; nothing of it is visible then
   */
  public static void save(Dataset<Row> data, Map<String, String> options, SaveMode mode) {
    new TensorSave(data, options).run(mode);
  }

  private void run(SaveMode mode) {
    Optional<DeltaTensor> before = tensors.find(options.tensor());
    if (before.isPresent() && mode == SaveMode.Ignore) {
      return;
    }
    if (before.isPresent() && mode == SaveMode.ErrorIfExists) {
      throw new ArrayMorphException(
          ErrorCode.ARRAY_EXISTS,
          "tensor '" + options.tensor() + "' is already in " + options.path(),
          "Use mode overwrite or append, or another tensor id");
    }
    if (before.isPresent() && isCommitted(before.get().header())) {
      return;
    }
    Dataset<Row> rows = columns();
    if (before.isPresent() && mode == SaveMode.Append) {
      append(before.get().header(), rows);
      return;
    }
    TensorLayoutPlan plan = new TensorLayoutPlan(options, input, rows, tensors.form());
    TensorHeader asked =
        new TensorHeader(
            options.tensor(), plan.schema(), plan.layout(), 0, attributes(new TreeMap<>()));
    TensorHeader header = tensors.form() == TableForm.PAPER ? PaperGeometry.header(asked) : asked;
    List<PieceFile> files = write(header, rows, plan.count(), 0, 0);
    checkChunks(header, files);
    tensors.publish(
        header.with(header.schema(), CellTask.cells(files)),
        files,
        mode == SaveMode.Overwrite ? WriteMode.REPLACE : WriteMode.CREATE);
  }

  /** The paper's readers expect every chunk. */
  private void checkChunks(TensorHeader header, List<PieceFile> files) {
    if (tensors.form() == TableForm.PAPER && header.layout().encoding() == TensorEncoding.FTSF) {
      long rows = files.stream().mapToLong(PieceFile::rows).sum();
      if (rows != PaperGeometry.chunks(header)) {
        tensors.discard(files);
        throw new ArrayMorphException(
            ErrorCode.SHAPE_MISMATCH,
            rows
                + " tensor rows for the "
                + PaperGeometry.chunks(header)
                + " chunks of tensor '"
                + header.tensorId()
                + "'",
            "With layout=paper give every chunk once");
      }
    }
  }

  /** True if this very save was done before: a stream repeats its last epoch after a failure. */
  private boolean isCommitted(TensorHeader before) {
    Optional<String> id = options.get("commit-id");
    return id.isPresent() && TensorChange.isRepeated(before, id.get());
  }

  private Map<String, String> attributes(Map<String, String> attributes) {
    attributes.put(COLUMN_ATTRIBUTE, input.value());
    options.get("commit-id").ifPresent(id -> attributes.put(TensorChange.COMMIT_ATTRIBUTE, id));
    return attributes;
  }

  /** Dimension columns as BIGINT in axis order, then the value. */
  private Dataset<Row> columns() {
    List<Column> columns = new ArrayList<>();
    for (String dimension : input.dimensions()) {
      columns.add(data.col(CellSurvey.quoted(dimension)).cast("bigint").as(dimension));
    }
    columns.add(data.col(CellSurvey.quoted(input.value())));
    return data.select(columns.toArray(Column[]::new));
  }

  /** Cells behind the tensor along one axis; cells inside its shape are refused. */
  private void append(TensorHeader before, Dataset<Row> rows) {
    tensors.checkGrows(before.tensorId());
    ArraySchema schema = before.schema();
    String name = options.get("append-dim").orElse(schema.dimensionNames().get(0));
    int dimension = schema.dimensionNames().indexOf(name);
    if (dimension < 0 || !input.dimensions().equals(schema.dimensionNames())) {
      throw new ArrayMorphException(
          ErrorCode.UNKNOWN_DIMENSION,
          "columns "
              + input.dimensions()
              + " with append-dim "
              + name
              + " do not fit tensor '"
              + before.tensorId()
              + "' with dimensions "
              + schema.dimensionNames(),
          "Name the columns as the tensor's dimensions, and one of them as append-dim");
    }
    if (!input.elementType().equals(schema.dataType())) {
      throw new ArrayMorphException(
          ErrorCode.TYPE_MISMATCH,
          "values of "
              + input.elementType().zarrName()
              + " for tensor '"
              + before.tensorId()
              + "' of "
              + schema.dataType().zarrName(),
          "Cast the value column");
    }
    long old = schema.shape().length(dimension);
    Column index = rows.col(CellSurvey.quoted(name));
    if (!rows.where(index.lt(old)).limit(1).collectAsList().isEmpty()) {
      throw new ArrayMorphException(
          ErrorCode.OUT_OF_BOUNDS,
          "some cells have "
              + name
              + " below "
              + old
              + ", inside tensor '"
              + before.tensorId()
              + "'",
          "An append adds cells from " + name + " = " + old + " on; overwrite to change others");
    }
    ArraySchema grown = TensorLayoutPlan.grown(options, input, rows, schema, dimension);
    TensorHeader target = before.with(grown, before.storedCells());
    for (Map.Entry<String, String> a : attributes(new TreeMap<>()).entrySet()) {
      target = target.withAttribute(a.getKey(), a.getValue());
    }
    List<PieceFile> files = write(target, rows, rows.count(), dimension, old);
    tensors.grow(before, target.with(grown, before.storedCells() + CellTask.cells(files)), files);
  }

  private List<PieceFile> write(
      TensorHeader header, Dataset<Row> rows, long count, int growing, long origin) {
    byte[] json = HeaderJson.write(header);
    if (input.tensors()) {
      if (tensors.form() == TableForm.FLAT || header.layout().encoding() != TensorEncoding.FTSF) {
        throw TensorOptions.invalid(
            "storage", header.layout().encoding().label(), "Tensor rows are stored as ftsf");
      }
      return rows.queryExecution()
          .toRdd()
          .toJavaRDD()
          .mapPartitions(new TensorRowTask(options.path(), config, json, tensors.form()))
          .collect();
    }
    int tasks = (int) Math.max(1, Math.min(100_000, (count + TASK_CELLS - 1) / TASK_CELLS));
    if (tensors.form() == TableForm.PAPER && isWhole(header)) {
      checkFits(header, count);
      tasks = 1;
    }
    CellTask task =
        new CellTask(
            options.path(), config, json, options.duplicates(), growing, origin, tensors.form());
    JavaRDD<InternalRow> cells = sorted(rows, header, tasks).queryExecution().toRdd().toJavaRDD();
    // Spark plans no task where it knows that there is no row.
    return cells.getNumPartitions() == 0
        ? task.encoded(Collections.emptyIterator())
        : cells.mapPartitions(task).collect();
  }

  /** True if the paper's layout is written from all cells at once. */
  static boolean isWhole(TensorHeader header) {
    TensorEncoding encoding = header.layout().encoding();
    return encoding != TensorEncoding.COO && encoding != TensorEncoding.BSGS;
  }

  private static void checkFits(TensorHeader header, long count) {
    if (count > MOST_WHOLE_CELLS) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          count
              + " cells of tensor '"
              + header.tensorId()
              + "' do not fit into one task, which the paper's "
              + header.layout().encoding().label()
              + " needs",
          "Use storage=coo or bsgs, or layout=compact");
    }
  }

  /** Rows in the order of the layout; all cells of a chunk of FTSF in one task. */
  private Dataset<Row> sorted(Dataset<Row> rows, TensorHeader header, int tasks) {
    Shape shape = header.schema().shape();
    Column[] blocks = blocks(rows, header.layout(), shape);
    Column[] order = order(rows, header.layout(), blocks);
    Column[] apart = header.layout().encoding() == TensorEncoding.FTSF ? blocks : order;
    Dataset<Row> parted =
        tasks == 1 || apart.length == 0 ? rows.coalesce(1) : rows.repartitionByRange(tasks, apart);
    return order.length == 0 ? parted : parted.sortWithinPartitions(order);
  }

  /** The place of a cell's block, along dimensions that are cut into blocks. */
  private Column[] blocks(Dataset<Row> rows, TensorLayout layout, Shape shape) {
    List<Column> blocks = new ArrayList<>();
    for (int d = 0; layout.encoding().usesBlocks() && d < shape.rank(); d++) {
      long length = layout.block().length(d);
      if (length < shape.length(d)) {
        blocks.add(functions.floor(index(rows, d).divide(length)));
      }
    }
    return blocks.toArray(Column[]::new);
  }

  private Column index(Dataset<Row> rows, int dimension) {
    return rows.col(CellSurvey.quoted(input.dimensions().get(dimension)));
  }

  /** Blocks first, then cells: equal cells, and cells of one block, come next to each other. */
  private Column[] order(Dataset<Row> rows, TensorLayout layout, Column[] blocks) {
    List<Column> order = new ArrayList<>(List.of(blocks));
    for (int d : layout.axes()) {
      order.add(index(rows, d));
    }
    return order.toArray(Column[]::new);
  }
}
