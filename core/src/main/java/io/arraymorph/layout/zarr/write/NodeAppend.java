package io.arraymorph.layout.zarr.write;

import com.fasterxml.jackson.databind.JsonNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.WriteCondition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A node that grows along an axis: new chunk objects are invisible until the metadata's shape grows
 * ({@code docs/spec/writing.md}, section 5).
 */
public final class NodeAppend implements NodeWrite {
  private static final int MOST_ROWS_LISTED = 64;

  private final TargetObjects objects;
  private final ArrayClaim claim;
  private final StagingArea staging;
  private final Map<String, TargetObjects.Versioned> read = new LinkedHashMap<>();
  private List<WrittenArray> arrays = List.of();
  private boolean publishing;

  private NodeAppend(TargetObjects objects, ArrayClaim claim) {
    this.objects = objects;
    this.claim = claim;
    this.staging = new StagingArea(claim.uuid());
  }

  static NodeAppend begin(TargetObjects objects, ArrayClaim claim) {
    return new NodeAppend(objects, claim);
  }

  /**
   * The {@code zarr.json} of a node as it is under the claim; one that is republished must be read
   * here first.
   *
   * @param node relative to the target; empty for the target itself
   */
  public Optional<JsonNode> document(String node) {
    String key = ZarrKeys.in(node, ZarrKeys.DOCUMENT);
    return StoreFailures.toUser(
        () -> {
          Optional<TargetObjects.Versioned> now = objects.readDocument(key);
          now.ifPresent(object -> read.put(node, object));
          return now.map(object -> object.json(objects.path(key).toString()));
        });
  }

  @Override
  public WriteTicket ticket(List<WrittenArray> arrays, WriteTicket.Duplicates duplicates) {
    this.arrays = List.copyOf(arrays);
    return new WriteTicket(claim.uuid(), WriteTicket.Placement.IN_PLACE, duplicates);
  }

  @Override
  public void commit(
      WriteTicket ticket,
      List<WrittenArray> arrays,
      List<TaskChunks> tasks,
      NodeDocuments documents) {
    StoreFailures.toUser(
        () -> {
          Map<String, String> existing = new HashMap<>();
          for (int i = 0; i < arrays.size(); i++) {
            existing.putAll(newChunks(arrays.get(i), extent(tasks, i)));
          }
          List<CommitRecord.Successor> moves =
              new ChunkMerge(objects, claim, ticket, arrays, tasks).run(existing);
          CommitRecord record =
              new CommitRecord(
                  claim.uuid(),
                  CommitRecord.Operation.APPEND,
                  Instant.now().toString(),
                  moves,
                  stage(documents));
          claim.ensureHeld();
          objects.putOnce(staging.commitRecord(), record.toBytes(), WriteCondition.IF_ABSENT);
          publishing = true;
          publish(objects, claim, staging, record);
          Recovery.deleteStaging(objects, claim, claim.uuid());
          return null;
        });
  }

  @Override
  public void abort() {
    StoreFailures.toUser(
        () -> {
          if (publishing) {
            throw halfPublished(objects);
          }
          Recovery.deleteStaging(objects, claim, claim.uuid());
          for (WrittenArray array : arrays) {
            objects.deleteAll(newChunks(array, Long.MAX_VALUE).keySet());
          }
          return null;
        });
  }

  private List<CommitRecord.Successor> stage(NodeDocuments documents) {
    List<CommitRecord.Successor> metadata = new ArrayList<>();
    for (Map.Entry<String, byte[]> document : documents.all().entrySet()) {
      String key = ZarrKeys.in(document.getKey(), ZarrKeys.DOCUMENT);
      TargetObjects.Versioned old = read.get(document.getKey());
      if (old == null) {
        throw new IllegalStateException(key + " was not read before it is replaced");
      }
      objects.put(staging.metadata() + key, document.getValue(), WriteCondition.NONE);
      metadata.add(new CommitRecord.Successor(key, Optional.of(old.etag())));
    }
    return metadata;
  }

