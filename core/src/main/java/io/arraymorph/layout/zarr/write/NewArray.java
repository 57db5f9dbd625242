package io.arraymorph.layout.zarr.write;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.layout.zarr.ZarrArraySpec;

/**
 * An array that is to be created.
 *
 * @param member its name in the group; empty if it is the target itself
 * @param spec what it is
 * @param source its elements
 */
public record NewArray(String member, ZarrArraySpec spec, ArraySource source) {

  /** The attributes of a node with the mark of the write that makes it. */
  static ObjectNode marked(ObjectNode attributes, String generation) {
    ObjectNode marked = attributes.deepCopy();
    marked.putObject("_arraymorph").put("generation", generation);
    return marked;
  }

  /** The bytes of its {@code zarr.json}. */
  byte[] document(String generation) {
    return new ZarrArraySpec(
            spec.dataType(),
            spec.shape(),
            spec.chunkShape(),
            spec.shardShape(),
            spec.compression(),
            spec.fill(),
            spec.dimensionNames(),
            marked(spec.attributes(), generation))
        .toJson();
  }
}
