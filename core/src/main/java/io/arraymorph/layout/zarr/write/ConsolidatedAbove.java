package io.arraymorph.layout.zarr.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The groups above a target that have consolidated metadata: their copies of the target's metadata
 * must not outlive it, or who reads through the group decodes new chunks by old metadata.
 *
 * <p>Groups without consolidated metadata, or without an entry for the target, are left alone.
 */
final class ConsolidatedAbove {
  private static final int TRIES = 20;

  private final TargetObjects objects;
  private final ArrayClaim claim;

  ConsolidatedAbove(TargetObjects objects, ArrayClaim claim) {
    this.objects = objects;
    this.claim = claim;
  }

  /** Removes all entries for the target and what is below it. */
  void remove() {
    for (StorePath group : above()) {
      change(group, Map.of());
    }
  }

  /**
   * Replaces all entries for the target and what is below it, in groups that have any or had.
   *
   * @param documents the target's documents by node relative to it
   */
  void replace(Map<String, byte[]> documents) {
    for (StorePath group : above()) {
      change(group, documents);
    }
  }

  /** Every path above the target, the nearest first. */
  private List<StorePath> above() {
    List<StorePath> above = new ArrayList<>();
    StorePath target = objects.target();
    for (int slash = target.key().lastIndexOf('/');
        slash > 0;
        slash = target.key().lastIndexOf('/', slash - 1)) {
      above.add(new StorePath(target.store(), target.key().substring(0, slash)));
    }
    return above;
  }

  private void change(StorePath group, Map<String, byte[]> documents) {
    TargetObjects ofGroup = new TargetObjects(group);
    String name = objects.target().key().substring(group.key().length() + 1);
    for (int tries = 0; tries < TRIES; tries++) {
      Optional<TargetObjects.Versioned> stored = ofGroup.readDocument(ZarrKeys.DOCUMENT);
      if (stored.isEmpty()) {
        return;
      }
      Optional<ObjectNode> changed = changed(stored.get().json(group.toString()), name, documents);
      if (changed.isEmpty()) {
        return;
      }
      claim.ensureHeld();
      try {
        ofGroup.putOnce(
            ZarrKeys.DOCUMENT,
            TargetObjects.bytes(changed.get()),
            WriteCondition.ifMatch(stored.get().etag()));
        return;
      } catch (StoreException failure) {
        // Somebody else changed the group; what he did is kept.
        if (failure.kind() != StoreException.Kind.PRECONDITION_FAILED || tries == TRIES - 1) {
          throw failure;
        }
      }
    }
  }

  /** The group's document with other entries; empty if there is nothing to change. */
  private Optional<ObjectNode> changed(JsonNode group, String name, Map<String, byte[]> documents) {
    JsonNode entries = group.path("consolidated_metadata").path("metadata");
    if (!group.isObject() || !entries.isObject()) {
      return Optional.empty();
    }
    ObjectNode changed = group.deepCopy();
    ObjectNode metadata = (ObjectNode) changed.get("consolidated_metadata").get("metadata");
    List<String> old = new ArrayList<>();
    metadata.fieldNames().forEachRemaining(old::add);
    old.removeIf(key -> !key.equals(name) && !key.startsWith(name + "/"));
    metadata.remove(old);
    if (!old.isEmpty() || hadEntry(group, name)) {
      for (Map.Entry<String, byte[]> document : new TreeMap<>(documents).entrySet()) {
        String key = document.getKey().isEmpty() ? name : name + "/" + document.getKey();
        JsonNode entry = new TargetObjects.Versioned(document.getValue(), "").json(key);
        ObjectNode plain = entry.deepCopy();
        // Entries of groups say nothing of their own members.
        plain.remove("consolidated_metadata");
        metadata.set(key, plain);
      }
      mark(changed, name, documents.isEmpty());
    }
    return changed.equals(group) ? Optional.empty() : Optional.of(changed);
  }

  /** Remembers in the group's attributes that the entry was taken out, so that it is put back. */
  private static void mark(ObjectNode group, String name, boolean removed) {
    ObjectNode attributes =
        group.path("attributes").isObject()
            ? (ObjectNode) group.get("attributes")
            : group.putObject("attributes");
    ObjectNode own =
        attributes.path("_arraymorph").isObject()
            ? (ObjectNode) attributes.get("_arraymorph")
            : attributes.putObject("_arraymorph");
    ObjectNode replacing =
        own.path("replacing").isObject()
            ? (ObjectNode) own.get("replacing")
            : own.putObject("replacing");
    if (removed) {
      replacing.put(name, true);
      return;
    }
    replacing.remove(name);
    if (replacing.isEmpty()) {
      own.remove("replacing");
    }
    if (own.isEmpty()) {
      attributes.remove("_arraymorph");
    }
  }

  private static boolean hadEntry(JsonNode group, String name) {
    return group.path("attributes").path("_arraymorph").path("replacing").has(name);
  }
}
