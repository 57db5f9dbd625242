package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * What lies directly below a path: arrays, groups, and folders that are neither.
 *
 * <p>Children are found by a listing that stops at their names, then told apart by their metadata:
 * one request each for nodes of Zarr v3, three for others, in parallel. Chunks are never listed. A
 * group with consolidated metadata takes one request in all.
 */
public final class ZarrListing {
  /** Attribute {@code _arraymorph.folder} of a group that only keeps an empty folder alive. */
  public static final String FOLDER_MARK = "folder";

  private static final String OWN_ATTRIBUTE = "_arraymorph";

  /** Documents in memory at a time: those of consolidated groups may be large. */
  private static final int BATCH = 256;

  /** What a child is. */
  public enum Kind {
    /** A Zarr array, or what its metadata document is damaged to: opening it tells. */
    ARRAY,
    /** A Zarr group. */
    GROUP,
    /** A place that holds other things, without metadata of its own. */
    FOLDER
  }

  /**
   * A child.
   *
   * @param name the last segment of its path
   */
  public record Entry(String name, Kind kind) {}

  private ZarrListing() {}

  /** The {@code zarr.json} that keeps a folder alive in which nothing else is. */
  public static byte[] folderDocument() {
    ObjectNode attributes = MetadataJson.object();
    attributes.putObject(OWN_ATTRIBUTE).put(FOLDER_MARK, true);
    return ZarrGroupSpec.of(attributes).toJson();
  }

  /**
   * The children of a path, ascending by name; none if an array lies there.
   *
   * @return nothing if there is no object at or below the path
   * @throws ArrayMorphException a code of the store; what may not be listed is never taken for
   *     empty
   */
  public static Optional<List<Entry>> of(StorePath path) {
    Optional<byte[]> document = MetadataObjects.read(path.resolve(ZarrNodes.V3));
    Optional<ZarrNode> own =
        document.isPresent() ? Optional.of(v3(path, document.get())) : v2(path);
    if (own.isPresent() && own.get() instanceof ZarrArray) {
      return Optional.of(List.of());
    }
    Optional<ConsolidatedMetadata> known = own.flatMap(group -> ((ZarrGroup) group).consolidated());
    if (known.isPresent()) {
      return Optional.of(
          known.get().names().stream()
              .filter(name -> name.indexOf('/') < 0)
              .map(name -> new Entry(name, known.get().isArray(name) ? Kind.ARRAY : Kind.GROUP))
              .toList());
    }
    MetadataObjects.Children children = MetadataObjects.children(path);
    if (!children.isPresent()) {
      return Optional.empty();
    }
    List<String> names = children.names().stream().filter(NodeNames::isPath).sorted().toList();
    List<Entry> entries = new ArrayList<>();
    for (int from = 0; from < names.size(); from += BATCH) {
      entries.addAll(tell(path, names.subList(from, Math.min(names.size(), from + BATCH))));
    }
    return Optional.of(entries);
  }

  /** True if there are objects below a path and it is no array; at most four requests. */
  public static boolean isFolderOrGroup(StorePath path) {
    Optional<byte[]> document = MetadataObjects.read(path.resolve(ZarrNodes.V3));
    if (document.isPresent()) {
      return kind(path, document.get()) != Kind.ARRAY;
    }
    return MetadataObjects.read(path.resolve(".zarray")).isEmpty()
        && MetadataObjects.isPresent(path);
  }

  private static ZarrNode v3(StorePath path, byte[] document) {
    return ZarrNodes.v3Node(
        path, MetadataJson.parse(document, ZarrNodes.where(path, ZarrNodes.V3)));
  }

  /** A node of Zarr v2, if it is an array or a group with consolidated metadata. */
  private static Optional<ZarrNode> v2(StorePath path) {
    boolean known =
        MetadataObjects.readAll(List.of(path.resolve(".zarray"), path.resolve(".zmetadata")))
            .stream()
            .anyMatch(Optional::isPresent);
    return known ? ZarrNodes.findV2(path) : Optional.empty();
  }

  private static List<Entry> tell(StorePath path, List<String> names) {
    List<Optional<byte[]>> v3 =
        MetadataObjects.readAll(
            names.stream().map(name -> path.resolve(name).resolve(ZarrNodes.V3)).toList());
    List<StorePath> v2 = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      if (v3.get(i).isEmpty()) {
        v2.add(path.resolve(names.get(i)).resolve(".zarray"));
        v2.add(path.resolve(names.get(i)).resolve(".zgroup"));
      }
    }
    Iterator<Optional<byte[]>> found = MetadataObjects.readAll(v2).iterator();
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      StorePath child = path.resolve(names.get(i));
      Kind kind =
          v3.get(i)
              .map(document -> kind(child, document))
              .orElseGet(() -> kindV2(found.next().isPresent(), found.next().isPresent()));
      entries.add(new Entry(names.get(i), kind));
    }
    return entries;
  }

  private static Kind kindV2(boolean array, boolean group) {
    if (array) {
      return Kind.ARRAY;
    }
    return group ? Kind.GROUP : Kind.FOLDER;
  }

  private static Kind kind(StorePath path, byte[] zarrJson) {
    try {
      return kind(MetadataJson.parse(zarrJson, ZarrNodes.where(path, ZarrNodes.V3)));
    } catch (ArrayMorphException damaged) {
      return Kind.ARRAY;
    }
  }

  private static Kind kind(JsonNode document) {
    if (!document.path("node_type").asText().equals("group")) {
      return Kind.ARRAY;
    }
    return isFolder(document.path("attributes")) ? Kind.FOLDER : Kind.GROUP;
  }

  /** True for the attributes of a group that only keeps a folder alive. */
  public static boolean isFolder(JsonNode attributes) {
    return attributes.path(OWN_ATTRIBUTE).path(FOLDER_MARK).asBoolean(false);
  }
}
