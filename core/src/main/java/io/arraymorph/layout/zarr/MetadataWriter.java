package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BigIntegerNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatBits;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.VariableWidthElements;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/** Data types and fill values as Zarr v3 writes them. */
final class MetadataWriter {
  private MetadataWriter() {}

  /** The member {@code data_type}. */
  static JsonNode dataType(DataType type) {
    if (type instanceof DataType.NullTerminatedBytes || type instanceof DataType.FixedLengthUtf32) {
      return extension(type, "length_bytes", new LongNode(type.byteWidth()));
    }
    if (type instanceof DataType.DateTime64) {
      DataType.DateTime64 time = (DataType.DateTime64) type;
      ObjectNode node = extension(type, "unit", new TextNode(time.unit().symbol()));
      ((ObjectNode) node.get("configuration")).put("scale_factor", time.scale());
      return node;
    }
    if (type instanceof DataType.TimeDelta64) {
      DataType.TimeDelta64 time = (DataType.TimeDelta64) type;
      ObjectNode node = extension(type, "unit", new TextNode(time.unit().symbol()));
      ((ObjectNode) node.get("configuration")).put("scale_factor", time.scale());
      return node;
    }
    if (type instanceof DataType.Struct) {
      ArrayNode fields = JsonNodeFactory.instance.arrayNode();
      for (DataType.Struct.Field field : ((DataType.Struct) type).fields()) {
        ObjectNode node = fields.addObject();
        node.put("name", field.name());
        node.set("data_type", dataType(field.type()));
      }
      return extension(type, "fields", fields);
    }
    return new TextNode(type.zarrName());
  }

  private static ObjectNode extension(DataType type, String parameter, JsonNode value) {
    ObjectNode node = MetadataJson.object();
    node.put("name", type.zarrName());
    node.putObject("configuration").set(parameter, value);
    return node;
  }

  /** The member {@code fill_value}: one element (rank 0), bit for bit. */
  static JsonNode fillValue(Elements fill) {
    if (fill instanceof VariableWidthElements) {
      VariableWidthElements one = (VariableWidthElements) fill;
      byte[] bytes = Arrays.copyOfRange(one.bytes(), one.offsets()[0], one.offsets()[1]);
      return fill.type() instanceof DataType.VariableString
          ? new TextNode(new String(bytes, StandardCharsets.UTF_8))
          : new TextNode(Base64.getEncoder().encodeToString(bytes));
    }
    FixedWidthElements one = (FixedWidthElements) fill;
    return fixed(one.type(), one.bytes(), one.offset());
  }

  private static JsonNode fixed(DataType type, byte[] bytes, int offset) {
    if (type instanceof DataType.Bool) {
      return BooleanNode.valueOf(bytes[offset] != 0);
    }
    if (type instanceof DataType.Int) {
      return integer((DataType.Int) type, bytes, offset);
    }
    if (type instanceof DataType.Float) {
      return number(((DataType.Float) type).format(), bytes, offset);
    }
    if (type instanceof DataType.Complex) {
      FloatFormat part = ((DataType.Complex) type).part();
      return JsonNodeFactory.instance
          .arrayNode()
          .add(number(part, bytes, offset))
          .add(number(part, bytes, offset + part.byteWidth()));
    }
    if (type instanceof DataType.DateTime64 || type instanceof DataType.TimeDelta64) {
      long count = get(bytes, offset, 8);
      return count == Long.MIN_VALUE ? new TextNode("NaT") : new LongNode(count);
    }
    if (type instanceof DataType.FixedLengthUtf32) {
      return new TextNode(utf32(bytes, offset, type.byteWidth()));
    }
    if (type instanceof DataType.Struct) {
      ObjectNode node = MetadataJson.object();
      int at = offset;
      for (DataType.Struct.Field field : ((DataType.Struct) type).fields()) {
        node.set(field.name(), fixed(field.type(), bytes, at));
        at += field.type().byteWidth();
      }
      return node;
    }
    byte[] raw = Arrays.copyOfRange(bytes, offset, offset + type.byteWidth());
    if (type instanceof DataType.RawBytes) {
      ArrayNode list = JsonNodeFactory.instance.arrayNode();
      for (byte b : raw) {
        list.add(b & 0xff);
      }
      return list;
    }
    return new TextNode(Base64.getEncoder().encodeToString(raw));
  }

  private static long get(byte[] bytes, int offset, int width) {
    long value = 0;
    for (int i = width - 1; i >= 0; i--) {
      value = (value << 8) | (bytes[offset + i] & 0xffL);
    }
    return value;
  }

  private static JsonNode integer(DataType.Int type, byte[] bytes, int offset) {
    int bits = 8 * type.byteWidth();
    long value = get(bytes, offset, type.byteWidth());
    if (type.signed()) {
      return new LongNode((value << (64 - bits)) >> (64 - bits));
    }
    return value >= 0
        ? new LongNode(value)
        : new BigIntegerNode(new BigInteger(Long.toUnsignedString(value)));
  }

  private static JsonNode number(FloatFormat format, byte[] bytes, int offset) {
    long bits = get(bytes, offset, format.byteWidth());
    double value = FloatBits.toDouble(format, bits);
    if (Double.isNaN(value)) {
      return bits == FloatBits.of(format, Double.NaN)
          ? new TextNode("NaN")
          : new TextNode(String.format("0x%0" + 2 * format.byteWidth() + "x", bits));
    }
    if (Double.isInfinite(value)) {
      return new TextNode(value > 0 ? "Infinity" : "-Infinity");
    }
    return new DoubleNode(value);
  }

  private static String utf32(byte[] bytes, int offset, int width) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < width; i += 4) {
      int point = (int) get(bytes, offset + i, 4);
      if (point != 0) {
        text.appendCodePoint(point);
      }
    }
    return text.toString();
  }
}
