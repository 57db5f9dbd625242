package io.arraymorph.layout.zarr.write;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.store.WriteCondition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Makes what the committed task attempts wrote, and nothing else, the chunk objects of a write:
 * deletes what no committed attempt reported, moves what lies under an attempt's name, and merges
 * pieces.
 */
final class ChunkMerge {
  private static final long MERGE_BYTES = 512L << 20;
  private static final int MOST_THREADS = 4;

  private final TargetObjects objects;
  private final ArrayClaim claim;
  private final WriteTicket ticket;
  private final List<WrittenArray> arrays;
  private final Map<Place, List<ChunkEntry>> chunks = new LinkedHashMap<>();

  /** A chunk object of an array. */
  private record Place(int array, ChunkCoordinates chunk) {}

  ChunkMerge(
      TargetObjects objects,
      ArrayClaim claim,
      WriteTicket ticket,
      List<WrittenArray> arrays,
      List<TaskChunks> tasks) {
    this.objects = objects;
    this.claim = claim;
    this.ticket = ticket;
    this.arrays = arrays;
    List<TaskChunks> ordered = new ArrayList<>(tasks);
    ordered.sort(Comparator.comparingInt(TaskChunks::partition));
    for (TaskChunks task : ordered) {
      for (ChunkEntry entry : task.entries()) {
        chunks
            .computeIfAbsent(
                new Place(entry.array(), entry.chunk().toChunk()), place -> new ArrayList<>(1))
            .add(entry);
      }
    }
  }

  /**
   * Does it.
   *
   * @param existing every object that is where complete chunk objects are put, by key, with ETag;
   *     those that no committed attempt reported are deleted
   * @return the edge objects that wait in the staging area to be moved
   */
  List<CommitRecord.Successor> run(Map<String, String> existing) {
    deleteUncommitted(existing);
    Map<String, String> moves = new LinkedHashMap<>();
    List<Callable<Optional<CommitRecord.Successor>>> merges = new ArrayList<>();
    for (Map.Entry<Place, List<ChunkEntry>> chunk : chunks.entrySet()) {
      WrittenArray array = arrays.get(chunk.getKey().array());
      ChunkCoordinates coordinates = chunk.getKey().chunk();
      List<ChunkEntry> entries = chunk.getValue();
      ChunkEntry last = entries.get(entries.size() - 1);
      if (array.isEdge(coordinates)) {
        merges.add(() -> edge(array, coordinates, entries));
      } else if (entries.size() > 1 && !(isLastWins() && isComplete(last))) {
        merges.add(() -> merge(array, coordinates, entries));
      } else if (!last.etag().isEmpty() && last.state() != ChunkEntry.State.PLACED) {
        moves.put(last.key(), ticket.dataKey(array.key(coordinates)));
      }
    }
    objects.forEach(
        moves.entrySet().iterator(),
        claim::ensureHeld,
        move -> objects.startCopy(move.getKey(), move.getValue(), WriteCondition.NONE));
    return runAll(merges);
  }

  private void deleteUncommitted(Map<String, String> existing) {
    Map<String, String> wanted = new HashMap<>();
    Set<String> overwritten = new HashSet<>();
    for (Map.Entry<Place, List<ChunkEntry>> chunk : chunks.entrySet()) {
      WrittenArray array = arrays.get(chunk.getKey().array());
      String key = ticket.dataKey(array.key(chunk.getKey().chunk()));
      for (ChunkEntry entry : chunk.getValue()) {
        if (entry.state() == ChunkEntry.State.PLACED) {
          wanted.put(key, entry.etag());
        } else if (!entry.etag().isEmpty()) {
          overwritten.add(key);
        }
      }
    }
    for (Map.Entry<String, String> placed : wanted.entrySet()) {
      String now = existing.get(placed.getKey());
      if (!placed.getValue().equals(now)) {
        throw new ArrayMorphException(
            ErrorCode.WRITE_FAILED,
            objects.path(placed.getKey())
                + (now == null ? " has disappeared" : " was changed by somebody else")
                + " while the write was running",
            "Let only one program write to this path, and run the write again");
      }
    }
    List<String> uncommitted = new ArrayList<>();
    for (String key : existing.keySet()) {
      if (!wanted.containsKey(key) && !overwritten.contains(key)) {
        uncommitted.add(key);
      }
    }
    claim.ensureHeld();
    objects.deleteAll(uncommitted);
  }

