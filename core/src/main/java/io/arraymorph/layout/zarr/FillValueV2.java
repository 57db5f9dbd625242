package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.layout.codec.ElementLayout;
import java.util.Arrays;
import java.util.Base64;

/**
 * Fill values in Zarr v2 metadata: as in v3, but null stands for zero, structures are the base64 of
 * one stored record, and the number 0 is what zarr-python writes for empty text and bytes.
 */
final class FillValueV2 {
  private FillValueV2() {}

  /**
   * Reads the fill value of an array.
   *
   * @param layout how an element is stored; null for variable width
   */
  static Elements parse(
      JsonNode value, DataType type, ElementLayout layout, MetadataReader reader) {
    if (value.isNull() || isEmptyText(value, type)) {
      return FillValue.zero(type);
    }
    if (type instanceof DataType.Struct) {
      return record(value, type, layout, reader);
    }
    if (type instanceof DataType.Bool && value.isIntegralNumber()) {
      return FillValue.parse(bit(value), type, reader);
    }
    if (type instanceof DataType.Complex && value.isNumber()) {
      ArrayNode parts = MetadataJson.object().arrayNode().add(value).add(0);
      return FillValue.parse(parts, type, reader);
    }
    if (type instanceof DataType.VariableBytes && value.isTextual()) {
      return FillValue.parse(new TextNode(value.textValue()), type, reader);
    }
    return FillValue.parse(value, type, reader);
  }

  private static boolean isEmptyText(JsonNode value, DataType type) {
    boolean text =
        type instanceof DataType.FixedLengthUtf32
            || type instanceof DataType.NullTerminatedBytes
            || type instanceof DataType.RawBytes
            || type instanceof DataType.VariableString
            || type instanceof DataType.VariableBytes;
    boolean zero = value.isIntegralNumber() && value.asText().equals("0");
    return text && (zero || (value.isTextual() && value.textValue().isEmpty()));
  }

  private static JsonNode bit(JsonNode value) {
    switch (value.asText()) {
      case "0":
        return BooleanNode.FALSE;
      case "1":
        return BooleanNode.TRUE;
      default:
        return value;
    }
  }

  private static Elements record(
      JsonNode value, DataType type, ElementLayout layout, MetadataReader reader) {
    byte[] stored;
    try {
      stored = value.isTextual() ? Base64.getDecoder().decode(value.textValue()) : new byte[0];
    } catch (IllegalArgumentException e) {
      stored = new byte[0];
    }
    if (stored.length != type.byteWidth()) {
      throw reader.invalid(
          "fill_value "
              + MetadataReader.shown(value)
              + " is not the base64 of a record of "
              + type.byteWidth()
              + " bytes");
    }
    return FillValue.fixed(type, Arrays.copyOf(layout.toMemory(stored), stored.length));
  }
}
