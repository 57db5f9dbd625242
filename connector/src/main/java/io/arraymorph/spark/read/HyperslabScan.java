package io.arraymorph.spark.read;

import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.dataset.Variable;
import io.arraymorph.optimizer.plan.PlannerOptions;
import io.arraymorph.spark.ReadOptions;
import io.arraymorph.spark.RowMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportPartitioning;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.connector.read.SupportsRuntimeV2Filtering;
import org.apache.spark.sql.connector.read.partitioning.KeyGroupedPartitioning;
import org.apache.spark.sql.connector.read.partitioning.Partitioning;
import org.apache.spark.sql.connector.read.partitioning.UnknownPartitioning;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructType;

/**
 * One scan after all push-down: which cells of which columns, cut how.
 *
 * <p>Plans when first asked and remembers the answer: Spark asks several times. Used from one
 * thread at a time, on the driver.
 */
final class HyperslabScan
    implements Scan,
        Batch,
        SupportsReportStatistics,
        SupportsReportPartitioning,
        SupportsRuntimeV2Filtering,
        ClippedColumns {
  /** Spark's switch for scans that say how their rows are divided. */
  private static final String BUCKETING = "spark.sql.sources.v2.bucketing.enabled";

  private final ArrayTable table;
  private final StructType schema;
  private final PushdownResult pushed;
  private final int limit;
  private final ScanColumns columns;
  private final CellFilter filter;
  private final Optional<AggregatePushdown> aggregates;
  private PieceLayout layout;
  private InputPartition[] partitions;
  private SharedObjects shared;
  private Selection narrowed;
  private String description;

  /** How rows are divided by the chunk grid; null until it is decided. */
  private Optional<ChunkKeys> keys;

  /**
   * @param schema the columns that are asked for
   * @param limit rows after which a task may stop, or -1
   * @param aggregates what to compute instead of giving columns
   */
  HyperslabScan(
      ArrayTable table,
      StructType schema,
      PushdownResult pushed,
      int limit,
      Optional<AggregatePushdown> aggregates) {
    this.table = table;
    this.schema = aggregates.map(a -> a.plan().schema()).orElse(schema);
    this.pushed = pushed;
    this.limit = limit;
    this.aggregates = aggregates;
    ScanColumns wanted =
        aggregates
            .map(a -> new ScanColumns(List.of(), a.variables()))
            .orElseGet(() -> ScanColumns.of(table, schema));
    List<Variable> read = new ArrayList<>(wanted.variables());
    this.filter = pushed.filter().among(read);
    this.columns = new ScanColumns(wanted.outputs(), List.copyOf(read));
  }

  @Override
  public StructType readSchema() {
    return schema;
  }

  @Override
  public Batch toBatch() {
    return this;
  }

  @Override
  public ColumnarSupportMode columnarSupportMode() {
    return ColumnarSupportMode.SUPPORTED;
  }

  @Override
  public InputPartition[] planInputPartitions() {
    if (partitions == null) {
      Selection cells = narrowed == null ? selection() : narrowed;
      partitions =
          keys()
              .map(k -> k.partitions(cells, layout().units()).toArray(InputPartition[]::new))
              .orElseGet(
                  () ->
                      balanced(cells).stream()
                          .map(p -> narrowed == null ? p : p.of(narrowed))
                          .toArray(InputPartition[]::new));
    }
    return partitions.clone();
  }

  private List<ChunkPartition> balanced(Selection cells) {
    return new PartitionPlanner(
            layout().units(),
            Math.max(1, ScanCost.cellBytes(columns.variables())),
            partitionBytes(),
            SparkSession.active().sparkContext().defaultParallelism(),
            ScanCost.unitCost(
                columns.variables(),
                cells,
                cells(cells),
                layout().units(),
                plannerOptions(Integer.MAX_VALUE)))
        .plan(cells);
  }

  /** By chunks along the dimensions that are asked for, if Spark wants to know. */
  @Override
  public Partitioning outputPartitioning() {
    int count = keys().isPresent() ? planInputPartitions().length : 0;
    return keys()
        .<Partitioning>map(k -> new KeyGroupedPartitioning(k.expressions(), count))
        .orElseGet(() -> new UnknownPartitioning(0));
  }

  /** Decided once, before any filter of a join: the division must outlast it. */
  private Optional<ChunkKeys> keys() {
    if (keys == null) {
      keys = planKeys();
    }
    return keys;
  }

  /** A division that would leave processors idle is worth less than the exchange it saves. */
  private Optional<ChunkKeys> planKeys() {
    boolean wanted = SQLConf.get().getConfString(BUCKETING, "false").equals("true");
    if (!wanted || aggregates.isPresent() || selection().isEmpty()) {
      return Optional.empty();
    }
    int parallelism = SparkSession.active().sparkContext().defaultParallelism();
    int enough = Math.min(parallelism, balanced(selection()).size());
    return Stream.of(false, true)
        .map(floating -> ChunkKeys.of(table, schema, parallelism, floating))
        .flatMap(Optional::stream)
        .filter(k -> k.partitions(selection(), layout().units()).size() >= enough)
        .findFirst();
  }

  /** The columns that have one value per row: dimensions that are not packed. */
  @Override
  public NamedReference[] filterAttributes() {
    List<NamedReference> columns = new ArrayList<>();
    for (int d = 0; d < table.packed().size(); d++) {
      String name = table.dataset().dimensions().get(d).name();
      if (!table.packed().get(d) && List.of(schema.fieldNames()).contains(name)) {
        columns.add(Expressions.column("`" + name.replace("`", "``") + "`"));
      }
    }
    return columns.toArray(NamedReference[]::new);
  }

  /** Values that the other side of a join has: rows of others need not be read. */
  @Override
  public void filter(Predicate[] predicates) {
    Selection before = narrowed == null ? selection() : narrowed;
    Selection after = HyperslabScanBuilder.pushdown(table).push(before, predicates).selection();
    if (!after.equals(before)) {
      narrowed = after;
      partitions = null;
      shared = null;
    }
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    ReadPlan plan =
        new ReadPlan(
            table.options().rows(),
            table.packed(),
            selection(),
            layout(),
            columns.variables().stream().map(ArrayImage::of).toList(),
            columns.outputs(),
            chunkNames(),
            filter,
            new ReadPlan.OptionalLimit(limit),
            plannerOptions(),
            table.options().missingIsError(),
            table.options().sliceFunction().orElse(null),
            UUID.randomUUID().toString(),
            sharedObjects().pins(),
            table.config());
    return new PieceReaderFactory(plan, aggregates.map(AggregatePushdown::plan));
  }

  /** What several of the present partitions read parts of. */
  SharedObjects sharedObjects() {
    if (shared == null) {
      shared = SharedObjects.of(this);
    }
    return shared;
  }

  /** How requests of each task are planned. */
  PlannerOptions plannerOptions() {
    return plannerOptions(planInputPartitions().length);
  }

  private PlannerOptions plannerOptions(int tasks) {
    ReadOptions options = table.options();
    return PlannerOptions.of(options.planner(), options.profile(), options.phi())
        .withHostShare(TaskSlots.ofSession().share(tasks))
        .withRefinement(options.refinement())
        .withFunction(options.sliceFunction().isPresent());
  }

  @Override
  public CustomMetric[] supportedCustomMetrics() {
    return ReadMetric.all();
  }

  @Override
  public Statistics estimateStatistics() {
    double rows = rows();
    double bytes = rows * 8 * schema.size();
    if (aggregates.isEmpty()) {
      bytes += cells() * ScanCost.cellBytes(columns.variables());
    }
    return new ScanSize(rows, bytes);
  }

  @Override
  public Set<String> packedColumns() {
    return table.packedColumns();
  }

  @Override
  public Set<String> packedIndexFields() {
    return table.packedIndexFields();
  }

  @Override
  public String source() {
    return table.source();
  }

  @Override
  public String description() {
    if (description == null) {
      description = new ScanDescription(this).text();
    }
    return description;
  }

  ArrayTable table() {
    return table;
  }

  PushdownResult pushed() {
    return pushed;
  }

  Selection selection() {
    return pushed.selection();
  }

  /** The variables whose elements are read. */
  List<Variable> variables() {
    return columns.variables();
  }

  /** The aggregates that tasks compute, for display. */
  Optional<AggregatePlan> aggregates() {
    return aggregates.map(AggregatePushdown::plan);
  }

  int limit() {
    return limit;
  }

  /** The number of rows, as a double for it may exceed a long. */
  double rows() {
    double rows = 0;
    for (OrthogonalSelection part : selection().parts()) {
      long[] pieces = ChunkSelections.touched(layout().pieces(), part).counts().toArray();
      double inPart = 1;
      for (int d = 0; d < part.rank(); d++) {
        inPart *= isOneRowPerIndex(d) ? part.indices(d).count() : rowsOfPacked(pieces[d]);
      }
      rows += inPart;
    }
    return rows;
  }

  private boolean isOneRowPerIndex(int dimension) {
    return aggregates
        .map(a -> a.plan().groups().stream().anyMatch(g -> g.dimension() == dimension))
        .orElse(!table.packed().get(dimension));
  }

  /** Packed dimensions and those aggregated over give one row per piece, or one in all. */
  private double rowsOfPacked(long pieces) {
    return table.options().rows() instanceof RowMode.Named ? 1 : pieces;
  }

  /** The number of cells, as a double for it may exceed a long. */
  double cells() {
    return cells(selection());
  }

  private static double cells(Selection selection) {
    return selection.parts().stream()
        .mapToDouble(
            part -> {
              double cells = 1;
              for (long length : part.counts().toArray()) {
                cells *= length;
              }
              return cells;
            })
        .sum();
  }

  PieceLayout layout() {
    if (layout == null) {
      layout = planLayout();
    }
    return layout;
  }

  private PieceLayout planLayout() {
    RowMode rows = table.options().rows();
    Optional<ChunkedArray> first = Optional.of(table.variables().get(0).array());
    Optional<ChunkedArray> widest =
        columns.variables().stream()
            .filter(v -> v.dimensions().size() == table.shape().rank())
            .max(Comparator.comparingInt(v -> ScanCost.cellBytes(List.of(v))))
            .map(Variable::array);
    int cellBytes = Math.max(1, ScanCost.cellBytes(columns.variables()));
    if (rows instanceof RowMode.Tensors) {
      return PieceLayout.tensors(
          table.options().piece(), table.shape(), first, cellBytes, partitionBytes());
    }
    if (rows instanceof RowMode.Named) {
      boolean[] packed = new boolean[table.packed().size()];
      for (int d = 0; d < packed.length; d++) {
        packed[d] = table.packed().get(d);
      }
      return PieceLayout.named(
          table.shape(), packed, widest.or(() -> first), cellBytes, partitionBytes());
    }
    boolean wholeChunks =
        columns.outputs().stream().anyMatch(c -> c instanceof OutputColumn.ChunkName);
    return PieceLayout.cells(
        table.shape(), wholeChunks ? first : widest, cellBytes, partitionBytes(), wholeChunks);
  }

  /** The grid whose chunks {@code _chunk} names: that of the table's first variable. */
  private ChunkGrid chunkNames() {
    return PieceLayout.chunksOf(table.variables().get(0).array());
  }

  private long partitionBytes() {
    return table.options().partitionBytes().orElseGet(() -> SQLConf.get().filesMaxPartitionBytes());
  }
}
