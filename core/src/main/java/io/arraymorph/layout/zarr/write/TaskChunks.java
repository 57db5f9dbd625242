package io.arraymorph.layout.zarr.write;

import java.io.Serializable;
import java.util.List;

/**
 * All that one committed task attempt wrote, in the order in which it did.
 *
 * @param partition the task's number; of two, cells of the larger are the later ones
 * @param entries what happened to each chunk object
 * @param extents for each array one past the largest index written along each dimension
 */
public record TaskChunks(int partition, List<ChunkEntry> entries, List<List<Long>> extents)
    implements Serializable {

  /** Copies the lists. */
  public TaskChunks {
    entries = List.copyOf(entries);
    extents = List.copyOf(extents);
  }
}
