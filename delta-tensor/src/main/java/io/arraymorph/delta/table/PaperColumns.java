package io.arraymorph.delta.table;

import io.arraymorph.array.Shape;
import io.arraymorph.delta.encoding.HeaderJson;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.paper.PaperColumn;
import io.arraymorph.delta.paper.PaperLayout;
import io.delta.kernel.types.ArrayType;
import io.delta.kernel.types.BinaryType;
import io.delta.kernel.types.DataType;
import io.delta.kernel.types.DoubleType;
import io.delta.kernel.types.IntegerType;
import io.delta.kernel.types.StringType;
import io.delta.kernel.types.StructType;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;

/** The paper's column layouts as schemas and properties of a Delta table. */
final class PaperColumns {
  /** Begins the property with the header of a tensor; its id follows. */
  private static final String HEADER = "arraymorph.tensors.paper.header.";

  /** The property that says how rows and columns of CSC are numbered. */
  static final String CSC = "arraymorph.tensors.paper.csc";

  /** The number of the first dimension, and that of all others: as the paper says. */
  static final String ROWS_FIRST = "rows-first";

  /** The rest and the quotient of the cell's number by the first length: as its code does. */
  static final String CODE = "code";

  private PaperColumns() {}

  static PaperLayout layout(TensorHeader header) {
    Shape shape = header.schema().shape();
    return PaperLayout.of(header.layout().encoding(), shape.rank());
  }

  /** The paper's layout that a table has by its columns. */
  static Optional<PaperLayout> layout(StructType schema) {
    return PaperLayout.of(schema.fieldNames());
  }

  /** The headers in a table's properties, by id. */
  static Map<String, TensorHeader> headers(Map<String, String> properties) {
    Map<String, TensorHeader> headers = new TreeMap<>();
    properties.forEach(
        (key, json) -> {
          if (key.startsWith(HEADER) && !json.isEmpty()) {
            headers.put(
                key.substring(HEADER.length()),
                HeaderJson.read(json.getBytes(StandardCharsets.UTF_8)));
          }
        });
    return headers;
  }

  static String headerKey(String tensorId) {
    return HEADER + tensorId;
  }

  /** The properties with which a table is created. */
  static Map<String, String> properties(PaperLayout layout) {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("parquet.compression.codec.zstd.level", "3");
    if (layout.encoding() == TensorEncoding.CSC) {
      properties.put(CSC, ROWS_FIRST);
    }
    return properties;
  }

  static StructType deltaSchema(PaperLayout layout) {
    StructType schema = new StructType();
    for (PaperColumn column : layout.columns()) {
      boolean nullable =
          column.kind() != PaperColumn.Kind.TEXT && column.kind() != PaperColumn.Kind.BYTES;
      schema = schema.add(column.name(), deltaType(column.kind()), nullable);
    }
    return schema;
  }

  private static DataType deltaType(PaperColumn.Kind kind) {
    switch (kind) {
      case TEXT:
        return StringType.STRING;
      case BYTES:
        return BinaryType.BINARY;
      case INTEGER:
        return IntegerType.INTEGER;
      case INTEGERS:
        return new ArrayType(IntegerType.INTEGER, true);
      case NUMBER:
        return DoubleType.DOUBLE;
      case NUMBERS:
        return new ArrayType(DoubleType.DOUBLE, true);
      default:
        return new ArrayType(new ArrayType(DoubleType.DOUBLE, true), true);
    }
  }

  /** The schema of a data file. */
  static MessageType parquetSchema(PaperLayout layout) {
    Types.MessageTypeBuilder schema = Types.buildMessage();
    for (PaperColumn column : layout.columns()) {
      schema.addField(parquetType(column));
    }
    return schema.named("tensor_rows");
  }

  private static Type parquetType(PaperColumn column) {
    String name = column.name();
    Type real = Types.optional(PrimitiveTypeName.DOUBLE).named("element");
    switch (column.kind()) {
      case TEXT:
        return Types.required(PrimitiveTypeName.BINARY)
            .as(LogicalTypeAnnotation.stringType())
            .named(name);
      case BYTES:
        return Types.required(PrimitiveTypeName.BINARY).named(name);
      case INTEGER:
        return Types.optional(PrimitiveTypeName.INT32).named(name);
      case INTEGERS:
        return list(Types.optional(PrimitiveTypeName.INT32).named("element"), name);
      case NUMBER:
        return Types.optional(PrimitiveTypeName.DOUBLE).named(name);
      case NUMBERS:
        return list(real, name);
      default:
        return list(list(real, "element"), name);
    }
  }

  private static Type list(Type element, String name) {
    return Types.optionalGroup()
        .as(LogicalTypeAnnotation.listType())
        .addField(Types.repeatedGroup().addField(element).named("list"))
        .named(name);
  }
}
