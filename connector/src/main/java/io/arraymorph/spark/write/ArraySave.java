package io.arraymorph.spark.write;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.layout.zarr.write.ClaimPolicy;
import io.arraymorph.layout.zarr.write.NodeWrite;
import io.arraymorph.layout.zarr.write.TargetClaim;
import io.arraymorph.layout.zarr.write.WriteTicket;
import io.arraymorph.layout.zarr.write.WrittenArray;
import io.arraymorph.spark.OptionNames;
import io.arraymorph.spark.SessionSettings;
import io.arraymorph.spark.delta.TensorSave;
import io.arraymorph.spark.delta.TensorTable;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Saves a DataFrame as an array or a group: every write of users comes here, whatever its mode.
 *
 * <p>Claims the target, plans, runs the tasks through an inner DataSource V2 write, and publishes
 * or undoes.
 */
public final class ArraySave {
  private static final int MOST_PARTITIONS = 1 << 16;

  /** The option by which Spark tells what {@code partitionBy} was given. */
  private static final String PARTITION_COLUMNS = "__partition_columns";

  private final Dataset<Row> data;
  private final Map<String, String> given;
  private final WriteOptions options;
  private final StoreConfig config;
  private final Optional<RememberedColumns> remembered;

  private ArraySave(
      Dataset<Row> data,
      Map<String, String> given,
      StoreConfig config,
      Optional<RememberedColumns> remembered) {
    this.data = data;
    this.given = given;
    this.options = WriteOptions.parse(given);
    this.config = config;
    this.remembered = remembered;
  }

  /**
   * Saves.
   *
   * @param options of the write, with {@code path}
   * @throws ArrayMorphException if the write is refused or fails; nothing of it is visible then,
   *     unless the message says so
   */
  public static void save(Dataset<Row> data, Map<String, String> options, SaveMode mode) {
    save(data, options, mode, Optional.empty());
  }

