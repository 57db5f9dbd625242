package io.arraymorph.layout.zarr.write;

import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.List;

/**
 * What one task attempt writes: a {@link ChunkWriter} for each array of the write.
 *
 * <p>Not thread-safe. Nothing of it is visible before the write is committed with the result of
 * {@link #finish}.
 */
public final class TaskWrite {
  private final TargetObjects objects;
  private final WriteTicket ticket;
  private final int partition;
  private final String attempt;
  private final long openBytes;
  private final boolean clustered;
  private final ObjectPuts puts;
  private final List<ChunkWriter> writers = new ArrayList<>();
  private long keys;

  /**
   * Begins.
   *
   * @param target of the write
   * @param arrays all arrays of the write, in the same order in every task
   * @param partition number of the task
   * @param attempt names this attempt among all of this write; a key segment
   * @param openBytes how many bytes the open chunks may hold before some are sent off as pieces
   * @param clustered true if the caller gives all cells of a chunk object to one task, one after
   *     the other: then a chunk is complete when the next begins
   */
  public TaskWrite(
      StorePath target,
      List<WrittenArray> arrays,
      WriteTicket ticket,
      int partition,
      String attempt,
      long openBytes,
      boolean clustered) {
    this.objects = new TargetObjects(target);
    this.ticket = ticket;
    this.partition = partition;
    this.attempt = attempt;
    this.openBytes = openBytes / Math.max(1, arrays.size());
    this.clustered = clustered;
    this.puts = new ObjectPuts(objects);
    for (int i = 0; i < arrays.size(); i++) {
      writers.add(new ChunkWriter(arrays.get(i), i, this));
    }
  }

  /** The writer of an array. */
  public ChunkWriter writer(int array) {
    return writers.get(array);
  }

  /**
   * Sends off everything and waits until it is stored.
   *
   * @throws io.arraymorph.store.StoreException if a put failed
   */
  public TaskChunks finish() {
    List<List<Long>> extents = new ArrayList<>();
    for (ChunkWriter writer : writers) {
      writer.finish();
      List<Long> extent = new ArrayList<>();
      for (long length : writer.extent()) {
        extent.add(length);
      }
      extents.add(List.copyOf(extent));
    }
    return new TaskChunks(partition, puts.finish(), extents);
  }

  /**
   * Ends without a result: waits for what is on its way and deletes what this attempt put in place,
   * so that the next attempt finds the keys free.
   */
  public void abort() {
    List<String> placed = new ArrayList<>();
    for (ChunkEntry entry : puts.stop()) {
      if (entry.state() == ChunkEntry.State.PLACED) {
        placed.add(ticket.dataKey(writers.get(entry.array()).array().key(entry.chunk().toChunk())));
      }
    }
    objects.deleteAll(placed);
  }

  WriteTicket ticket() {
    return ticket;
  }

  boolean isClustered() {
    return clustered;
  }

  boolean isLastWins() {
    return ticket.duplicates() == WriteTicket.Duplicates.LAST;
  }

  long openBytes() {
    return openBytes;
  }

  ObjectPuts puts() {
    return puts;
  }

  /** A key that no other attempt and no other object of this one has. */
  String nextKey() {
    return new StagingArea(ticket.uuid()).attempt(attempt) + keys++;
  }
}
