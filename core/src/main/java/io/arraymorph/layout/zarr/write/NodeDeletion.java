package io.arraymorph.layout.zarr.write;

import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Deletes an array or a group with everything in it: the root's metadata first, so that readers
 * find nothing rather than a part, then members' metadata, then chunks. Objects that are not Zarr's
 * stay.
 */
public final class NodeDeletion {
  private NodeDeletion() {}

  /**
   * Deletes what lies at a path.
   *
   * @param writer who deletes, for people who find the claim
   * @return the number of objects deleted; 0 if there was no node
   * @throws io.arraymorph.ArrayMorphException ARRAY_BEING_WRITTEN if somebody writes there
   */
  public static long delete(StorePath target, String writer) {
    try (TargetClaim claim = TargetClaim.take(target, writer, "drop", ClaimPolicy.DEFAULT)) {
      return StoreFailures.toUser(() -> delete(new TargetObjects(target), claim));
    }
  }

  private static long delete(TargetObjects objects, TargetClaim claim) {
    List<String> keys = objects.keys("");
    keys.removeIf(key -> key.startsWith(StagingArea.PRIVATE));
    List<String> documents = new ArrayList<>(keys);
    documents.removeIf(key -> !ZarrKeys.isDocument(key) && !ZarrKeys.isV2Document(key));
    Set<String> nodes = new LinkedHashSet<>();
    documents.forEach(key -> nodes.add(ZarrKeys.nodeOf(key)));
    if (!nodes.contains("")) {
      return 0;
    }
    documents.sort(java.util.Comparator.comparingInt(key -> ZarrKeys.nodeOf(key).length()));
    for (String document : documents) {
      claim.ensureHeld();
      objects.delete(document, WriteCondition.NONE);
    }
    List<String> chunks = new ArrayList<>(keys);
    chunks.removeIf(key -> documents.contains(key) || !NodeReplacement.belongsToNode(key, nodes));
    claim.ensureHeld();
    objects.deleteAll(chunks);
    return documents.size() + (long) chunks.size();
  }
}
