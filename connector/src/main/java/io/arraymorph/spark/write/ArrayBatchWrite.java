package io.arraymorph.spark.write;

import io.arraymorph.layout.zarr.write.TaskChunks;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.DataWriterFactory;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/** Spark's batch write of rows in normal form: collects what the tasks wrote and publishes it. */
final class ArrayBatchWrite implements BatchWrite {
  private final ActiveWrite active;

  ArrayBatchWrite(ActiveWrite active) {
    this.active = active;
  }

  /**
   * What a task tells the driver.
   *
   * @param chunks what it wrote
   */
  record TaskCommit(TaskChunks chunks) implements WriterCommitMessage {}

  @Override
  public DataWriterFactory createBatchWriterFactory(PhysicalWriteInfo info) {
    return new ArrayWriterFactory(active.job());
  }

  @Override
  public void commit(WriterCommitMessage[] messages) {
    List<TaskChunks> tasks = new ArrayList<>();
    for (WriterCommitMessage message : messages) {
      tasks.add(((TaskCommit) message).chunks());
    }
    active.commit(tasks);
  }

  @Override
  public void abort(WriterCommitMessage[] messages) {
    // ArraySave undoes the write when Spark's failure reaches it, also where none came this far.
  }
}