  /**
   * Saves what a catalog will read by the columns that it remembers.
   *
   * @throws ArrayMorphException as above, and TYPE_MISMATCH if a new array would not have them
   */
  static void save(
      Dataset<Row> data,
      Map<String, String> options,
      SaveMode mode,
      Optional<RememberedColumns> remembered) {
    OptionNames.check(options);
    if (TensorTable.matches(options)) {
      try {
        TensorSave.save(data, options, mode);
        return;
      } catch (Exception failure) {
        throw cause(failure);
      }
    }
    if (options.containsKey(PARTITION_COLUMNS)) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "partitionBy(" + options.get(PARTITION_COLUMNS) + "): arrays have no such partitions",
          "Leave it out; option chunks divides an array");
    }
    StoreConfig config = SessionSettings.storeConfig(WriteOptions.parse(options).path(), options);
    try {
      new ArraySave(data, options, config, remembered).run(mode);
    } catch (Exception failure) {
      // Spark's own exceptions are checked, and thrown where Java does not expect them.
      throw cause(failure);
    }
  }

  /**
   * Creates an array or group without rows, or replaces one by it; the first append fills it.
   *
   * @param schema of the rows to come
   */
  public static void declare(
      SparkSession session, StructType schema, Map<String, String> options, SaveMode mode) {
    Map<String, String> all = new HashMap<>(options);
    all.put(WriteOptions.DECLARED, "true");
    save(session.createDataFrame(List.of(), schema), all, mode);
  }

  /** As {@link #save}, in the form of Spark's {@code CreatableRelationProvider}. */
  public static BaseRelation createRelation(
      SQLContext context,
      SaveMode mode,
      scala.collection.immutable.Map<String, String> parameters,
      Dataset<Row> data) {
    save(data, options(parameters), mode);
    return new SavedRelation(context, data.schema());
  }

  /** Options as Spark's first interfaces hand them over. */
  public static Map<String, String> options(
      scala.collection.immutable.Map<String, String> parameters) {
    Map<String, String> options = new HashMap<>();
    scala.collection.Iterator<scala.Tuple2<String, String>> entries = parameters.iterator();
    while (entries.hasNext()) {
      scala.Tuple2<String, String> entry = entries.next();
      options.put(entry._1(), entry._2());
    }
    return options;
  }

  /** What Spark wants to have after a save; it does nothing with it. */
  private static final class SavedRelation extends BaseRelation {
    private final SQLContext context;
    private final StructType schema;

    SavedRelation(SQLContext context, StructType schema) {
      this.context = context;
      this.schema = schema;
    }

    @Override
    public SQLContext sqlContext() {
      return context;
    }

    @Override
    public StructType schema() {
      return schema;
    }
  }

  private void run(SaveMode mode) {
    StorePath target = ObjectStores.open(options.path(), config);
    SparkSession session = data.sparkSession();
    String writer =
        "application " + session.sparkContext().applicationId() + " (mode " + mode + ")";
    try (TargetClaim claim =
        TargetClaim.take(
            target, writer, mode.name().toLowerCase(java.util.Locale.ROOT), ClaimPolicy.DEFAULT)) {
      boolean exists = claim.exists();
      if (exists && mode == SaveMode.Ignore) {
        return;
      }
      if (exists && mode == SaveMode.ErrorIfExists) {
        throw new ArrayMorphException(
            ErrorCode.ARRAY_EXISTS,
            target + " exists already",
            "Write with mode overwrite or append, or to another path");
      }
      if (exists && mode == SaveMode.Append) {
        Optional<Map<String, String>> declared = NodeLayout.ofDeclared(target);
        if (declared.isPresent()) {
          like(declared.get()).createOrReplace(claim, exists);
        } else {
          append(claim);
        }
      } else {
        createOrReplace(claim, exists);
      }
    }
  }

  /** This save with the layout of a table that was declared, except for what is given. */
  private ArraySave like(Map<String, String> layout) {
    Map<String, String> merged = new java.util.TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    merged.putAll(layout);
    merged.putAll(given);
    return new ArraySave(data, merged, config, remembered);
  }

  private void createOrReplace(TargetClaim claim, boolean exists) {
    NewNodePlan plan = NewNodePlan.of(data, options, claim.uuid());
    remembered.ifPresent(columns -> columns.requireReadable(plan.input()));
    plan.node().documents(new long[plan.input().dimensions().size()]);
    NodeWrite write = exists ? claim.replace() : claim.create(plan.node().members());
    Dataset<Row> rows =
        IndexedRows.of(
            data,
            plan.input(),
            plan.indices(),
            plan.object(),
            partitions(plan.objects()),
            isLastWins());
    run(claim, write, plan.node(), plan.input(), plan.packed(), rows);
  }

  private void append(TargetClaim claim) {
    GrownNodePlan plan = GrownNodePlan.of(data, options, claim);
    Dataset<Row> rows =
        IndexedRows.of(
            data,
            plan.input(),
            plan.indices(),
            plan.object(),
            partitions(Optional.empty()),
            isLastWins());
    run(claim, plan.write(), plan.node(), plan.input(), plan.packed(), rows);
  }

  private void run(
      TargetClaim claim,
      NodeWrite write,
      PlannedNode node,
      InputColumns input,
      int[] packed,
      Dataset<Row> rows) {
    List<ArrayJob> arrays = node.arrays();
    List<WrittenArray> written = arrays.stream().map(array -> array.open(claim.target())).toList();
    WriteTicket ticket = write.ticket(written, options.duplicates());
    WriteJob job =
        new WriteJob(
            options.path(),
            config,
            ticket,
            arrays,
            columns(input),
            input.isTensors(),
            packed,
            input.dimensions().size(),
            /* clustered= */ !input.isTensors() && haveOneGrid(written, input.values().size()));
    ActiveWrite active = new ActiveWrite(job, write, node, claim.target());
    try {
      active.during(
          () ->
              rows.write()
                  .format(PlannedWriteSource.class.getName())
                  .option(PlannedWriteSource.UUID, ticket.uuid())
                  .mode(SaveMode.Append)
                  .save());
    } catch (Exception failure) {
      undo(write, active, failure);
      throw ArraySave.<RuntimeException>sneaky(failure);
    }
  }

  private static void undo(NodeWrite write, ActiveWrite active, Exception failure) {
    if (active.isCommitted()) {
      return;
    }
    // A cancelled job interrupts this thread; what it wrote is to be undone all the same.
    boolean interrupted = Thread.interrupted();
    try {
      write.abort();
    } catch (RuntimeException again) {
      failure.addSuppressed(again);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private List<WriteJob.ValueColumn> columns(InputColumns input) {
    List<WriteJob.ValueColumn> columns = new ArrayList<>();
    for (StructField value : input.values()) {
      ElementType type =
          ElementType.of(value.name(), InputColumns.elementType(value), value.metadata());
      columns.add(
          new WriteJob.ValueColumn(
              value.name(),
              InputColumns.elementType(value),
              InputColumns.hasNulls(value),
              type.hasNullFill(options.fill())));
    }
    return columns;
  }

  /** Rows are clustered by one grid: only arrays that have it get a chunk's cells in one go. */
  private static boolean haveOneGrid(List<WrittenArray> arrays, int values) {
    return arrays.subList(0, values).stream().map(WrittenArray::objectShape).distinct().count()
        == 1;
  }

  private int partitions(Optional<Long> objects) {
    int wanted =
        Integer.parseInt(data.sparkSession().conf().get("spark.sql.shuffle.partitions", "200"));
    long most = objects.orElse((long) MOST_PARTITIONS);
    return (int) Math.max(1, Math.min(wanted, most));
  }

  private boolean isLastWins() {
    return options.duplicates() == WriteTicket.Duplicates.LAST;
  }

  /** Our own error where there is one below Spark's, which stays attached. */
  private static RuntimeException cause(Exception failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ArrayMorphException) {
        if (cause != failure) {
          cause.addSuppressed(failure);
        }
        return (ArrayMorphException) cause;
      }
    }
    return ArraySave.<RuntimeException>sneaky(failure);
  }

  /** Throws a checked exception as it is. */
  @SuppressWarnings("unchecked")
  private static <E extends Exception> RuntimeException sneaky(Exception failure) throws E {
    throw (E) failure;
  }
}
