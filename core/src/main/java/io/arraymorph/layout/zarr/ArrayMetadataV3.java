package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.codec.CodecChain;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Array metadata of Zarr v3 ({@code zarr.json} with node type {@code array}). */
final class ArrayMetadataV3 {
  private static final Set<String> MEMBERS =
      Set.of(
          "zarr_format",
          "node_type",
          "shape",
          "data_type",
          "chunk_grid",
          "chunk_key_encoding",
          "fill_value",
          "codecs",
          "attributes",
          "storage_transformers",
          "dimension_names");

  private ArrayMetadataV3() {}

  /** Reads a document; {@code where} is its URI for messages. */
  static ArrayMetadata parse(ObjectNode document, String where) {
    MetadataReader reader = new MetadataReader(where, document);
    checkFormat(reader, "array");
    reader.refuseUnknown(MEMBERS);
    Shape shape = reader.requiredShape("shape");
    DataType type = DataTypesV3.parse(reader.required("data_type"), where);
    ChunkGrid grid = ChunkGrids.parse(reader.required("chunk_grid"), shape, where);
    ChunkKeyEncoding keys = ChunkKeyEncoding.parse(reader.required("chunk_key_encoding"), where);
    Elements fill = FillValue.parse(reader.required("fill_value"), type, reader);
    CodecChain codecs = CodecsV3.parse(reader.required("codecs"), type, shape.rank(), where);
    refuseStorageTransformers(reader);
    List<String> names =
        DimensionNames.complete(dimensionNames(reader, shape.rank()), shape.rank());
    return new ArrayMetadata(
        3,
        new ArraySchema(type, shape, names, fill),
        grid,
        codecs,
        keys,
        reader.objectOrEmpty("attributes"),
        Optional.empty());
  }

  /** Checks {@code zarr_format} and {@code node_type}. */
  static void checkFormat(MetadataReader reader, String nodeType) {
    JsonNode format = reader.required("zarr_format");
    if (!format.isIntegralNumber() || !format.asText().equals("3")) {
      throw reader.unsupported(
          ErrorCode.UNSUPPORTED_FEATURE,
          "zarr_format " + MetadataReader.shown(format) + " in zarr.json is not 3");
    }
    String type = reader.requiredText("node_type");
    if (!type.equals(nodeType)) {
      throw reader.invalid("node_type '" + type + "' is not '" + nodeType + "'");
    }
  }

  private static void refuseStorageTransformers(MetadataReader reader) {
    Optional<JsonNode> transformers = reader.optional("storage_transformers");
    if (transformers.isPresent()
        && (!transformers.get().isArray() || !transformers.get().isEmpty())) {
      throw reader.unsupported(
          ErrorCode.UNSUPPORTED_FEATURE,
          "storage transformers " + MetadataReader.shown(transformers.get()));
    }
  }

  private static List<Optional<String>> dimensionNames(MetadataReader reader, int rank) {
    Optional<JsonNode> list = reader.optional("dimension_names");
    if (list.isEmpty()) {
      return List.of();
    }
    if (!list.get().isArray() || list.get().size() != rank) {
      throw reader.invalid(
          "dimension_names " + MetadataReader.shown(list.get()) + " are not " + rank + " names");
    }
    List<Optional<String>> names = new ArrayList<>();
    for (JsonNode name : list.get()) {
      if (!name.isTextual() && !name.isNull()) {
        throw reader.invalid("dimension name " + MetadataReader.shown(name) + " is no text");
      }
      names.add(Optional.ofNullable(name.textValue()));
    }
    return names;
  }
}
