package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.layout.codec.CodecChain;
import java.util.Optional;

/**
 * What the metadata of an array say, whatever the Zarr format.
 *
 * @param zarrFormat 2 or 3
 * @param codecs in the order of encoding
 * @param attributes the user's attributes, possibly empty
 * @param v2Fill the fill value that a v2 array declares; empty for null and for v3
 */
record ArrayMetadata(
    int zarrFormat,
    ArraySchema schema,
    ChunkGrid grid,
    CodecChain codecs,
    ChunkKeyEncoding keys,
    ObjectNode attributes,
    Optional<JsonNode> v2Fill) {}
