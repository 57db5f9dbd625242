package io.arraymorph.layout.dataset;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrGroup;
import io.arraymorph.layout.zarr.ZarrNode;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The arrays among which coordinates are looked for. */
final class GroupArrays {
  private static final Logger LOG = LoggerFactory.getLogger(GroupArrays.class);

  private GroupArrays() {}

  /** The arrays directly in a group. */
  static List<NamedArray> of(ZarrGroup group) {
    return named(group.children());
  }

  private static List<NamedArray> named(List<? extends ZarrNode> nodes) {
    List<NamedArray> arrays = new ArrayList<>();
    for (ZarrNode node : nodes) {
      if (node instanceof ZarrArray) {
        arrays.add(NamedArray.of(node.name(), (ZarrArray) node));
      }
    }
    return arrays;
  }

  /**
   * The arrays in the group at a path below another and in the groups above it, up to that other:
   * dimensions of a group hold in the groups below.
   *
   * @param parent as {@code a/b}, empty for the group itself
   */
  static List<NamedArray> nearestFirst(ZarrGroup group, String parent) {
    List<NamedArray> arrays = new ArrayList<>();
    for (String path = parent; !path.isEmpty(); path = above(path)) {
      ZarrNode node = group.child(path);
      if (node instanceof ZarrGroup) {
        arrays.addAll(of((ZarrGroup) node));
      }
    }
    arrays.addAll(of(group));
    return arrays;
  }

  private static String above(String path) {
    int slash = path.lastIndexOf('/');
    return slash < 0 ? "" : path.substring(0, slash);
  }

  /**
   * The arrays beside one that was opened by its own path: all if their metadata come with the
   * group's, else those named as its dimensions. None if nothing there can be read: an array is
   * worth opening without the right to see its neighbours.
   */
  static List<NamedArray> around(ZarrArray array, NamedArray chosen) {
    List<String> wanted = new ArrayList<>();
    for (int d = 0; d < chosen.shape().rank(); d++) {
      String name = chosen.dimensionNames().get(d);
      if (!name.startsWith("dim_" + d) && !name.equals(array.name())) {
        wanted.add(name);
      }
    }
    StorePath path = array.path();
    if (wanted.isEmpty() || path.key().isEmpty()) {
      return List.of();
    }
    StorePath parent = new StorePath(path.store(), above(path.key()));
    try {
      Optional<ZarrGroup> group = ZarrNodes.findGroup(parent, array.zarrFormat());
      if (group.isEmpty()) {
        return List.of();
      }
      return group.get().isConsolidated() ? of(group.get()) : named(group.get().arrays(wanted));
    } catch (ArrayMorphException e) {
      switch (e.code()) {
        case ACCESS_DENIED:
        case METADATA_INVALID:
        case UNSUPPORTED_FEATURE:
        case TOO_LARGE:
        case INVALID_URI:
          LOG.warn("{} is read without coordinates: {}", path, e.getMessage());
          return List.of();
        default:
          throw e;
      }
    }
  }
}
