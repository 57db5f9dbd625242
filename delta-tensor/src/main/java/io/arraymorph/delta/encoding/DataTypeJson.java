package io.arraymorph.delta.encoding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.TimeUnit64;
import java.util.ArrayList;
import java.util.List;

/** Data types in the vocabulary of Zarr v3: a name, or an object with name and configuration. */
public final class DataTypeJson {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final int MAX_WIDTH = 1 << 20;

  private DataTypeJson() {}

  /** The JSON of a type. */
  public static JsonNode write(DataType type) {
    ObjectNode configuration = NODES.objectNode();
    if (type instanceof DataType.NullTerminatedBytes || type instanceof DataType.FixedLengthUtf32) {
      configuration.put("length_bytes", type.byteWidth());
    } else if (type instanceof DataType.DateTime64) {
      configuration.put("unit", ((DataType.DateTime64) type).unit().symbol());
      configuration.put("scale_factor", ((DataType.DateTime64) type).scale());
    } else if (type instanceof DataType.TimeDelta64) {
      configuration.put("unit", ((DataType.TimeDelta64) type).unit().symbol());
      configuration.put("scale_factor", ((DataType.TimeDelta64) type).scale());
    } else if (type instanceof DataType.Struct) {
      for (DataType.Struct.Field field : ((DataType.Struct) type).fields()) {
        configuration.withArray("fields").addArray().add(field.name()).add(write(field.type()));
      }
    } else {
      return NODES.textNode(type.zarrName());
    }
    ObjectNode node = NODES.objectNode();
    node.put("name", type.zarrName());
    node.set("configuration", configuration);
    return node;
  }

  /** The type of a JSON; {@link IllegalArgumentException} if there is none. */
  public static DataType read(JsonNode node) {
    return node.isTextual() ? named(node.asText()) : configured(node);
  }

  private static DataType named(String name) {
    if (name.equals("bool")) {
      return new DataType.Bool();
    }
    if (name.equals("string")) {
      return new DataType.VariableString();
    }
    if (name.equals("variable_length_bytes")) {
      return new DataType.VariableBytes();
    }
    for (FloatFormat format : FloatFormat.values()) {
      DataType.Float real = new DataType.Float(format);
      if (real.zarrName().equals(name)) {
        return real;
      }
      DataType.Complex complex = new DataType.Complex(format);
      if (format.byteWidth() >= 4 && complex.zarrName().equals(name)) {
        return complex;
      }
    }
    for (int bits : new int[] {2, 4, 8, 16, 32, 64}) {
      for (boolean signed : new boolean[] {true, false}) {
        DataType.Int integer = new DataType.Int(bits, signed);
        if (integer.zarrName().equals(name)) {
          return integer;
        }
      }
    }
    if (name.matches("r[1-9][0-9]{0,6}") && Integer.parseInt(name.substring(1)) % 8 == 0) {
      return new DataType.RawBytes(bounded(Integer.parseInt(name.substring(1)) / 8));
    }
    throw new IllegalArgumentException("unknown data type " + name);
  }

  private static DataType configured(JsonNode node) {
    JsonNode configuration = node.path("configuration");
    String name = node.path("name").asText();
    switch (name) {
      case "null_terminated_bytes":
        return new DataType.NullTerminatedBytes(length(configuration));
      case "fixed_length_utf32":
        return new DataType.FixedLengthUtf32(length(configuration) / 4);
      case "numpy.datetime64":
        return new DataType.DateTime64(unit(configuration), scale(configuration));
      case "numpy.timedelta64":
        return new DataType.TimeDelta64(unit(configuration), scale(configuration));
      case "struct":
        List<DataType.Struct.Field> fields = new ArrayList<>();
        for (JsonNode field : configuration.path("fields")) {
          fields.add(new DataType.Struct.Field(field.path(0).asText(), read(field.path(1))));
        }
        DataType.Struct struct = new DataType.Struct(fields);
        bounded(struct.byteWidth());
        return struct;
      default:
        throw new IllegalArgumentException("unknown data type " + node);
    }
  }

  private static int length(JsonNode configuration) {
    return bounded(configuration.path("length_bytes").asInt(0));
  }

  private static int bounded(int width) {
    if (width < 1 || width > MAX_WIDTH) {
      throw new IllegalArgumentException("elements of " + width + " bytes");
    }
    return width;
  }

  private static int scale(JsonNode configuration) {
    return configuration.path("scale_factor").asInt(1);
  }

  private static TimeUnit64 unit(JsonNode configuration) {
    String symbol = configuration.path("unit").asText();
    for (TimeUnit64 unit : TimeUnit64.values()) {
      if (unit.symbol().equals(symbol)) {
        return unit;
      }
    }
    throw new IllegalArgumentException("unknown time unit " + symbol);
  }
}
