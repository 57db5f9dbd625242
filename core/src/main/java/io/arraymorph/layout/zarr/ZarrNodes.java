package io.arraymorph.layout.zarr;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.layout.JsonTree;
import io.arraymorph.layout.codec.CodecConfigurationException;
import io.arraymorph.store.StorePath;
import java.util.List;
import java.util.Optional;

/**
 * Opens arrays and groups.
 *
 * <p>Zarr v3 is looked for first (one request), then v2. An array takes one request in v3 and three
 * in v2, whatever its number of chunks.
 */
public final class ZarrNodes {
  static final String V3 = "zarr.json";

  private ZarrNodes() {}

  /**
   * Opens what lies at a path.
   *
   * @throws ArrayMorphException NOT_AN_ARRAY if there is no metadata, METADATA_INVALID and the
   *     UNSUPPORTED codes if it cannot be used, or a code of the store
   */
  public static ZarrNode open(StorePath path) {
    return find(path)
        .orElseThrow(
            () ->
                new ArrayMorphException(
                    ErrorCode.NOT_AN_ARRAY,
                    path + " holds no zarr.json, .zarray, .zgroup or .zmetadata",
                    "Give the path of a Zarr array or group"));
  }

  /** Opens an array; NOT_AN_ARRAY if a group or nothing lies there. */
  public static ZarrArray openArray(StorePath path) {
    ZarrNode node = open(path);
    if (node instanceof ZarrArray) {
      return (ZarrArray) node;
    }
    throw new ArrayMorphException(
        ErrorCode.NOT_AN_ARRAY,
        path + " is a group, not an array",
        "Name one of its arrays: " + summary((ZarrGroup) node));
  }

  /** Opens a group; NOT_AN_ARRAY if an array or nothing lies there. */
  public static ZarrGroup openGroup(StorePath path) {
    ZarrNode node = open(path);
    if (node instanceof ZarrGroup) {
      return (ZarrGroup) node;
    }
    throw new ArrayMorphException(
        ErrorCode.NOT_AN_ARRAY, path + " is an array, not a group", "Give the path of a group");
  }

  /**
   * The group of one format at a path, or nothing if there is none: one request in v3, two in
   * parallel in v2. Attributes of a v2 group are not read.
   *
   * @param zarrFormat 2 or 3
   */
  public static Optional<ZarrGroup> findGroup(StorePath path, int zarrFormat) {
    if (zarrFormat == 2) {
      return findGroupV2(path, MetadataJson.object()).map(ZarrGroup.class::cast);
    }
    return MetadataObjects.read(path.resolve(V3))
        .map(document -> v3Node(path, MetadataJson.parse(document, where(path, V3))))
        .filter(ZarrGroup.class::isInstance)
        .filter(group -> !ZarrListing.isFolder(group.attributes()))
        .map(ZarrGroup.class::cast);
  }

  /**
   * The first of several paths where a node lies: of Zarr v3, else of v2; nothing if there is none.
   *
   * <p>One request if it is the first path and of v3; the others are asked in parallel.
   */
  public static Optional<ZarrNode> findFirst(List<StorePath> paths) {
    for (List<StorePath> some : List.of(paths.subList(0, 1), paths.subList(1, paths.size()))) {
      List<Optional<byte[]>> found =
          MetadataObjects.readAll(some.stream().map(path -> path.resolve(V3)).toList());
      for (int i = 0; i < some.size(); i++) {
        if (found.get(i).isPresent()) {
          StorePath path = some.get(i);
          return Optional.of(v3Node(path, MetadataJson.parse(found.get(i).get(), where(path, V3))));
        }
      }
    }
    return paths.stream().map(ZarrNodes::findV2).flatMap(Optional::stream).findFirst();
  }

  /** The first names in a group, for messages. */
  private static String summary(ZarrGroup group) {
    List<String> names = group.childNames();
    int shown = Math.min(10, names.size());
    return names.subList(0, shown) + (shown < names.size() ? " and more" : "");
  }

