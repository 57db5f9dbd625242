package io.arraymorph.layout.zarr.write;

import com.fasterxml.jackson.databind.JsonNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.layout.zarr.ReplacementMarker;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.WriteCondition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A node that takes the place of another: everything is staged, the old metadata give way to a
 * marker, objects are moved into place, new metadata come last ({@code docs/spec/writing.md},
 * section 6).
 */
public final class NodeReplacement implements NodeWrite {
  private final TargetObjects objects;
  private final ArrayClaim claim;
  private final String writer;
  private final StagingArea staging;
  private final Optional<String> rootEtag;
  private boolean publishing;

  private NodeReplacement(
      TargetObjects objects, ArrayClaim claim, String writer, Optional<String> rootEtag) {
    this.objects = objects;
    this.claim = claim;
    this.writer = writer;
    this.staging = new StagingArea(claim.uuid());
    this.rootEtag = rootEtag;
  }

  static NodeReplacement begin(TargetObjects objects, ArrayClaim claim, String writer) {
    return new NodeReplacement(
        objects, claim, writer, objects.head(ZarrKeys.DOCUMENT).map(stat -> stat.etag()));
  }

  @Override
  public WriteTicket ticket(List<WrittenArray> arrays, WriteTicket.Duplicates duplicates) {
    return new WriteTicket(claim.uuid(), WriteTicket.Placement.STAGED, duplicates);
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
          objects.list(staging.data(), stat -> existing.put(stat.key(), stat.etag()));
          new ChunkMerge(objects, claim, ticket, arrays, tasks).run(existing);
          CommitRecord record = stage(documents);
          claim.ensureHeld();
          objects.putOnce(staging.commitRecord(), record.toBytes(), WriteCondition.IF_ABSENT);
          markRoot(objects, claim, writer, record);
          publishing = true;
          publish(objects, claim, writer, staging, record);
          Recovery.deleteStaging(objects, claim, claim.uuid());
          return null;
        });
  }

  @Override
  public void abort() {
    StoreFailures.toUser(
        () -> {
          if (publishing || isMarked(objects, claim.uuid())) {
            throw NodeAppend.halfPublished(objects);
          }
          Recovery.deleteStaging(objects, claim, claim.uuid());
          return null;
        });
  }

  private CommitRecord stage(NodeDocuments documents) {
    List<CommitRecord.Successor> metadata = new ArrayList<>();
    for (Map.Entry<String, byte[]> document : documents.all().entrySet()) {
      String key = ZarrKeys.in(document.getKey(), ZarrKeys.DOCUMENT);
      objects.put(staging.metadata() + key, document.getValue(), WriteCondition.NONE);
      metadata.add(
          new CommitRecord.Successor(
              key, document.getKey().isEmpty() ? rootEtag : Optional.empty()));
    }
    return new CommitRecord(
        claim.uuid(),
        CommitRecord.Operation.REPLACE,
        Instant.now().toString(),
        List.of(),
        metadata);
  }

  /** Publishes a complete staging area; may be repeated. */
  static void publish(
      TargetObjects objects,
      ArrayClaim claim,
      String writer,
      StagingArea staging,
      CommitRecord record) {
    if (NodeDocuments.generation(objects, ZarrKeys.DOCUMENT).equals(record.uuid())) {
      new ConsolidatedAbove(objects, claim).replace(staged(objects, staging, record));
      return;
    }
    markRoot(objects, claim, writer, record);
    List<String> old = objects.keys("");
    old.removeIf(key -> key.startsWith(StagingArea.PRIVATE));
    Set<String> nodes = markMembers(objects, claim, writer, record, old);
    ConsolidatedAbove above = new ConsolidatedAbove(objects, claim);
    above.remove();
    Set<String> chunks = stagedChunks(objects, staging);
    Set<String> wanted = new HashSet<>(chunks);
    record.metadata().forEach(document -> wanted.add(document.key()));
    // Before anything comes: in a file system c/0 and c/0/0 cannot both be there.
    deleteObsolete(objects, claim, old, nodes, wanted);
    objects.forEach(
        chunks.iterator(),
        claim::ensureHeld,
        key -> objects.startCopy(staging.data() + key, key, WriteCondition.NONE));
    Map<String, byte[]> documents = staged(objects, staging, record);
    for (Map.Entry<String, byte[]> document : documents.entrySet()) {
      String key = ZarrKeys.in(document.getKey(), ZarrKeys.DOCUMENT);
      Optional<TargetObjects.Versioned> now = objects.read(key);
      claim.ensureHeld();
      objects.putOnce(
          key,
          document.getValue(),
          now.map(object -> WriteCondition.ifMatch(object.etag()))
              .orElse(WriteCondition.IF_ABSENT));
    }
    above.replace(documents);
  }

  /** The documents that wait to be published, by node, the root last. */
  static Map<String, byte[]> staged(
      TargetObjects objects, StagingArea staging, CommitRecord record) {
    Map<String, byte[]> documents = new LinkedHashMap<>();
    for (CommitRecord.Successor document : record.metadata()) {
      documents.put(
          ZarrKeys.nodeOf(document.key()),
          objects
              .read(staging.metadata() + document.key())
              .orElseThrow(() -> new IllegalStateException("staged " + document.key() + " is gone"))
              .bytes());
    }
    return documents;
  }

  private static void markRoot(
      TargetObjects objects, ArrayClaim claim, String writer, CommitRecord record) {
    if (isMarked(objects, record.uuid())) {
      return;
    }
    CommitRecord.Successor root = record.metadata().get(record.metadata().size() - 1);
    claim.ensureHeld();
    try {
      objects.putOnce(root.key(), marker(objects, writer, record), root.condition());
    } catch (StoreException failure) {
      if (failure.kind() != StoreException.Kind.PRECONDITION_FAILED) {
        throw failure;
      }
      throw new ArrayMorphException(
          ErrorCode.OBJECT_CHANGED,
          objects.path(root.key()) + " was changed by another program while it was being replaced",
          "Run the write again; to give up one that died, delete " + objects.path(StagingArea.ALL),
          failure);
    }
  }

  /** Puts markers over all metadata below the root; the nodes found, the root included. */
  private static Set<String> markMembers(
      TargetObjects objects,
      ArrayClaim claim,
      String writer,
      CommitRecord record,
      List<String> old) {
    Set<String> nodes = new LinkedHashSet<>();
    nodes.add("");
    for (String key : old) {
      if (ZarrKeys.isDocument(key) || ZarrKeys.isV2Document(key)) {
        nodes.add(ZarrKeys.nodeOf(key));
      }
    }
    for (String node : nodes) {
      String key = ZarrKeys.in(node, ZarrKeys.DOCUMENT);
      if (!node.isEmpty()) {
        claim.ensureHeld();
        objects.put(key, marker(objects, writer, record), WriteCondition.NONE);
        if (!old.contains(key)) {
          old.add(key);
        }
      }
    }
    List<String> v2 = new ArrayList<>(old);
    v2.removeIf(key -> !ZarrKeys.isV2Document(key));
    claim.ensureHeld();
    objects.deleteAll(v2);
    return nodes;
  }

  private static Set<String> stagedChunks(TargetObjects objects, StagingArea staging) {
    Set<String> chunks = new HashSet<>();
    for (String staged : objects.keys(staging.data())) {
      chunks.add(staged.substring(staging.data().length()));
    }
    return chunks;
  }

  private static void deleteObsolete(
      TargetObjects objects,
      ArrayClaim claim,
      List<String> old,
      Set<String> nodes,
      Set<String> wanted) {
    List<String> obsolete = new ArrayList<>();
    for (String key : old) {
      if (!wanted.contains(key) && belongsToNode(key, nodes)) {
        obsolete.add(key);
      }
    }
    claim.ensureHeld();
    objects.deleteAll(obsolete);
  }

  /** True if a key is metadata or a chunk of one of some nodes. */
  static boolean belongsToNode(String key, Set<String> nodes) {
    if (ZarrKeys.isDocument(key)) {
      return true;
    }
    for (String node : nodes) {
      String prefix = ZarrKeys.in(node, "");
      if (key.startsWith(prefix)) {
        String inNode = key.substring(prefix.length());
        if (inNode.startsWith(StagingArea.PRIVATE) || ZarrKeys.isChunk(inNode)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isMarked(TargetObjects objects, String uuid) {
    Optional<TargetObjects.Versioned> now = objects.read(ZarrKeys.DOCUMENT);
    if (now.isEmpty()) {
      return false;
    }
    JsonNode document = now.get().json(objects.path(ZarrKeys.DOCUMENT).toString());
    return ReplacementMarker.isMarker(document)
        && ReplacementMarker.parse(document).uuid().equals(uuid);
  }

  private static byte[] marker(TargetObjects objects, String writer, CommitRecord record) {
    return TargetObjects.bytes(
        new ReplacementMarker(record.uuid(), writer, record.time(), objects.target().key())
            .toJson());
  }
}
