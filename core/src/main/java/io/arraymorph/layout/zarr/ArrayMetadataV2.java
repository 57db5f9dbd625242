package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Array metadata of Zarr v2 ({@code .zarray} and {@code .zattrs}). */
final class ArrayMetadataV2 {
  private ArrayMetadataV2() {}

  /**
   * Reads the two documents. Unknown members are ignored, as the v2 specification asks.
   *
   * @param where the URI of {@code .zarray} for messages
   */
  static ArrayMetadata parse(ObjectNode document, ObjectNode attributes, String where) {
    MetadataReader reader = new MetadataReader(where, document);
    checkFormat(reader);
    Shape shape = reader.requiredShape("shape");
    Shape chunks = reader.requiredChunkShape("chunks", shape.rank());
    StoredType stored = StoredType.parse(reader.required("dtype"), reader);
    CodecsV2 codecs =
        CodecsV2.parse(
            stored,
            isFortran(reader) ? shape.rank() : 0,
            reader.optional("filters").orElse(NullNode.instance),
            reader.optional("compressor").orElse(NullNode.instance),
            reader);
    DataType type = codecs.type();
    Elements fill =
        FillValueV2.parse(
            reader.required("fill_value"), type, stored.layout().orElse(null), reader);
    return new ArrayMetadata(
        2,
        new ArraySchema(type, shape, dimensionNames(document, attributes, shape.rank()), fill),
        new RegularChunkGrid(shape, chunks),
        codecs.chain(),
        ChunkKeyEncoding.of("v2", reader, "dimension_separator", "."),
        attributes,
        reader.optional("fill_value"));
  }

  /** Checks {@code zarr_format}. */
  static void checkFormat(MetadataReader reader) {
    JsonNode format = reader.required("zarr_format");
    if (!format.isIntegralNumber() || !format.asText().equals("2")) {
      throw reader.unsupported(
          ErrorCode.UNSUPPORTED_FEATURE,
          "zarr_format " + MetadataReader.shown(format) + " is not 2");
    }
  }

  private static boolean isFortran(MetadataReader reader) {
    String order = reader.requiredText("order");
    if (!order.equals("C") && !order.equals("F")) {
      throw reader.invalid("'order' is '" + order + "', not C or F");
    }
    return order.equals("F");
  }

  /** From xarray's attribute, else from what netcdf-c keeps. */
  private static List<String> dimensionNames(ObjectNode document, ObjectNode attributes, int rank) {
    List<JsonNode> candidates =
        List.of(
            attributes.path("_ARRAY_DIMENSIONS"),
            attributes.path("_NCZARR_ARRAY").path("dimrefs"),
            attributes.path("_nczarr_array").path("dimension_references"),
            document.path("_NCZARR_ARRAY").path("dimrefs"));
    for (JsonNode list : candidates) {
      List<Optional<String>> names = new ArrayList<>();
      for (JsonNode name : list) {
        String text = name.asText();
        names.add(Optional.of(text.substring(text.lastIndexOf('/') + 1)));
      }
      if (list.isArray() && names.size() == rank) {
        return DimensionNames.complete(names, rank);
      }
    }
    return DimensionNames.complete(List.of(), rank);
  }
}
