package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.store.StorePath;

/** A node of a Zarr hierarchy: an array or a group. Immutable and thread-safe. */
public sealed interface ZarrNode permits ZarrArray, ZarrGroup {

  /** Where the node lies. */
  StorePath path();

  /** The last segment of the path; empty for the root of a store. */
  default String name() {
    return path().name();
  }

  /** The user's attributes, possibly empty; not to be changed. */
  ObjectNode attributes();

  /** 2 or 3. */
  int zarrFormat();
}
