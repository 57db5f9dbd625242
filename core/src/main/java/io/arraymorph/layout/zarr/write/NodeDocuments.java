package io.arraymorph.layout.zarr.write;

import com.fasterxml.jackson.databind.JsonNode;
import io.arraymorph.layout.zarr.ReplacementCheck;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The {@code zarr.json} documents of a node and its members, in the order in which they are
 * published: the root last.
 *
 * <p>Immutable.
 */
public final class NodeDocuments {
  private final Map<String, byte[]> documents;

  private NodeDocuments(Map<String, byte[]> documents) {
    this.documents = documents;
  }

  /** The document of an array that is the target itself. */
  public static NodeDocuments array(byte[] document) {
    return new NodeDocuments(Map.of("", document.clone()));
  }

  /**
   * The documents of a group.
   *
   * @param members documents of its arrays, by name relative to the group
   */
  public static NodeDocuments group(Map<String, byte[]> members, byte[] root) {
    Map<String, byte[]> documents = new LinkedHashMap<>();
    members.forEach((name, document) -> documents.put(name, document.clone()));
    documents.put("", root.clone());
    return new NodeDocuments(Collections.unmodifiableMap(documents));
  }

  /** By node relative to the target, the target itself (empty) last. */
  Map<String, byte[]> all() {
    return documents;
  }

  /** True if a node, of whatever version, is at {@code member}. */
  static boolean exists(TargetObjects objects, String member) {
    return objects.head(ZarrKeys.in(member, ZarrKeys.DOCUMENT)).isPresent()
        || objects.head(ZarrKeys.in(member, ".zarray")).isPresent()
        || objects.head(ZarrKeys.in(member, ".zgroup")).isPresent();
  }

  /** The generation of the node that an object describes, empty if there is none. */
  static String generation(TargetObjects objects, String documentKey) {
    return objects
        .read(documentKey)
        .map(object -> generation(object.json(objects.path(documentKey).toString())))
        .orElse("");
  }

  private static String generation(JsonNode document) {
    return ReplacementCheck.generation(document.path("attributes"));
  }

  /** True if an object has exactly these bytes. */
  static boolean holds(Optional<TargetObjects.Versioned> object, byte[] bytes) {
    return object.isPresent() && Arrays.equals(object.get().bytes(), bytes);
  }
}
