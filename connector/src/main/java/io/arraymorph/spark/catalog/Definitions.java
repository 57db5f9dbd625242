package io.arraymorph.spark.catalog;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.layout.zarr.ZarrListing;
import io.arraymorph.layout.zarr.write.NodeDeletion;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.apache.spark.sql.SparkSession;

/**
 * Statements that make or remove tables and namespaces; nothing outside the warehouse is removed.
 */
final class Definitions {
  private final CatalogOptions options;
  private final CatalogNodes nodes;

  Definitions(CatalogOptions options, CatalogNodes nodes) {
    this.options = options;
    this.nodes = nodes;
  }

  /**
   * Where a new table goes: below its namespace, under its literal name.
   *
   * @param replaces true if it takes the place of a table of that name, should there be one
   * @throws ArrayMorphException ARRAY_EXISTS if other objects lie there, UNSUPPORTED_FEATURE if it
   *     would be inside an array or a group
   */
  StorePath placeOf(NodeName name, boolean replaces) {
    Optional<CatalogNodes.Found> old = replaces ? nodes.table(name) : Optional.empty();
    if (old.isPresent() && !old.get().cells()) {
      return old.get().node().path();
    }
    StorePath place = newPlace(name);
    List<String> inside =
        ZarrListing.of(place).orElse(List.of()).stream()
            .map(ZarrListing.Entry::name)
            .filter(child -> !child.equals("c") && !child.startsWith("_arraymorph"))
            .limit(5)
            .toList();
    if (!inside.isEmpty()) {
      throw new ArrayMorphException(
          ErrorCode.ARRAY_EXISTS,
          place + " is a namespace that holds " + inside,
          "Choose another name for the table");
    }
    return place;
  }

  private StorePath newPlace(NodeName name) {
    if (name.segments().isEmpty()) {
      return nodes.base(name);
    }
    NodeName parent = name.parent();
    if (!parent.segments().isEmpty() && nodes.node(parent).isPresent()) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          name + " would be inside the array or group " + parent,
          "Write all arrays of a group at once, or choose another namespace");
    }
    StorePath below =
        nodes
            .namespacePath(parent)
            .orElseGet(() -> nodes.base(name).resolve(String.join("/", parent.segments())));
    return below.resolve(name.segments().get(name.segments().size() - 1));
  }

  /** Deletes the array or group of a name, if there is one. */
  boolean drop(NodeName name) {
    Optional<CatalogNodes.Found> found = nodes.table(name);
    if (found.isEmpty()) {
      return false;
    }
    if (found.get().cells()) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          name + " is a view of the cells of " + name.parent(),
          "Drop " + name.parent());
    }
    StorePath path = found.get().node().path();
    requireInside(path);
    int slash = path.key().lastIndexOf('/');
    if (slash > 0 && nodes.isGroup(new StorePath(path.store(), path.key().substring(0, slash)))) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          path + " is part of a group, which would be damaged without it",
          "Drop the group, or write it anew without this array");
    }
    delete(path);
    return true;
  }

  private static void delete(StorePath path) {
    NodeDeletion.delete(
        path,
        "application " + SparkSession.active().sparkContext().applicationId() + " (DROP TABLE)");
  }

  private void requireInside(StorePath path) {
    StorePath warehouse = options.warehouse();
    boolean inside =
        path.storeUri().equals(warehouse.storeUri())
            && path.key().startsWith(warehouse.key().isEmpty() ? "" : warehouse.key() + "/");
    if (!inside || path.key().isEmpty()) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          path + " is outside the warehouse " + warehouse + " and is not dropped",
          "Delete it with the tools of the store");
    }
  }

  /** Makes a namespace that is there though nothing is in it; false if it exists. */
  boolean createNamespace(NodeName name) {
    if (name.segments().isEmpty() || nodes.namespacePath(name).isPresent()) {
      return false;
    }
    StorePath document = newPlace(name).resolve("zarr.json");
    try {
      document
          .store()
          .put(
              document.key(),
              ByteBuffer.wrap(ZarrListing.folderDocument()),
              WriteCondition.IF_ABSENT)
          .join();
      return true;
    } catch (CompletionException failure) {
      StoreException cause = StoreException.of(failure, document.toString());
      if (cause.kind() == StoreException.Kind.PRECONDITION_FAILED) {
        return false;
      }
      throw cause.toUser();
    }
  }

  /** What became of a namespace that was to be dropped. */
  enum Dropped {
    DONE,
    UNKNOWN,
    NOT_EMPTY
  }

  /** Removes a namespace; with {@code cascade} its arrays and groups before. */
  Dropped dropNamespace(NodeName name, boolean cascade) {
    Optional<CatalogNodes.Namespace> found = nodes.namespace(name);
    if (found.isEmpty()) {
      return Dropped.UNKNOWN;
    }
    StorePath path = found.get().path();
    requireInside(path);
    if (nodes.node(name).isPresent()) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          path + " is a group, thus a table",
          "Use DROP TABLE " + options.catalog() + "." + name);
    }
    if (!found.get().entries().isEmpty() && !cascade) {
      return Dropped.NOT_EMPTY;
    }
    empty(path, found.get().entries());
    StorePath document = path.resolve("zarr.json");
    try {
      document.store().delete(document.key(), WriteCondition.NONE).join();
    } catch (CompletionException failure) {
      throw StoreException.of(failure, document.toString()).toUser();
    }
    if (nodes.namespacePath(name).isPresent()) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          path + " holds objects that are no arrays, and is still there",
          "Delete them with the tools of the store");
    }
    return Dropped.DONE;
  }

  private static void empty(StorePath path, List<ZarrListing.Entry> entries) {
    for (ZarrListing.Entry entry : entries) {
      StorePath child = path.resolve(entry.name());
      if (entry.kind() == ZarrListing.Kind.FOLDER) {
        empty(child, ZarrListing.of(child).orElse(List.of()));
        StorePath mark = child.resolve("zarr.json");
        mark.store().delete(mark.key(), WriteCondition.NONE).join();
      } else {
        delete(child);
      }
    }
  }
}
