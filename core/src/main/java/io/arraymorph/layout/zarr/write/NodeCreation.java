package io.arraymorph.layout.zarr.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.WriteCondition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A node that is being created: chunk objects first, metadata last ({@code docs/spec/writing.md},
 * section 4).
 */
public final class NodeCreation implements NodeWrite {
  private static final String BEGIN = "begin.json";

  private final TargetObjects objects;
  private final ArrayClaim claim;
  private final List<String> members;

  private NodeCreation(TargetObjects objects, ArrayClaim claim, List<String> members) {
    this.objects = objects;
    this.claim = claim;
    this.members = members;
  }

  static NodeCreation begin(TargetObjects objects, ArrayClaim claim, List<String> members) {
    List<String> nodes = new ArrayList<>(members);
    if (!nodes.contains("")) {
      nodes.add("");
    }
    for (String node : nodes) {
      if (NodeDocuments.exists(objects, node)) {
        throw exists(objects, node);
      }
    }
    ObjectNode intent = TargetObjects.object();
    ArrayNode names = intent.putArray("members");
    members.forEach(names::add);
    claim.ensureHeld();
    objects.putOnce(
        new StagingArea(claim.uuid()).root() + BEGIN,
        TargetObjects.bytes(intent),
        WriteCondition.IF_ABSENT);
    deleteChunks(objects, members);
    return new NodeCreation(objects, claim, List.copyOf(members));
  }

  @Override
  public WriteTicket ticket(List<WrittenArray> arrays, WriteTicket.Duplicates duplicates) {
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
          members.forEach(member -> existing.putAll(chunks(objects, member)));
          new ChunkMerge(objects, claim, ticket, arrays, tasks).run(existing);
          for (Map.Entry<String, byte[]> document : documents.all().entrySet()) {
            publish(document.getKey(), document.getValue());
          }
          Recovery.deleteStaging(objects, claim, claim.uuid());
          return null;
        });
  }

  @Override
  public void abort() {
    StoreFailures.toUser(
        () -> {
          if (!NodeDocuments.generation(objects, ZarrKeys.DOCUMENT).equals(claim.uuid())) {
            rollBack(objects, claim, claim.uuid(), members);
          }
          Recovery.deleteStaging(objects, claim, claim.uuid());
          return null;
        });
  }

  private void publish(String node, byte[] document) {
    claim.ensureHeld();
    try {
      objects.putOnce(ZarrKeys.in(node, ZarrKeys.DOCUMENT), document, WriteCondition.IF_ABSENT);
    } catch (StoreException failure) {
      if (failure.kind() == StoreException.Kind.PRECONDITION_FAILED) {
        throw exists(objects, node);
      }
      throw failure;
    }
  }

  /** The members that an unfinished creation was about to write, as its begin object says. */
  static List<String> intended(TargetObjects objects, String uuid) {
    String key = new StagingArea(uuid).root() + BEGIN;
    List<String> members = new ArrayList<>();
    objects
        .read(key)
        .ifPresent(
            intent -> {
              JsonNode names = intent.json(objects.path(key).toString()).path("members");
              names.forEach(name -> members.add(name.asText()));
            });
    return members;
  }

  /** Removes what a creation that did not publish its root left. */
  static void rollBack(TargetObjects objects, ArrayClaim claim, String uuid, List<String> members) {
    for (String member : members) {
      claim.ensureHeld();
      String document = ZarrKeys.in(member, ZarrKeys.DOCUMENT);
      if (NodeDocuments.generation(objects, document).equals(uuid)) {
        objects.delete(document, WriteCondition.NONE);
      }
      if (!NodeDocuments.exists(objects, member)) {
        deleteChunks(objects, List.of(member));
      }
    }
  }

  private static void deleteChunks(TargetObjects objects, List<String> members) {
    for (String member : members) {
      objects.deleteAll(chunks(objects, member).keySet());
    }
  }

  /** The chunk objects of a member, as this writer names them: key to ETag. */
  private static Map<String, String> chunks(TargetObjects objects, String member) {
    Map<String, String> chunks = new HashMap<>();
    String prefix = ZarrKeys.in(member, "c");
    objects.list(
        prefix,
        stat -> {
          if (ZarrKeys.isDefaultChunk(stat.key().substring(prefix.length() - 1))) {
            chunks.put(stat.key(), stat.etag());
          }
        });
    return chunks;
  }

  private static ArrayMorphException exists(TargetObjects objects, String node) {
    return new ArrayMorphException(
        ErrorCode.ARRAY_EXISTS,
        objects.path(node) + " exists already",
        "Write with mode overwrite or append, or to another path");
  }
}
