package io.arraymorph.spark.write;

import io.arraymorph.layout.zarr.write.NodeWrite;
import io.arraymorph.layout.zarr.write.TaskChunks;
import io.arraymorph.layout.zarr.write.TaskWrite;
import io.arraymorph.layout.zarr.write.WriteTicket;
import io.arraymorph.layout.zarr.write.WrittenArray;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The driver's side of a running write: what Spark's batch write commits to.
 *
 * <p>The batch write is started by name, through Spark's DataFrame writer; it finds its driver's
 * side here by the write's uuid. Used by one thread at a time.
 */
final class ActiveWrite {
  private static final Map<String, ActiveWrite> RUNNING = new ConcurrentHashMap<>();

  private final WriteJob job;
  private final NodeWrite write;
  private final PlannedNode node;
  private final StorePath target;
  private boolean committed;

  ActiveWrite(WriteJob job, NodeWrite write, PlannedNode node, StorePath target) {
    this.job = job;
    this.write = write;
    this.node = node;
    this.target = target;
  }

  /** The write with this uuid, if it runs in this process. */
  static Optional<ActiveWrite> find(String uuid) {
    return Optional.ofNullable(RUNNING.get(uuid));
  }

  /** Makes it findable while some work is done. */
  void during(Runnable work) {
    String uuid = job.ticket().uuid();
    RUNNING.put(uuid, this);
    try {
      work.run();
    } finally {
      RUNNING.remove(uuid);
    }
  }

  WriteJob job() {
    return job;
  }

  /** Publishes what the tasks wrote, and the coordinates. */
  void commit(List<TaskChunks> tasks) {
    WriteTicket ticket = job.ticket();
    List<WrittenArray> arrays = job.arrays().stream().map(array -> array.open(target)).toList();
    List<TaskChunks> all = new ArrayList<>(tasks);
    if (!node.coordinates().isEmpty()) {
      TaskWrite own =
          new TaskWrite(
              target, arrays, ticket, Integer.MAX_VALUE, "coordinates", Long.MAX_VALUE, true);
      for (PlannedNode.CoordinatePart part : node.coordinates()) {
        own.writer(part.array()).write(new long[] {part.first()}, part.values());
      }
      all.add(own.finish());
    }
    write.commit(ticket, arrays, all, node.documents(extent(tasks)));
    committed = true;
  }

  boolean isCommitted() {
    return committed;
  }

  /** One past the largest index written along each dimension, over all value columns. */
  private long[] extent(List<TaskChunks> tasks) {
    long[] extent = new long[job.rank()];
    for (TaskChunks task : tasks) {
      for (int v = 0; v < job.columns().size(); v++) {
        for (int d = 0; d < extent.length; d++) {
          extent[d] = Math.max(extent[d], task.extents().get(v).get(d));
        }
      }
    }
    return extent;
  }
}
