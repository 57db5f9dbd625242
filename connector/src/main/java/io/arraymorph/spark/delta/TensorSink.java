package io.arraymorph.spark.delta;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.execution.streaming.Sink;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.storage.StorageLevel;
import scala.Function1;

/**
 * The end of a stream in a tensor of a Delta table: each batch is one commit, exactly once.
 *
 * <p>In output mode {@code append} a batch appends to the tensor along {@code append-dim}, or makes
 * a tensor of its own where option {@code tensor} has <code>{epoch}</code>; in {@code complete} it
 * replaces the tensor. The commit carries the stream's id and the number of the batch, so that a
 * batch that Spark repeats after a failure does nothing. A batch without rows makes no commit.
 * Memory is that of a save; the batch is kept on the executors' disks meanwhile.
 */
public final class TensorSink implements Sink {
  /** In option {@code tensor}: the number of the batch. */
  private static final String EPOCH = "{epoch}";

  /** Where Spark says which stream runs, in a form that outlives restarts. */
  private static final String STREAM_ID = "sql.streaming.queryId";

  private final Map<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
  private final SaveMode mode;

  /**
   * Checks the options.
   *
   * @param options of the stream, with {@code path}, {@code storage} and {@code tensor}
   * @throws ArrayMorphException UNSUPPORTED_FEATURE if no tensor is named, or the mode is {@code
   *     update}
   */
  public TensorSink(Map<String, String> options, OutputMode mode) {
    this.options.putAll(options);
    if (!TensorOptions.areOfTensor(options)) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "a stream cannot be written to a Zarr array",
          "Use option storage=bsgs and option tensor for a tensor in a Delta table, or"
              + " foreachBatch");
    }
    if (mode.equals(OutputMode.Update())) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "output mode update of a stream to a tensor",
          "Use append, or complete, which replaces the tensor with each batch");
    }
    this.mode = mode.equals(OutputMode.Complete()) ? SaveMode.Overwrite : SaveMode.Append;
    TensorOptions parsed = new TensorOptions(this.options, Map.of());
    parsed.path();
    parsed.tensor();
    parsed.form();
  }

  @Override
  public void addBatch(long epoch, Dataset<Row> batch) {
    SparkSession session = batch.sparkSession();
    Map<String, String> save = new TreeMap<>(options);
    save.put("tensor", options.get("tensor").replace(EPOCH, Long.toString(epoch)));
    save.put("commit-id", stream(session) + ":" + epoch);
    // The batch's own plan must not be changed, and a save looks at its rows several times.
    StructType schema = batch.schema();
    JavaRDD<Row> rows =
        batch
            .queryExecution()
            .toRdd()
            .toJavaRDD()
            .mapPartitions(
                part -> {
                  Function1<Object, Object> converter =
                      CatalystTypeConverters.createToScalaConverter(schema);
                  return new Converted(part, converter);
                })
            .persist(StorageLevel.DISK_ONLY());
    try {
      if (mode == SaveMode.Overwrite || !rows.isEmpty()) {
        TensorSave.save(session.createDataFrame(rows, schema), save, mode);
      }
    } finally {
      rows.unpersist(false);
    }
  }

  private static String stream(SparkSession session) {
    String id = session.sparkContext().getLocalProperty(STREAM_ID);
    if (id == null) {
      throw new IllegalStateException("a batch outside a stream");
    }
    return id;
  }

  /** Rows in the form of users. */
  private record Converted(
      java.util.Iterator<org.apache.spark.sql.catalyst.InternalRow> rows,
      Function1<Object, Object> converter)
      implements java.util.Iterator<Row> {
    @Override
    public boolean hasNext() {
      return rows.hasNext();
    }

    @Override
    public Row next() {
      return (Row) converter.apply(rows.next());
    }
  }

  /** Names the table only: options may hold credentials. */
  @Override
  public String name() {
    return "arraymorph " + options.get("path") + " tensor " + options.get("tensor");
  }

  @Override
  public String toString() {
    return name();
  }
}