  /** Publishes a complete staging area; may be repeated. */
  static void publish(
      TargetObjects objects, ArrayClaim claim, StagingArea staging, CommitRecord record) {
    ConcurrentLinkedQueue<CommitRecord.Successor> suspects = new ConcurrentLinkedQueue<>();
    objects.forEach(
        record.move().iterator(),
        claim::ensureHeld,
        move ->
            objects
                .startCopy(staging.data() + move.key(), move.key(), move.condition())
                .handle(
                    (etag, failure) -> {
                      if (failure == null) {
                        return etag;
                      }
                      StoreException cause = StoreException.of(failure, move.key());
                      if (cause.kind() != StoreException.Kind.PRECONDITION_FAILED) {
                        throw cause;
                      }
                      suspects.add(move);
                      return null;
                    }));
    for (CommitRecord.Successor move : suspects) {
      // Copied already, by a writer that died or a request whose answer was lost; or foreign.
      require(
          objects,
          move.key(),
          () -> objects.copyOnce(staging.data() + move.key(), move.key(), move.condition()));
    }
    Map<String, byte[]> documents = NodeReplacement.staged(objects, staging, record);
    for (CommitRecord.Successor document : record.metadata()) {
      byte[] bytes = documents.get(ZarrKeys.nodeOf(document.key()));
      claim.ensureHeld();
      require(
          objects,
          document.key(),
          () -> objects.putOnce(document.key(), bytes, document.condition()));
    }
    new ConsolidatedAbove(objects, claim).replace(documents);
  }

  private static void require(TargetObjects objects, String key, Runnable conditional) {
    try {
      conditional.run();
    } catch (StoreException failure) {
      if (failure.kind() != StoreException.Kind.PRECONDITION_FAILED) {
        throw failure;
      }
      throw new ArrayMorphException(
          ErrorCode.OBJECT_CHANGED,
          objects.path(key) + " was changed by another program while the append was running",
          "Check what that program wrote; to give the append up, delete "
              + objects.path(StagingArea.ALL),
          failure);
    }
  }

  /** Chunk objects that lie wholly in what is new below {@code limit} along the grown axis. */
  private Map<String, String> newChunks(WrittenArray array, long limit) {
    Map<String, String> chunks = new HashMap<>();
    int axis = array.grownAxis();
    if (axis < 0) {
      return chunks;
    }
    int rank = array.objectShape().rank();
    long length = array.objectShape().length(axis);
    long firstRow = (array.first()[axis] + length - 1) / length;
    long rows = limit == Long.MAX_VALUE ? limit : (limit + length - 1) / length - firstRow;
    List<String> prefixes = new ArrayList<>();
    String base = ZarrKeys.in(array.member(), "");
    if (axis == 0
        && rows <= MOST_ROWS_LISTED
        && array.key(ChunkCoordinates.of(new long[rank])).startsWith(base + "c/")) {
      for (long row = firstRow; row < firstRow + rows; row++) {
        prefixes.add(base + "c/" + row);
      }
    } else {
      prefixes.add(base);
    }
    for (String prefix : prefixes) {
      objects.list(
          prefix,
          stat -> {
            String key = stat.key();
            if (!key.startsWith(StagingArea.PRIVATE)
                && ZarrKeys.coordinates(key.substring(base.length()), rank)
                    .filter(chunk -> chunk[axis] >= firstRow)
                    .isPresent()) {
              chunks.put(key, stat.etag());
            }
          });
    }
    return chunks;
  }

  private static long extent(List<TaskChunks> tasks, int array) {
    long extent = 0;
    for (TaskChunks task : tasks) {
      for (long length : task.extents().get(array)) {
        extent = Math.max(extent, length);
      }
    }
    return extent;
  }

  static ArrayMorphException halfPublished(TargetObjects objects) {
    return new ArrayMorphException(
        ErrorCode.WRITE_FAILED,
        "The write to "
            + objects.target()
            + " is complete but was interrupted while it became"
            + " visible",
        "The next write to it, or repair, finishes it");
  }
}