  private Optional<CommitRecord.Successor> merge(
      WrittenArray array, ChunkCoordinates chunk, List<ChunkEntry> entries) {
    String key = ticket.dataKey(array.key(chunk));
    PieceOverlay overlay = new PieceOverlay(objects, array, chunk, isLastWins());
    entries.forEach(entry -> overlay.add(entry, key));
    claim.ensureHeld();
    Optional<byte[]> merged = overlay.encoded();
    if (merged.isPresent()) {
      objects.put(key, merged.get(), WriteCondition.NONE);
    } else {
      objects.delete(key, WriteCondition.NONE);
    }
    return Optional.empty();
  }

  private Optional<CommitRecord.Successor> edge(
      WrittenArray array, ChunkCoordinates chunk, List<ChunkEntry> entries) {
    String key = array.key(chunk);
    PieceOverlay overlay = new PieceOverlay(objects, array, chunk, isLastWins());
    Optional<TargetObjects.Versioned> old = objects.read(key);
    old.ifPresent(object -> overlay.addOld(object.bytes()));
    entries.forEach(entry -> overlay.add(entry, key));
    Optional<byte[]> merged = overlay.encoded();
    if (merged.isEmpty() && old.isEmpty()) {
      return Optional.empty();
    }
    claim.ensureHeld();
    byte[] bytes = merged.isPresent() ? merged.get() : overlay.encodedFill();
    objects.put(new StagingArea(ticket.uuid()).data() + key, bytes, WriteCondition.NONE);
    return Optional.of(new CommitRecord.Successor(key, old.map(TargetObjects.Versioned::etag)));
  }

  private List<CommitRecord.Successor> runAll(
      List<Callable<Optional<CommitRecord.Successor>>> merges) {
    List<CommitRecord.Successor> successors = new ArrayList<>();
    if (merges.isEmpty()) {
      return successors;
    }
    ExecutorService threads = Executors.newFixedThreadPool(threads());
    try {
      List<Future<Optional<CommitRecord.Successor>>> running = new ArrayList<>();
      merges.forEach(merge -> running.add(threads.submit(merge)));
      for (Future<Optional<CommitRecord.Successor>> result : running) {
        result.get().ifPresent(successors::add);
      }
      return successors;
    } catch (ExecutionException failure) {
      if (failure.getCause() instanceof RuntimeException) {
        throw (RuntimeException) failure.getCause();
      }
      throw new IllegalStateException(failure.getCause());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new ArrayMorphException(
          ErrorCode.CANCELLED,
          "The write to " + objects.target() + " was cancelled",
          "Run it again",
          interrupted);
    } finally {
      stop(threads);
    }
  }

  /** Nothing may be on its way when the caller goes on, be it to roll back. */
  private static void stop(ExecutorService threads) {
    threads.shutdownNow();
    boolean interrupted = Thread.interrupted();
    try {
      while (!threads.awaitTermination(1, java.util.concurrent.TimeUnit.MINUTES)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException again) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private int threads() {
    long largest = 1;
    for (WrittenArray array : arrays) {
      int width = Math.max(16, array.array().schema().dataType().byteWidth());
      largest = Math.max(largest, array.objectShape().elementCount() * width);
    }
    return (int) Math.max(1, Math.min(MOST_THREADS, MERGE_BYTES / (3 * largest)));
  }

  private boolean isLastWins() {
    return ticket.duplicates() == WriteTicket.Duplicates.LAST;
  }

  private static boolean isComplete(ChunkEntry entry) {
    return entry.state() != ChunkEntry.State.PIECE;
  }
}
