package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.TimeUnit64;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Data types in Zarr v3 metadata: core types, raw bits, and the extensions in use. */
final class DataTypesV3 {
  /** Elements wider than this are refused. */
  static final int MAX_ELEMENT_BYTES = 1 << 24;

  private static final int MAX_DEPTH = 16;
  private static final Map<String, DataType> PLAIN = plainTypes();

  private DataTypesV3() {}

  private static Map<String, DataType> plainTypes() {
    Map<String, DataType> types = new HashMap<>();
    types.put("bool", new DataType.Bool());
    for (int bits : new int[] {2, 4, 8, 16, 32, 64}) {
      types.put("int" + bits, new DataType.Int(bits, true));
      types.put("uint" + bits, new DataType.Int(bits, false));
    }
    for (FloatFormat format : FloatFormat.values()) {
      types.put(format.zarrName(), new DataType.Float(format));
    }
    types.put("complex64", new DataType.Complex(FloatFormat.FLOAT32));
    types.put("complex128", new DataType.Complex(FloatFormat.FLOAT64));
    types.put("complex_float32", new DataType.Complex(FloatFormat.FLOAT32));
    types.put("complex_float64", new DataType.Complex(FloatFormat.FLOAT64));
    types.put("string", new DataType.VariableString());
    types.put("bytes", new DataType.VariableBytes());
    types.put("variable_length_bytes", new DataType.VariableBytes());
    return types;
  }

  /** Reads a data type. */
  static DataType parse(JsonNode node, String where) {
    return parse(node, where, 0);
  }

  private static DataType parse(JsonNode node, String where, int depth) {
    Extension type = Extension.of(node, "data type", where);
    DataType plain = PLAIN.get(type.name());
    if (plain != null) {
      type.refuseUnknown();
      return plain;
    }
    if (type.name().matches("r[0-9]{1,9}")) {
      return rawBits(type);
    }
    MetadataReader parameters = type.configuration();
    switch (type.name()) {
      case "raw_bytes":
        return new DataType.RawBytes(lengthBytes(type));
      case "null_terminated_bytes":
        return new DataType.NullTerminatedBytes(lengthBytes(type));
      case "fixed_length_utf32":
        int bytes = lengthBytes(type);
        if (bytes % 4 != 0) {
          throw parameters.invalid("'length_bytes' " + bytes + " is no multiple of 4");
        }
        return new DataType.FixedLengthUtf32(bytes / 4);
      case "numpy.datetime64":
        return new DataType.DateTime64(unit(type), scale(type));
      case "numpy.timedelta64":
        return new DataType.TimeDelta64(unit(type), scale(type));
      case "struct":
      case "structured":
        return struct(type, depth);
      default:
        throw unknown(where, type.name());
    }
  }

  private static ArrayMorphException unknown(String where, String name) {
    return MetadataJson.unsupported(
        ErrorCode.UNSUPPORTED_TYPE, where, "data type '" + name + "' is not known");
  }

  private static DataType rawBits(Extension type) {
    int bits = Integer.parseInt(type.name().substring(1));
    if (bits == 0 || bits % 8 != 0 || bits / 8 > MAX_ELEMENT_BYTES) {
      throw unknown(type.configuration().where(), type.name());
    }
    return new DataType.RawBytes(bits / 8);
  }

  private static int lengthBytes(Extension type) {
    type.refuseUnknown("length_bytes");
    type.configuration().required("length_bytes");
    return type.configuration().intOr("length_bytes", 0, 1, MAX_ELEMENT_BYTES);
  }

  private static TimeUnit64 unit(Extension type) {
    type.refuseUnknown("unit", "scale_factor");
    String symbol = type.configuration().requiredText("unit");
    return timeUnit(symbol)
        .orElseThrow(() -> type.configuration().invalid("unknown time unit '" + symbol + "'"));
  }

  /** The unit with numpy's symbol. */
  static Optional<TimeUnit64> timeUnit(String symbol) {
    for (TimeUnit64 unit : TimeUnit64.values()) {
      if (unit.symbol().equals(symbol) || (unit == TimeUnit64.MICROSECOND && symbol.equals("μs"))) {
        return Optional.of(unit);
      }
    }
    return Optional.empty();
  }

  private static int scale(Extension type) {
    return type.configuration().intOr("scale_factor", 1, 1, Integer.MAX_VALUE);
  }

  private static DataType struct(Extension type, int depth) {
    MetadataReader parameters = type.configuration();
    type.refuseUnknown("fields");
    JsonNode list = parameters.required("fields");
    if (!list.isArray() || list.isEmpty() || depth > MAX_DEPTH) {
      throw parameters.invalid("'fields' is no list of fields: " + MetadataReader.shown(list));
    }
    List<DataType.Struct.Field> fields = new ArrayList<>();
    Set<String> names = new HashSet<>();
    long width = 0;
    for (JsonNode field : list) {
      JsonNode name = field.isArray() ? field.get(0) : field.get("name");
      JsonNode inner = field.isArray() ? field.get(1) : field.get("data_type");
      if (name == null || inner == null || !name.isTextual() || field.size() != 2) {
        throw parameters.invalid(
            "field " + MetadataReader.shown(field) + " lacks a name or a data type");
      }
      if (!names.add(name.textValue())) {
        throw parameters.invalid("two fields are named '" + name.textValue() + "'");
      }
      DataType fieldType = parse(inner, parameters.where(), depth + 1);
      if (!fieldType.isFixedWidth()) {
        throw parameters.unsupported(
            ErrorCode.UNSUPPORTED_TYPE,
            "field '"
                + name.textValue()
                + "' of type "
                + fieldType.zarrName()
                + " has no fixed width");
      }
      width += fieldType.byteWidth();
      fields.add(new DataType.Struct.Field(name.textValue(), fieldType));
    }
    if (width > MAX_ELEMENT_BYTES) {
      throw parameters.invalid("an element has " + width + " bytes");
    }
    return new DataType.Struct(fields);
  }
}
