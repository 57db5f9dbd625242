package io.arraymorph.spark.catalog;

import io.arraymorph.delta.table.DeltaTensors;
import io.arraymorph.spark.delta.TensorTable;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/**
 * Finds tensors in Delta tables by name: {@code am.lab.tensors} has all of a table, {@code
 * am.lab.tensors.uber} one of them; {@code cells} behind either asks for rows of cells.
 */
final class TensorNames {
  private final CatalogOptions options;
  private final CatalogNodes nodes;

  TensorNames(CatalogOptions options, CatalogNodes nodes) {
    this.options = options;
    this.nodes = nodes;
  }

  /**
   * The tensors of a name that is no node's.
   *
   * @param version {@code versionAsOf} or {@code timestampAsOf}, if asked for
   */
  Optional<TensorTable> find(NodeName name, Map<String, String> version) {
    if (name.segments().isEmpty() && name.uri().isEmpty()) {
      return Optional.empty();
    }
    Map<String, String> properties = new HashMap<>(options.ofTables());
    properties.putAll(version);
    NodeName rest = name;
    if (!rest.segments().isEmpty() && last(rest).equals(NodeName.CELLS)) {
      properties.put("rows", "cells");
      rest = rest.parent();
    }
    Optional<StorePath> table = table(rest);
    if (table.isEmpty() && !rest.segments().isEmpty()) {
      properties.put("tensor", last(rest));
      table = table(rest.parent());
    }
    return table.map(
        path -> {
          properties.put("path", path.toString());
          return new TensorTable(properties);
        });
  }

  private static String last(NodeName name) {
    List<String> segments = name.segments();
    return segments.get(segments.size() - 1);
  }

  /** Where the Delta table of a name is, if there is one. */
  Optional<StorePath> table(NodeName name) {
    List<StorePath> paths = new ArrayList<>();
    if (!name.segments().isEmpty() || name.uri().isPresent()) {
      paths.addAll(name.paths(nodes.base(name)));
    }
    return paths.stream()
        .filter(path -> hasLog(path) && DeltaTensors.at(path).exists())
        .findFirst();
  }

  /** One listing: most names are no Delta table's, and need not be looked at as such. */
  private static boolean hasLog(StorePath path) {
    StorePath log = path.resolve("_delta_log");
    try {
      return !log.store().list(log.key() + "/", "/", "").join().objects().isEmpty();
    } catch (CompletionException e) {
      throw StoreException.of(e, log.toString()).toUser();
    }
  }
}
