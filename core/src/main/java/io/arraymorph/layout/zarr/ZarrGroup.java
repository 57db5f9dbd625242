package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open Zarr group. Immutable and thread-safe.
 *
 * <p>Its nodes come from consolidated metadata if there are any, else from a listing and one
 * request (v3) or two (v2) a node, in parallel.
 */
public final class ZarrGroup implements ZarrNode {
  private static final Logger LOG = LoggerFactory.getLogger(ZarrGroup.class);

  private final StorePath path;
  private final int zarrFormat;
  private final ObjectNode attributes;
  private final Optional<ConsolidatedMetadata> consolidated;

  ZarrGroup(
      StorePath path,
      int zarrFormat,
      ObjectNode attributes,
      Optional<ConsolidatedMetadata> consolidated) {
    this.path = path;
    this.zarrFormat = zarrFormat;
    this.attributes = attributes;
    this.consolidated = consolidated;
  }

  @Override
  public StorePath path() {
    return path;
  }

  @Override
  public ObjectNode attributes() {
    return attributes;
  }

  @Override
  public int zarrFormat() {
    return zarrFormat;
  }

  /** True if the metadata of the nodes below came with the group's own. */
  public boolean isConsolidated() {
    return consolidated.isPresent();
  }

  /** What consolidated metadata say of the nodes below, if there are any. */
  Optional<ConsolidatedMetadata> consolidated() {
    return consolidated;
  }

  /** The names of what may be direct children, ascending: one listing, or none if consolidated. */
  public List<String> childNames() {
    if (consolidated.isPresent()) {
      return consolidated.get().names().stream().filter(n -> n.indexOf('/') < 0).toList();
    }
    return MetadataObjects.childNames(path).stream().filter(NodeNames::isPath).sorted().toList();
  }

  /**
   * The arrays and groups directly below, ascending by name.
   *
   * <p>One whose metadata cannot be used is left out with a warning, so that it does not hide the
   * others; {@link #child} tells what is wrong with it.
   */
  public List<ZarrNode> children() {
    List<String> names = childNames();
    List<ZarrNode> nodes = new ArrayList<>();
    if (consolidated.isPresent()) {
      for (String name : names) {
        attempt(name, () -> consolidated.get().open(path, name)).ifPresent(nodes::add);
      }
      return nodes;
    }
    return ChildDocuments.open(path, names, zarrFormat, this::attempt);
  }

  /**
   * Those of these direct children that are arrays, in the order of the names. Without consolidated
   * metadata: one request (v3) or two (v2) a name, all at once.
   *
   * <p>One whose metadata cannot be used is left out with a warning.
   */
  public List<ZarrArray> arrays(List<String> names) {
    List<String> possible = names.stream().filter(NodeNames::isPath).toList();
    List<ZarrNode> nodes = new ArrayList<>();
    if (consolidated.isEmpty()) {
      nodes.addAll(ChildDocuments.arrays(path, possible, zarrFormat, this::attempt));
    } else {
      for (String name : possible) {
        attempt(name, () -> consolidated.get().open(path, name)).ifPresent(nodes::add);
      }
    }
    return nodes.stream().filter(ZarrArray.class::isInstance).map(ZarrArray.class::cast).toList();
  }

  /** What opens one child. */
  interface Opener {
    /** The child, or nothing if there is none. */
    Optional<ZarrNode> open();
  }

  private Optional<ZarrNode> attempt(String name, Opener opener) {
    try {
      return opener.open();
    } catch (ArrayMorphException e) {
      switch (e.code()) {
        case METADATA_INVALID:
        case UNSUPPORTED_CODEC:
        case UNSUPPORTED_TYPE:
        case UNSUPPORTED_FEATURE:
        case TOO_LARGE:
          LOG.warn("{} is left out: {}", path.resolve(name), e.getMessage());
          return Optional.empty();
        default:
          throw e;
      }
    }
  }

  /**
   * The node at a path below this group, as {@code a/b}.
   *
   * @throws ArrayMorphException UNKNOWN_ARRAY if there is none, else as {@link ZarrNodes#open}
   */
  public ZarrNode child(String name) {
    if (!NodeNames.isPath(name)) {
      throw unknown(name);
    }
    Optional<ZarrNode> known = consolidated.flatMap(c -> c.open(path, name));
    // What was added after consolidation is found by its own metadata.
    return known.or(() -> ZarrNodes.find(path.resolve(name))).orElseThrow(() -> unknown(name));
  }

  private ArrayMorphException unknown(String name) {
    List<String> names = childNames();
    return new ArrayMorphException(
        ErrorCode.UNKNOWN_ARRAY,
        path + " has no array or group '" + name + "'",
        "It holds " + names.subList(0, Math.min(20, names.size())));
  }

  /** The group's path. */
  @Override
  public String toString() {
    return path + ": group";
  }
}
