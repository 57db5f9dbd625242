package io.arraymorph.spark.write;

import io.arraymorph.layout.zarr.write.TaskWrite;
import io.arraymorph.layout.zarr.write.WrittenArray;
import io.arraymorph.store.StorePath;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.DataWriterFactory;

/** Makes the writer of each task attempt, on executors. */
final class ArrayWriterFactory implements DataWriterFactory {
  private static final long serialVersionUID = 1L;
  private static final long LEAST_OPEN_BYTES = 64L << 20;

  private final WriteJob job;

  ArrayWriterFactory(WriteJob job) {
    this.job = job;
  }

  @Override
  public DataWriter<InternalRow> createWriter(int partitionId, long taskId) {
    StorePath target = job.target();
    List<WrittenArray> arrays = job.arrays().stream().map(array -> array.open(target)).toList();
    TaskWrite task =
        new TaskWrite(
            target,
            arrays,
            job.ticket(),
            partitionId,
            partitionId + "-" + taskId,
            openBytes(),
            job.clustered());
    return job.isTensors()
        ? new TensorWriter(job, arrays, task)
        : new CellWriter(job, arrays, task);
  }

  /** A quarter of the heap, shared by the tasks that may run at once. */
  private static long openBytes() {
    Runtime runtime = Runtime.getRuntime();
    return Math.max(LEAST_OPEN_BYTES, runtime.maxMemory() / (4L * runtime.availableProcessors()));
  }
}
