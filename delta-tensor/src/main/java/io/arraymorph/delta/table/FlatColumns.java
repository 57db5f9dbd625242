package io.arraymorph.delta.table;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.delta.encoding.HeaderJson;
import io.arraymorph.delta.encoding.TensorHeader;
import io.delta.kernel.types.BinaryType;
import io.delta.kernel.types.BooleanType;
import io.delta.kernel.types.ByteType;
import io.delta.kernel.types.DoubleType;
import io.delta.kernel.types.FloatType;
import io.delta.kernel.types.IntegerType;
import io.delta.kernel.types.LongType;
import io.delta.kernel.types.ShortType;
import io.delta.kernel.types.StringType;
import io.delta.kernel.types.StructType;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Types;

/**
 * The columns of a flat table, which holds one tensor as rows of plain numbers that any reader of
 * Delta tables can query: each dimension as a long, then the value; one row per stored cell.
 */
final class FlatColumns {
  /** The table property with the header's JSON. */
  static final String HEADER = "arraymorph.tensors.flat";

  /** The attribute of a header that names the value's column. */
  private static final String VALUE_NAME = "arraymorph.column";

  private FlatColumns() {}

  /** The name of the value's column. */
  static String value(TensorHeader header) {
    return header.attributes().getOrDefault(VALUE_NAME, "value");
  }

  static List<String> dimensions(TensorHeader header) {
    return header.schema().dimensionNames();
  }

  /** The header in a table's properties; the table is flat if there is a property at all. */
  static Optional<TensorHeader> header(Map<String, String> properties) {
    return Optional.ofNullable(properties.get(HEADER))
        .filter(json -> !json.isEmpty())
        .map(json -> HeaderJson.read(json.getBytes(StandardCharsets.UTF_8)));
  }

  static String property(TensorHeader header) {
    return new String(HeaderJson.write(header), StandardCharsets.UTF_8);
  }

  /** The properties with which a table is created. */
  static Map<String, String> properties(TensorHeader header) {
    Map<String, String> properties = new LinkedHashMap<>();
    int indexed = Math.max(1, header.schema().shape().rank());
    properties.put("delta.dataSkippingNumIndexedCols", String.valueOf(indexed));
    properties.put("arraymorph.tensors.format", String.valueOf(TensorHeader.FORMAT));
    properties.put(HEADER, property(header));
    properties.put("parquet.compression.codec.zstd.level", "3");
    return properties;
  }

  /** The table's schema; UNSUPPORTED_TYPE for values that have no type in Delta. */
  static StructType deltaSchema(TensorHeader header) {
    StructType schema = new StructType();
    for (String dimension : dimensions(header)) {
      schema = schema.add(dimension, LongType.LONG, false);
    }
    return schema.add(value(header), deltaType(header.schema()), false);
  }

  private static io.delta.kernel.types.DataType deltaType(ArraySchema schema) {
    DataType type = schema.dataType();
    if (type instanceof DataType.Bool) {
      return BooleanType.BOOLEAN;
    }
    if (type instanceof DataType.Int && ((DataType.Int) type).signed()) {
      switch (((DataType.Int) type).bits()) {
        case 8:
          return ByteType.BYTE;
        case 16:
          return ShortType.SHORT;
        case 32:
          return IntegerType.INTEGER;
        case 64:
          return LongType.LONG;
        default:
          throw unsupported(type);
      }
    }
    if (type instanceof DataType.Float) {
      FloatFormat format = ((DataType.Float) type).format();
      if (format == FloatFormat.FLOAT32) {
        return FloatType.FLOAT;
      }
      if (format == FloatFormat.FLOAT64) {
        return DoubleType.DOUBLE;
      }
    }
    if (type instanceof DataType.VariableString) {
      return StringType.STRING;
    }
    if (type instanceof DataType.VariableBytes) {
      return BinaryType.BINARY;
    }
    throw unsupported(type);
  }

  private static ArrayMorphException unsupported(DataType type) {
    return new ArrayMorphException(
        ErrorCode.UNSUPPORTED_TYPE,
        "values of " + type.zarrName() + " have no column in a flat table",
        "Use layout=compact, or cast to a signed integer, float32, float64, boolean, text or"
            + " bytes");
  }

  /** The schema of a data file. */
  static MessageType parquetSchema(TensorHeader header) {
    Types.MessageTypeBuilder schema = Types.buildMessage();
    for (String dimension : dimensions(header)) {
      schema.required(PrimitiveTypeName.INT64).named(dimension);
    }
    String value = value(header);
    DataType type = header.schema().dataType();
    if (type instanceof DataType.Bool) {
      schema.required(PrimitiveTypeName.BOOLEAN).named(value);
    } else if (type instanceof DataType.Int) {
      int bits = ((DataType.Int) type).bits();
      if (bits < 32) {
        schema
            .required(PrimitiveTypeName.INT32)
            .as(LogicalTypeAnnotation.intType(bits, true))
            .named(value);
      } else {
        schema
            .required(bits == 32 ? PrimitiveTypeName.INT32 : PrimitiveTypeName.INT64)
            .named(value);
      }
    } else if (type instanceof DataType.Float) {
      boolean wide = ((DataType.Float) type).format() == FloatFormat.FLOAT64;
      schema.required(wide ? PrimitiveTypeName.DOUBLE : PrimitiveTypeName.FLOAT).named(value);
    } else if (type instanceof DataType.VariableString) {
      schema.required(PrimitiveTypeName.BINARY).as(LogicalTypeAnnotation.stringType()).named(value);
    } else {
      schema.required(PrimitiveTypeName.BINARY).named(value);
    }
    return schema.named("cells");
  }
}
