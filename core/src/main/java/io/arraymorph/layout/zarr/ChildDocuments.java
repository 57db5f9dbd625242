package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

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
    return zarrFormat == 3
        ? read(group, names, List.of(ZarrNodes.V3), attempt, ChildDocuments::v3)
        : read(group, names, List.of(".zarray", ".zattrs", ".zgroup"), attempt, ChildDocuments::v2);
  }

  /** The arrays among these names, in their order; in v3 also the groups, which cost the same. */
  static List<ZarrNode> arrays(
      StorePath group, List<String> names, int zarrFormat, Attempt attempt) {
    return zarrFormat == 3
        ? open(group, names, zarrFormat, attempt)
        : read(group, names, List.of(".zarray", ".zattrs"), attempt, ChildDocuments::arrayV2);
  }

  private static List<ZarrNode> read(
      StorePath group,
      List<String> names,
      List<String> documents,
      Attempt attempt,
      BiFunction<StorePath, List<Optional<byte[]>>, Optional<ZarrNode>> node) {
    List<StorePath> objects = new ArrayList<>();
    for (String name : names) {
      documents.forEach(d -> objects.add(group.resolve(name).resolve(d)));
    }
    List<Optional<byte[]>> found = MetadataObjects.readAll(objects);
    List<ZarrNode> nodes = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      StorePath path = group.resolve(names.get(i));
      List<Optional<byte[]>> own = found.subList(i * documents.size(), (i + 1) * documents.size());
      attempt.open(names.get(i), () -> node.apply(path, own)).ifPresent(nodes::add);
    }
    return nodes;
  }

  private static Optional<ZarrNode> v3(StorePath path, List<Optional<byte[]>> found) {
    return found.get(0).map(b -> ZarrNodes.v3Node(path, parse(b, path, ZarrNodes.V3)));
  }

  private static Optional<ZarrNode> arrayV2(StorePath path, List<Optional<byte[]>> found) {
    return found
        .get(0)
        .map(
            array ->
                ZarrNodes.arrayV2(path, parse(array, path, ".zarray"), attributes(path, found)));
  }

  private static ObjectNode attributes(StorePath path, List<Optional<byte[]>> found) {
    return found.get(1).map(b -> parse(b, path, ".zattrs")).orElseGet(MetadataJson::object);
  }

  private static Optional<ZarrNode> v2(StorePath path, List<Optional<byte[]>> found) {
    if (found.get(0).isPresent() || found.get(2).isEmpty()) {
      return arrayV2(path, found);
    }
    ArrayMetadataV2.checkFormat(
        new MetadataReader(
            ZarrNodes.where(path, ".zgroup"), parse(found.get(2).get(), path, ".zgroup")));
    return Optional.of(new ZarrGroup(path, 2, attributes(path, found), Optional.empty()));
  }

  private static ObjectNode parse(byte[] bytes, StorePath path, String document) {
    return MetadataJson.parse(bytes, ZarrNodes.where(path, document));
  }
}
