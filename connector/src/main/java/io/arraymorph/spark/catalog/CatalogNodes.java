package io.arraymorph.spark.catalog;

import io.arraymorph.layout.zarr.ZarrGroup;
import io.arraymorph.layout.zarr.ZarrListing;
import io.arraymorph.layout.zarr.ZarrNode;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Finds nodes and namespaces by name, in the store. Stateless: every question is asked anew. */
final class CatalogNodes {
  private final CatalogOptions options;

  CatalogNodes(CatalogOptions options) {
    this.options = options;
  }

  /**
   * A node found by an identifier.
   *
   * @param cells true if the identifier asks for rows of cells
   */
  record Found(ZarrNode node, boolean cells) {}

  /**
   * The node of a table, if there is one. A name that ends in {@code cells} means the cells of what
   * is before it, if that is a node.
   */
  Optional<Found> table(NodeName name) {
    if (name.endsInCells()) {
      Optional<ZarrNode> of = node(name.parent());
      if (of.isPresent()) {
        return Optional.of(new Found(of.get(), true));
      }
    }
    return node(name).map(node -> new Found(node, false));
  }

  /** The node of a name whose last part does not mean cells. */
  Optional<ZarrNode> node(NodeName name) {
    return ZarrNodes.findFirst(name.paths(base(name))).filter(node -> !isFolder(node));
  }

  private static boolean isFolder(ZarrNode node) {
    return node instanceof ZarrGroup && ZarrListing.isFolder(node.attributes());
  }

  /** True if a group, not only a folder, is at a path. */
  boolean isGroup(StorePath path) {
    return ZarrNodes.findFirst(List.of(path)).filter(node -> !isFolder(node)).isPresent();
  }

  /** What a name's segments are below. */
  StorePath base(NodeName name) {
    return name.uri().map(options::open).orElseGet(options::warehouse);
  }

  /** What lies in a namespace, if it exists; the warehouse itself always does. */
  Optional<Namespace> namespace(NodeName name) {
    for (StorePath path : name.paths(base(name))) {
      Optional<List<ZarrListing.Entry>> entries = ZarrListing.of(path);
      if (entries.isPresent()) {
        return Optional.of(new Namespace(path, visible(entries.get())));
      }
    }
    return name.segments().isEmpty()
        ? Optional.of(new Namespace(base(name), List.of()))
        : Optional.empty();
  }

  /** Where a namespace is, if it exists: there are objects below it, and it is no array. */
  Optional<StorePath> namespacePath(NodeName name) {
    if (name.segments().isEmpty()) {
      return Optional.of(base(name));
    }
    return name.paths(base(name)).stream().filter(ZarrListing::isFolderOrGroup).findFirst();
  }

  private static List<ZarrListing.Entry> visible(List<ZarrListing.Entry> entries) {
    return entries.stream()
        .filter(entry -> !entry.name().startsWith("_") && !entry.name().startsWith("."))
        .toList();
  }

  /**
   * The children of a namespace.
   *
   * @param entries named as they are stored
   */
  record Namespace(StorePath path, List<ZarrListing.Entry> entries) {

    /** The names, as identifiers give them, of the arrays and groups. */
    List<String> tables() {
      return names(Set.of(ZarrListing.Kind.ARRAY, ZarrListing.Kind.GROUP));
    }

    /** The names, as identifiers give them, of the groups and folders. */
    List<String> namespaces() {
      return names(Set.of(ZarrListing.Kind.GROUP, ZarrListing.Kind.FOLDER));
    }

    /** The suffix is left away where the rest is no other child's name. */
    private List<String> names(Set<ZarrListing.Kind> kinds) {
      Set<String> stored = new HashSet<>();
      entries.forEach(entry -> stored.add(entry.name()));
      List<String> names = new ArrayList<>();
      for (ZarrListing.Entry entry : entries) {
        String name = entry.name();
        if (name.endsWith(NodeName.SUFFIX) && name.length() > NodeName.SUFFIX.length()) {
          String plain = name.substring(0, name.length() - NodeName.SUFFIX.length());
          name = stored.contains(plain) ? name : plain;
        }
        if (kinds.contains(entry.kind())) {
          names.add(name);
        }
      }
      return names;
    }
  }
}
