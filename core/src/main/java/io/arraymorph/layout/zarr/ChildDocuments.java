package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Opens the children of a group that has no consolidated metadata, with requests in parallel. */
final class ChildDocuments {

  /** How one child is opened, with its failures sorted. */
  interface Attempt {
    /** The child, or nothing if there is none or it cannot be used. */
    Optional<ZarrNode> open(String name, ZarrGroup.Opener opener);
  }

  private ChildDocuments() {}

  /** The nodes among these names, in their order. */
  static List<ZarrNode> open(StorePath group, List<String> names, int zarrFormat, Attempt attempt) {
    List<String> documents =
        zarrFormat == 3 ? List.of(ZarrNodes.V3) : List.of(".zarray", ".zgroup", ".zattrs");
    List<StorePath> objects = new ArrayList<>();
    for (String name : names) {
      documents.forEach(d -> objects.add(group.resolve(name).resolve(d)));
    }
    List<Optional<byte[]>> found = MetadataObjects.readAll(objects);
    List<ZarrNode> nodes = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      StorePath path = group.resolve(names.get(i));
      List<Optional<byte[]>> own = found.subList(i * documents.size(), (i + 1) * documents.size());
      attempt
          .open(names.get(i), () -> zarrFormat == 3 ? v3(path, own) : v2(path, own))
          .ifPresent(nodes::add);
    }
    return nodes;
  }

  private static Optional<ZarrNode> v3(StorePath path, List<Optional<byte[]>> found) {
    return found.get(0).map(b -> ZarrNodes.v3Node(path, parse(b, path, ZarrNodes.V3)));
  }

  private static Optional<ZarrNode> v2(StorePath path, List<Optional<byte[]>> found) {
    if (found.get(0).isEmpty() && found.get(1).isEmpty()) {
      return Optional.empty();
    }
    ObjectNode attributes =
        found.get(2).map(b -> parse(b, path, ".zattrs")).orElseGet(MetadataJson::object);
    if (found.get(0).isPresent()) {
      return Optional.of(
          ZarrNodes.arrayV2(path, parse(found.get(0).get(), path, ".zarray"), attributes));
    }
    ArrayMetadataV2.checkFormat(
        new MetadataReader(
            ZarrNodes.where(path, ".zgroup"), parse(found.get(1).get(), path, ".zgroup")));
    return Optional.of(new ZarrGroup(path, 2, attributes, Optional.empty()));
  }

  private static ObjectNode parse(byte[] bytes, StorePath path, String document) {
    return MetadataJson.parse(bytes, ZarrNodes.where(path, document));
  }
}
