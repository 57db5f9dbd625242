package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.TimeUnit64;
import io.arraymorph.layout.codec.ElementLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A data type with its byte order, as numpy and Zarr v2 write it: {@code <i4}, {@code >M8[us]}, or
 * a list of fields.
 *
 * @param type what an element is
 * @param layout how it is stored; absent for object arrays, which a filter turns into bytes
 */
record StoredType(DataType type, Optional<ElementLayout> layout) {
  private static final int MAX_DEPTH = 16;
  private static final Pattern NUMPY =
      Pattern.compile("([<>|])([biufcMmSUVO])([0-9]{0,8})(?:\\[([0-9]{0,9})([A-Za-zμ]+)\\])?");

  /** The type of elements in object arrays, before a filter tells what they are. */
  static final DataType OBJECT = new DataType.VariableBytes();

  /** Reads a data type; {@code reader} is for messages. */
  static StoredType parse(JsonNode node, MetadataReader reader) {
    return parse(node, reader, 0);
  }

  private static StoredType parse(JsonNode node, MetadataReader reader, int depth) {
    if (node.isArray() && !node.isEmpty() && depth <= MAX_DEPTH) {
      return struct(node, reader, depth);
    }
    Matcher text = NUMPY.matcher(node.isTextual() ? node.textValue() : "");
    if (!text.matches()) {
      throw unknown(node, reader);
    }
    if (text.group(2).equals("O")) {
      if (!text.group(3).isEmpty()) {
        throw unknown(node, reader);
      }
      return new StoredType(OBJECT, Optional.empty());
    }
    int size = text.group(3).isEmpty() ? 0 : Integer.parseInt(text.group(3));
    DataType type = plain(text, size).orElseThrow(() -> unknown(node, reader));
    if (type.byteWidth() < 1 || type.byteWidth() > DataTypesV3.MAX_ELEMENT_BYTES) {
      throw unknown(node, reader);
    }
    ByteOrder order = text.group(1).equals(">") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    return new StoredType(type, Optional.of(ElementLayout.of(type, order)));
  }

  private static RuntimeException unknown(JsonNode node, MetadataReader reader) {
    return reader.unsupported(
        ErrorCode.UNSUPPORTED_TYPE, "dtype " + MetadataReader.shown(node) + " is not known");
  }

  private static Optional<DataType> plain(Matcher text, int size) {
    boolean time = text.group(2).equals("M") || text.group(2).equals("m");
    if ((text.group(5) != null) != time) {
      return Optional.empty();
    }
    switch (text.group(2)) {
      case "b":
        return size == 1 ? Optional.of(new DataType.Bool()) : Optional.empty();
      case "i":
      case "u":
        return size == 1 || size == 2 || size == 4 || size == 8
            ? Optional.of(new DataType.Int(8 * size, text.group(2).equals("i")))
            : Optional.empty();
      case "f":
        return format(size).map(DataType.Float::new);
      case "c":
        return size == 8 || size == 16
            ? format(size / 2).map(DataType.Complex::new)
            : Optional.empty();
      case "S":
        return Optional.of(new DataType.NullTerminatedBytes(size));
      case "U":
        return size > DataTypesV3.MAX_ELEMENT_BYTES / 4
            ? Optional.empty()
            : Optional.of(new DataType.FixedLengthUtf32(size));
      case "V":
        return Optional.of(new DataType.RawBytes(size));
      default:
        return size == 8 ? time(text) : Optional.empty();
    }
  }

  private static Optional<FloatFormat> format(int bytes) {
    switch (bytes) {
      case 2:
        return Optional.of(FloatFormat.FLOAT16);
      case 4:
        return Optional.of(FloatFormat.FLOAT32);
      case 8:
        return Optional.of(FloatFormat.FLOAT64);
      default:
        return Optional.empty();
    }
  }

  private static Optional<DataType> time(Matcher text) {
    Optional<TimeUnit64> unit = DataTypesV3.timeUnit(text.group(5));
    int scale = text.group(4).isEmpty() ? 1 : Integer.parseInt(text.group(4));
    if (unit.isEmpty() || unit.get() == TimeUnit64.GENERIC || scale < 1) {
      return Optional.empty();
    }
    return Optional.of(
        text.group(2).equals("M")
            ? new DataType.DateTime64(unit.get(), scale)
            : new DataType.TimeDelta64(unit.get(), scale));
  }

  private static StoredType struct(JsonNode list, MetadataReader reader, int depth) {
    List<DataType.Struct.Field> fields = new ArrayList<>();
    List<ElementLayout> layouts = new ArrayList<>();
    Set<String> names = new HashSet<>();
    long width = 0;
    for (JsonNode field : list) {
      if (!field.isArray() || field.size() != 2 || !field.get(0).isTextual()) {
        throw reader.unsupported(
            ErrorCode.UNSUPPORTED_TYPE,
            "field " + MetadataReader.shown(field) + " of dtype is not a name and a type");
      }
      StoredType inner = parse(field.get(1), reader, depth + 1);
      String name = field.get(0).textValue();
      if (inner.layout().isEmpty() || !names.add(name)) {
        throw reader.unsupported(
            ErrorCode.UNSUPPORTED_TYPE, "field '" + name + "' is an object or given twice");
      }
      width += inner.type().byteWidth();
      fields.add(new DataType.Struct.Field(name, inner.type()));
      layouts.add(inner.layout().get());
    }
    if (width > DataTypesV3.MAX_ELEMENT_BYTES) {
      throw reader.invalid("an element has " + width + " bytes");
    }
    return new StoredType(new DataType.Struct(fields), Optional.of(ElementLayout.struct(layouts)));
  }
}
