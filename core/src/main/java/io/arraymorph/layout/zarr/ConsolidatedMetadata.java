package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.StorePath;
import java.util.Collection;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metadata of all nodes below a group, kept in one document: paths relative to the group and
 * what opens the node there without a request.
 *
 * <p>Names that a node may not have are left out with a warning.
 */
final class ConsolidatedMetadata {
  private static final Logger LOG = LoggerFactory.getLogger(ConsolidatedMetadata.class);

  private final NavigableMap<String, Function<StorePath, ZarrNode>> nodes;
  private final Set<String> arrays;

  private ConsolidatedMetadata(
      NavigableMap<String, Function<StorePath, ZarrNode>> nodes, Set<String> arrays) {
    this.nodes = nodes;
    this.arrays = arrays;
  }

  private static ConsolidatedMetadata of(
      NavigableMap<String, Function<StorePath, ZarrNode>> nodes, Map<String, Boolean> arrays) {
    return new ConsolidatedMetadata(
        nodes, nodes.keySet().stream().filter(arrays::get).collect(Collectors.toSet()));
  }

  /** From the member {@code consolidated_metadata} of Zarr v3. */
  static ConsolidatedMetadata ofV3(StorePath group, ObjectNode metadata) {
    TreeMap<String, Function<StorePath, ZarrNode>> nodes = new TreeMap<>();
    TreeMap<String, Boolean> arrays = new TreeMap<>();
    for (Map.Entry<String, JsonNode> entry : metadata.properties()) {
      arrays.put(entry.getKey(), entry.getValue().path("node_type").asText().equals("array"));
    }
    for (Map.Entry<String, JsonNode> entry : metadata.properties()) {
      String name = entry.getKey();
      JsonNode document = entry.getValue();
      if (!isAllowed(group, name, arrays)) {
        continue;
      }
      nodes.put(
          name,
          path -> {
            if (document instanceof ObjectNode) {
              return ZarrNodes.v3Node(path, (ObjectNode) document);
            }
            throw MetadataJson.invalid(
                ZarrNodes.where(path, ZarrNodes.V3), "consolidated metadata are no object");
          });
    }
    return of(nodes, arrays);
  }

  /** From the object {@code .zmetadata} of Zarr v2. */
  static ConsolidatedMetadata ofV2(StorePath group, byte[] bytes, String where) {
    MetadataReader reader = new MetadataReader(where, MetadataJson.parse(bytes, where));
    JsonNode version = reader.required("zarr_consolidated_format");
    if (!version.asText().equals("1")) {
      throw reader.unsupported(
          ErrorCode.UNSUPPORTED_FEATURE,
          "zarr_consolidated_format " + MetadataReader.shown(version) + " is not 1");
    }
    ObjectNode metadata = reader.objectOrEmpty("metadata");
    TreeMap<String, Boolean> arrays = new TreeMap<>();
    for (Map.Entry<String, JsonNode> entry : metadata.properties()) {
      int slash = entry.getKey().lastIndexOf('/');
      String document = entry.getKey().substring(slash + 1);
      boolean array = document.equals(".zarray");
      if (slash > 0 && (array || document.equals(".zgroup"))) {
        arrays.merge(entry.getKey().substring(0, slash), array, Boolean::logicalOr);
      }
    }
    TreeMap<String, Function<StorePath, ZarrNode>> nodes = new TreeMap<>();
    for (Map.Entry<String, Boolean> entry : arrays.entrySet()) {
      String name = entry.getKey();
      if (isAllowed(group, name, arrays)) {
        nodes.put(name, path -> nodeV2(path, metadata, name, entry.getValue()));
      }
    }
    return of(nodes, arrays);
  }

  private static ZarrNode nodeV2(StorePath path, ObjectNode metadata, String name, boolean array) {
    ObjectNode attributes = member(path, metadata, name, ".zattrs");
    return array
        ? ZarrNodes.arrayV2(path, member(path, metadata, name, ".zarray"), attributes)
        : new ZarrGroup(path, 2, attributes, Optional.empty());
  }

  private static ObjectNode member(
      StorePath path, ObjectNode metadata, String name, String document) {
    return new MetadataReader(ZarrNodes.where(path, document), metadata)
        .objectOrEmpty(name + "/" + document);
  }

  private static boolean isAllowed(StorePath group, String name, Map<String, Boolean> arrays) {
    boolean allowed = NodeNames.isPath(name);
    for (int slash = name.indexOf('/');
        allowed && slash > 0;
        slash = name.indexOf('/', slash + 1)) {
      allowed = !arrays.getOrDefault(name.substring(0, slash), false);
    }
    if (!allowed) {
      LOG.warn(
          "{}: consolidated metadata name a node that cannot be: '{}'; it is left out",
          group,
          name.replaceAll("\\p{Cntrl}", "?"));
    }
    return allowed;
  }

  /** The paths of all nodes, ascending. */
  Collection<String> names() {
    return nodes.keySet();
  }

  /** True if an array is at a path relative to the group, false for a group or nothing. */
  boolean isArray(String name) {
    return arrays.contains(name);
  }

  /** The node at a path relative to the group, if there is one. */
  Optional<ZarrNode> open(StorePath group, String name) {
    Function<StorePath, ZarrNode> opener = nodes.get(name);
    if (opener == null) {
      return Optional.empty();
    }
    ZarrNode node = opener.apply(group.resolve(name));
    return Optional.of(node instanceof ZarrGroup ? below((ZarrGroup) node, name) : node);
  }

  /** The group with what these metadata say of the nodes below it. */
  private ZarrGroup below(ZarrGroup group, String name) {
    String prefix = name + "/";
    TreeMap<String, Function<StorePath, ZarrNode>> inner = new TreeMap<>();
    nodes.tailMap(prefix).entrySet().stream()
        .takeWhile(e -> e.getKey().startsWith(prefix))
        .forEach(e -> inner.put(e.getKey().substring(prefix.length()), e.getValue()));
    Set<String> innerArrays =
        inner.keySet().stream()
            .filter(own -> arrays.contains(prefix + own))
            .collect(Collectors.toSet());
    return inner.isEmpty() && group.isConsolidated()
        ? group
        : new ZarrGroup(
            group.path(),
            group.zarrFormat(),
            group.attributes(),
            Optional.of(new ConsolidatedMetadata(inner, innerArrays)));
  }
}
