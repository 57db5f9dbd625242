package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatBits;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import io.arraymorph.array.VariableWidthElements;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;

/**
 * Fill values in Zarr v3 metadata (core specification, "Fill value list", and the extension types'
 * own rules): JSON to one element, bit for bit.
 */
final class FillValue {
  private static final Shape SCALAR = Shape.of();

  private final JsonNode value;
  private final DataType type;
  private final MetadataReader reader;

  private FillValue(JsonNode value, DataType type, MetadataReader reader) {
    this.value = value;
    this.type = type;
    this.reader = reader;
  }

  /** Reads the fill value of an array of this type. */
  static Elements parse(JsonNode value, DataType type, MetadataReader reader) {
    return new FillValue(value, type, reader).element();
  }

  /** One element of zero bytes, or of no text or bytes. */
  static Elements zero(DataType type) {
    return type.isFixedWidth()
        ? fixed(type, new byte[type.byteWidth()])
        : variable(type, new byte[0]);
  }

  static Elements fixed(DataType type, byte[] bytes) {
    return new FixedWidthElements(type, SCALAR, bytes, 0);
  }

  static Elements variable(DataType type, byte[] bytes) {
    return new VariableWidthElements(type, SCALAR, new int[] {0, bytes.length}, bytes);
  }

  private RuntimeException misfit() {
    return reader.invalid(
        "fill_value " + MetadataReader.shown(value) + " does not fit " + type.zarrName());
  }

  private Elements element() {
    if (type instanceof DataType.VariableString) {
      if (!value.isTextual()) {
        throw misfit();
      }
      return variable(type, value.textValue().getBytes(StandardCharsets.UTF_8));
    }
    if (type instanceof DataType.VariableBytes) {
      return variable(type, rawBytes());
    }
    byte[] bytes = new byte[type.byteWidth()];
    write(bytes, 0);
    return fixed(type, bytes);
  }

  private void write(byte[] target, int offset) {
    if (type instanceof DataType.Bool) {
      if (!value.isBoolean()) {
        throw misfit();
      }
      target[offset] = (byte) (value.booleanValue() ? 1 : 0);
    } else if (type instanceof DataType.Int) {
      DataType.Int integer = (DataType.Int) type;
      put(target, offset, integer.byteWidth(), integer(integer.bits(), integer.signed()));
    } else if (type instanceof DataType.Float) {
      FloatFormat format = ((DataType.Float) type).format();
      put(target, offset, format.byteWidth(), floatBits(value, format));
    } else if (type instanceof DataType.Complex) {
      FloatFormat part = ((DataType.Complex) type).part();
      if (!value.isArray() || value.size() != 2) {
        throw misfit();
      }
      put(target, offset, part.byteWidth(), floatBits(value.get(0), part));
      put(target, offset + part.byteWidth(), part.byteWidth(), floatBits(value.get(1), part));
    } else if (type instanceof DataType.DateTime64 || type instanceof DataType.TimeDelta64) {
      boolean missing = value.isTextual() && value.textValue().equals("NaT");
      put(target, offset, 8, missing ? Long.MIN_VALUE : integer(64, true));
    } else if (type instanceof DataType.FixedLengthUtf32) {
      writeUtf32(target, offset);
    } else if (type instanceof DataType.Struct) {
      writeStruct(target, offset, (DataType.Struct) type);
    } else {
      byte[] bytes = rawBytes();
      boolean padded = type instanceof DataType.NullTerminatedBytes;
      if (bytes.length > type.byteWidth() || (!padded && bytes.length != type.byteWidth())) {
        throw misfit();
      }
      System.arraycopy(bytes, 0, target, offset, bytes.length);
    }
  }

  /** Writes the low bytes of {@code bits}, least significant first. */
  static void put(byte[] target, int offset, int width, long bits) {
    for (int i = 0; i < width; i++) {
      target[offset + i] = (byte) (bits >>> (8 * i));
    }
  }

  private long integer(int bits, boolean signed) {
    Optional<BigInteger> number = MetadataReader.integer(value);
    BigInteger one = BigInteger.ONE;
    BigInteger least = signed ? one.shiftLeft(bits - 1).negate() : BigInteger.ZERO;
    BigInteger most = one.shiftLeft(signed ? bits - 1 : bits).subtract(one);
    if (number.isEmpty() || number.get().compareTo(least) < 0 || number.get().compareTo(most) > 0) {
      throw misfit();
    }
    return number.get().longValue();
  }

  private long floatBits(JsonNode node, FloatFormat format) {
    if (node.isNumber()) {
      double number = node.doubleValue();
      long bits = FloatBits.of(format, number);
      boolean overflow = Double.isInfinite(FloatBits.toDouble(format, bits));
      if (overflow && !Double.isInfinite(number)) {
        throw misfit();
      }
      return bits;
    }
    if (!node.isTextual()) {
      throw misfit();
    }
    String text = node.textValue();
    switch (text) {
      case "NaN":
        return FloatBits.of(format, Double.NaN);
      case "Infinity":
        return FloatBits.of(format, Double.POSITIVE_INFINITY);
      case "-Infinity":
        return FloatBits.of(format, Double.NEGATIVE_INFINITY);
      default:
        if (!text.matches("0x[0-9a-fA-F]{" + 2 * format.byteWidth() + "}")) {
          throw misfit();
        }
        return Long.parseUnsignedLong(text.substring(2), 16);
    }
  }

  /** Bytes as base64 (zarr-python, tensorstore) or as a list of numbers (specification, zarrs). */
  private byte[] rawBytes() {
    if (value.isTextual()) {
      try {
        return Base64.getDecoder().decode(value.textValue());
      } catch (IllegalArgumentException e) {
        throw misfit();
      }
    }
    if (!value.isArray()) {
      throw misfit();
    }
    byte[] bytes = new byte[value.size()];
    for (int i = 0; i < bytes.length; i++) {
      JsonNode number = value.get(i);
      if (!number.isIntegralNumber()
          || !number.canConvertToInt()
          || number.intValue() < 0
          || number.intValue() > 255) {
        throw misfit();
      }
      bytes[i] = (byte) number.intValue();
    }
    return bytes;
  }

  private void writeUtf32(byte[] target, int offset) {
    if (!value.isTextual()) {
      throw misfit();
    }
    int[] points = value.textValue().codePoints().toArray();
    if (4 * points.length > type.byteWidth()) {
      throw misfit();
    }
    for (int i = 0; i < points.length; i++) {
      put(target, offset + 4 * i, 4, points[i]);
    }
  }

  private void writeStruct(byte[] target, int offset, DataType.Struct struct) {
    if (value.isTextual()) {
      byte[] bytes = rawBytes();
      if (bytes.length != struct.byteWidth()) {
        throw misfit();
      }
      System.arraycopy(bytes, 0, target, offset, bytes.length);
      return;
    }
    if (!value.isObject() || value.size() != struct.fields().size()) {
      throw misfit();
    }
    int at = offset;
    for (DataType.Struct.Field field : struct.fields()) {
      JsonNode part = value.get(field.name());
      if (part == null) {
        throw misfit();
      }
      new FillValue(part, field.type(), reader).write(target, at);
      at += field.type().byteWidth();
    }
  }
}
