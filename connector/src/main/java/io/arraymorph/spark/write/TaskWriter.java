package io.arraymorph.spark.write;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.layout.zarr.write.TaskWrite;
import io.arraymorph.layout.zarr.write.WrittenArray;
import io.arraymorph.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/** What the writers of cells and of tensors have in common: the life of a task attempt. */
abstract class TaskWriter implements DataWriter<InternalRow> {
  private final WriteJob job;
  private final TaskWrite task;
  private final List<ElementEncoder> encoders = new ArrayList<>();
  private final long[] index;

  TaskWriter(WriteJob job, List<WrittenArray> arrays, TaskWrite task) {
    this.job = job;
    this.task = task;
    this.index = new long[job.rank()];
    for (int v = 0; v < job.columns().size(); v++) {
      WriteJob.ValueColumn column = job.columns().get(v);
      encoders.add(
          ElementEncoder.of(
              column.name(), column.type(), arrays.get(v).array().schema().dataType()));
    }
  }

  @Override
  public final void write(InternalRow row) {
    for (int d = 0; d < index.length; d++) {
      if (row.isNullAt(d)) {
        throw new ArrayMorphException(
            ErrorCode.OUT_OF_BOUNDS,
            "a row has no value of dimension "
                + task.writer(0).array().array().schema().dimensionNames().get(d)
                + ", or one that is not among its coordinates",
            "Give every row a position along every dimension; if the input is not the same each"
                + " time it is computed, cache it before writing");
      }
      index[d] = row.getLong(d);
    }
    try {
      write(row, index);
    } catch (StoreException failure) {
      throw failure.toUser();
    }
  }

  /**
   * Writes the values of a row.
   *
   * @param at index along each dimension; reused for the next row
   */
  abstract void write(InternalRow row, long[] at);

  @Override
  public final WriterCommitMessage commit() {
    try {
      return new ArrayBatchWrite.TaskCommit(task.finish());
    } catch (StoreException failure) {
      throw failure.toUser();
    }
  }

  @Override
  public final void abort() {
    boolean interrupted = Thread.interrupted();
    try {
      task.abort();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public final void close() {
    // Nothing is held but memory: stores are shared by all tasks of a process.
  }

  final WriteJob job() {
    return job;
  }

  final TaskWrite task() {
    return task;
  }

  final ElementEncoder encoder(int column) {
    return encoders.get(column);
  }

  /** NULL where it is an error. */
  static ArrayMorphException nullValue(WriteJob.ValueColumn column, long[] at) {
    return new ArrayMorphException(
        ErrorCode.TYPE_MISMATCH,
        "column " + column.name() + " is NULL at " + java.util.Arrays.toString(at),
        "Remove such rows, or give option fill: NULL is then stored as that value and read as NULL");
  }
}