  /** What lies at a path, or nothing. */
  static Optional<ZarrNode> find(StorePath path) {
    Optional<byte[]> v3 = MetadataObjects.read(path.resolve(V3));
    if (v3.isPresent()) {
      return Optional.of(v3Node(path, MetadataJson.parse(v3.get(), where(path, V3))));
    }
    return findV2(path);
  }

  /** What lies at a path in Zarr v2, or nothing. */
  static Optional<ZarrNode> findV2(StorePath path) {
    List<Optional<byte[]>> array =
        MetadataObjects.readAll(List.of(path.resolve(".zarray"), path.resolve(".zattrs")));
    ObjectNode attributes = parseOrEmpty(array.get(1), where(path, ".zattrs"));
    if (array.get(0).isPresent()) {
      ObjectNode document = MetadataJson.parse(array.get(0).get(), where(path, ".zarray"));
      return Optional.of(arrayV2(path, document, attributes));
    }
    return findGroupV2(path, attributes);
  }

  private static Optional<ZarrNode> findGroupV2(StorePath path, ObjectNode attributes) {
    List<Optional<byte[]>> group =
        MetadataObjects.readAll(List.of(path.resolve(".zgroup"), path.resolve(".zmetadata")));
    if (group.get(0).isEmpty() && group.get(1).isEmpty()) {
      return Optional.empty();
    }
    ObjectNode document = parseOrEmpty(group.get(0), where(path, ".zgroup"));
    if (group.get(0).isPresent()) {
      ArrayMetadataV2.checkFormat(new MetadataReader(where(path, ".zgroup"), document));
    }
    return Optional.of(
        new ZarrGroup(
            path,
            2,
            attributes,
            group.get(1).map(b -> ConsolidatedMetadata.ofV2(path, b, where(path, ".zmetadata")))));
  }

  private static ObjectNode parseOrEmpty(Optional<byte[]> bytes, String where) {
    return bytes.map(b -> MetadataJson.parse(b, where)).orElseGet(MetadataJson::object);
  }

  static String where(StorePath path, String document) {
    return path.resolve(document).toString();
  }

  /** The node that a {@code zarr.json} describes. */
  static ZarrNode v3Node(StorePath path, ObjectNode document) {
    ReplacementMarker.refuse(document, path);
    MetadataReader reader = new MetadataReader(where(path, V3), document);
    String type =
        document.path("node_type").isTextual() ? document.get("node_type").textValue() : "array";
    if (!type.equals("group")) {
      return array(path, document);
    }
    return new ZarrGroup(
        path, 3, GroupMetadataV3.attributes(reader), GroupMetadataV3.consolidated(path, reader));
  }

  static ZarrArray array(StorePath path, ObjectNode document) {
    String where = where(path, V3);
    try {
      return new ZarrArray(path, ArrayMetadataV3.parse(document, where), JsonTree.text(document));
    } catch (CodecConfigurationException e) {
      throw toUser(where, e);
    }
  }

  static ZarrArray arrayV2(StorePath path, ObjectNode document, ObjectNode attributes) {
    String where = where(path, ".zarray");
    try {
      ObjectNode both = MetadataJson.object();
      both.set(".zarray", document);
      both.set(".zattrs", attributes);
      return new ZarrArray(
          path, ArrayMetadataV2.parse(document, attributes, where), JsonTree.text(both));
    } catch (CodecConfigurationException e) {
      throw toUser(where, e);
    }
  }

  /** The array whose metadata {@link ZarrArray#metadataText()} gave; no request is made. */
  static ZarrArray ofText(StorePath path, String text) {
    ObjectNode document = MetadataJson.parse(text.getBytes(UTF_8), path.toString());
    return document.has(".zarray")
        ? arrayV2(path, (ObjectNode) document.get(".zarray"), (ObjectNode) document.get(".zattrs"))
        : array(path, document);
  }

  /** A failure of codecs as users see it. */
  static ArrayMorphException toUser(String where, CodecConfigurationException e) {
    String remedy =
        e.code() == ErrorCode.TOO_LARGE
            ? "Write the array with smaller chunks"
            : "Check who wrote the array; docs/spec/zarr.md lists what is supported";
    return new ArrayMorphException(e.code(), where + ": " + e.getMessage(), remedy, e);
  }
}
