package io.arraymorph.delta.table;

import io.arraymorph.delta.encoding.TensorHeader;
import io.delta.kernel.types.BinaryType;
import io.delta.kernel.types.ByteType;
import io.delta.kernel.types.LongType;
import io.delta.kernel.types.StringType;
import io.delta.kernel.types.StructType;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Types;

/** The columns of a tensor table, as Delta and as Parquet know them. */
final class TableColumns {
  static final String TENSOR = "tensor_id";
  static final String KIND = "kind";
  static final String PART = "part";
  static final String NNZ = "nnz";
  static final String RAW_BYTES = "raw_bytes";
  static final String ENC = "enc";
  static final String IDX = "idx";
  static final String VAL = "val";

  static final int HEADER = 0;
  static final int DATA = 1;

  private static final int SCALARS = 6 + 2 * TensorHeader.MAX_RANK;

  private TableColumns() {}

  static String low(int dimension) {
    return "lo_" + dimension;
  }

  static String high(int dimension) {
    return "hi_" + dimension;
  }

  /** The schema of the table. */
  static StructType deltaSchema() {
    StructType schema =
        new StructType()
            .add(TENSOR, StringType.STRING, false)
            .add(KIND, ByteType.BYTE, false)
            .add(PART, LongType.LONG, true);
    for (int d = 0; d < TensorHeader.MAX_RANK; d++) {
      schema = schema.add(low(d), LongType.LONG, true);
    }
    for (int d = 0; d < TensorHeader.MAX_RANK; d++) {
      schema = schema.add(high(d), LongType.LONG, true);
    }
    return schema
        .add(NNZ, LongType.LONG, true)
        .add(RAW_BYTES, LongType.LONG, true)
        .add(ENC, StringType.STRING, true)
        .add(IDX, BinaryType.BINARY, true)
        .add(VAL, BinaryType.BINARY, true);
  }

  /** The properties with which a table is created. */
  static Map<String, String> properties() {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("delta.dataSkippingNumIndexedCols", String.valueOf(SCALARS));
    properties.put("arraymorph.tensors.format", String.valueOf(TensorHeader.FORMAT));
    properties.put("parquet.compression.codec.zstd.level", "3");
    properties.put("parquet.page.row.count.limit", "16");
    properties.put("parquet.page.size.row.check.min", "1");
    properties.put("parquet.page.size.row.check.max", "1");
    properties.put("parquet.block.size", String.valueOf(64 << 20));
    for (String payload : new String[] {IDX, VAL}) {
      properties.put("parquet.enable.dictionary#" + payload, "false");
      properties.put("parquet.column.statistics.enabled#" + payload, "false");
    }
    return properties;
  }

  /**
   * The schema of a file of one tensor. Payloads come first, so that all that is needed to find
   * rows lies next to the footer; bounds beyond the rank are left out and read as NULL.
   */
  static MessageType parquetSchema(int rank) {
    Types.MessageTypeBuilder schema = Types.buildMessage();
    schema.optional(PrimitiveTypeName.BINARY).named(IDX);
    schema.optional(PrimitiveTypeName.BINARY).named(VAL);
    return scalars(schema, rank);
  }

  private static MessageType scalars(Types.MessageTypeBuilder schema, int rank) {
    schema.required(PrimitiveTypeName.BINARY).as(LogicalTypeAnnotation.stringType()).named(TENSOR);
    schema.required(PrimitiveTypeName.INT32).as(LogicalTypeAnnotation.intType(8, true)).named(KIND);
    schema.optional(PrimitiveTypeName.INT64).named(PART);
    for (int d = 0; d < rank; d++) {
      schema.optional(PrimitiveTypeName.INT64).named(low(d));
    }
    for (int d = 0; d < rank; d++) {
      schema.optional(PrimitiveTypeName.INT64).named(high(d));
    }
    schema.optional(PrimitiveTypeName.INT64).named(NNZ);
    schema.optional(PrimitiveTypeName.INT64).named(RAW_BYTES);
    schema.optional(PrimitiveTypeName.BINARY).as(LogicalTypeAnnotation.stringType()).named(ENC);
    return schema.named("tensor_rows");
  }
}
