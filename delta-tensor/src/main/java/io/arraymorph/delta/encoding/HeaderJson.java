package io.arraymorph.delta.encoding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.array.VariableWidthElements;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Headers as JSON text, the content of column {@code val} of a header row. */
public final class HeaderJson {
  private static final ObjectMapper JSON = new ObjectMapper();

  private HeaderJson() {}

  /** The UTF-8 JSON of a header. */
  public static byte[] write(TensorHeader header) {
    ObjectNode root = JSON.createObjectNode();
    ArraySchema schema = header.schema();
    TensorLayout layout = header.layout();
    root.put("format", TensorHeader.FORMAT);
    root.put("tensor", header.tensorId());
    root.set("data_type", DataTypeJson.write(schema.dataType()));
    longs(root.putArray("shape"), schema.shape());
    schema.dimensionNames().forEach(root.putArray("dimension_names")::add);
    root.put("fill", Base64.getEncoder().encodeToString(bytes(schema.fill())));
    root.put("encoding", layout.encoding().label());
    layout.axisOrder().forEach(root.putArray("axis_order")::add);
    root.put("compressed_axes", layout.compressedAxes());
    longs(root.putArray("block"), layout.block());
    root.put("piece_cells", layout.pieceCells());
    root.put("reason", layout.reason());
    root.put("stored_cells", header.storedCells());
    ObjectNode attributes = root.putObject("attributes");
    header.attributes().forEach(attributes::put);
    return root.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static void longs(ArrayNode array, Shape shape) {
    Arrays.stream(shape.toArray()).forEach(array::add);
  }

  private static byte[] bytes(Elements fill) {
    if (fill instanceof FixedWidthElements) {
      FixedWidthElements f = (FixedWidthElements) fill;
      return Arrays.copyOfRange(f.bytes(), f.offset(), f.offset() + f.type().byteWidth());
    }
    VariableWidthElements v = (VariableWidthElements) fill;
    return Arrays.copyOfRange(v.bytes(), v.offsets()[0], v.offsets()[1]);
  }

  /**
   * Reads a header.
   *
   * @throws ArrayMorphException UNSUPPORTED_FEATURE for a later format, METADATA_INVALID for what
   *     is not a header
   */
  public static TensorHeader read(byte[] json) {
    try {
      JsonNode root = JSON.readTree(json);
      int format = required(root, "format").asInt(-1);
      if (format < 1 || format > TensorHeader.FORMAT) {
        throw new ArrayMorphException(
            ErrorCode.UNSUPPORTED_FEATURE,
            "tensor " + root.path("tensor") + " has format " + root.path("format"),
            "This version reads formats up to " + TensorHeader.FORMAT + "; upgrade arraymorph");
      }
      DataType type = DataTypeJson.read(required(root, "data_type"));
      byte[] fill = Base64.getDecoder().decode(required(root, "fill").asText());
      List<String> names = new ArrayList<>();
      required(root, "dimension_names").forEach(n -> names.add(n.asText()));
      ArraySchema schema =
          new ArraySchema(type, shape(required(root, "shape")), names, scalar(type, fill));
      List<Integer> axes = new ArrayList<>();
      required(root, "axis_order").forEach(n -> axes.add(n.asInt(-1)));
      TensorLayout layout =
          new TensorLayout(
              TensorEncoding.of(required(root, "encoding").asText()),
              axes,
              required(root, "compressed_axes").asInt(-1),
              shape(required(root, "block")),
              required(root, "piece_cells").asInt(-1),
              root.path("reason").asText());
      Map<String, String> attributes = new TreeMap<>();
      root.path("attributes")
          .properties()
          .forEach(e -> attributes.put(e.getKey(), e.getValue().asText()));
      return new TensorHeader(
          required(root, "tensor").asText(),
          schema,
          layout,
          required(root, "stored_cells").asLong(),
          attributes);
    } catch (IOException | IllegalArgumentException e) {
      throw new ArrayMorphException(
          ErrorCode.METADATA_INVALID,
          "a tensor's header row does not parse: " + e.getMessage(),
          "The row was not written by arraymorph, or was damaged",
          e);
    }
  }

  private static JsonNode required(JsonNode root, String field) {
    JsonNode value = root.path(field);
    if (value.isMissingNode() || value.isNull()) {
      throw new IllegalArgumentException("no field '" + field + "'");
    }
    return value;
  }

  private static Shape shape(JsonNode array) {
    long[] lengths = new long[array.size()];
    for (int d = 0; d < lengths.length; d++) {
      if (!array.get(d).canConvertToLong()) {
        throw new IllegalArgumentException("length " + array.get(d));
      }
      lengths[d] = array.get(d).asLong();
    }
    return Shape.of(lengths);
  }

  private static Elements scalar(DataType type, byte[] bytes) {
    return type.isFixedWidth()
        ? new FixedWidthElements(type, Shape.of(), bytes, 0)
        : new VariableWidthElements(type, Shape.of(), new int[] {0, bytes.length}, bytes);
  }
}
