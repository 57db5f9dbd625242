package io.arraymorph.spark.delta;

import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.spark.read.DecodedColumnVector;
import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.unsafe.types.UTF8String;

/** Makes rows of dense pieces of one tensor. */
final class TensorRows {
  private final TensorHeader header;
  private final StructType schema;
  private final CfDecoding values;

  TensorRows(TensorHeader header, StructType schema) {
    this.header = header;
    this.schema = schema;
    this.values = CfDecoding.raw(header.schema().dataType());
  }

  TensorHeader header() {
    return header;
  }

  /**
   * The row of a piece: dimension columns have its first indices.
   *
   * @param elements gives the piece's elements, row-major; asked for if a column needs them
   */
  InternalRow row(Hyperslab slab, Supplier<Elements> elements) {
    List<String> dimensions = header.schema().dimensionNames();
    Object[] cells = new Object[schema.size()];
    int column = 0;
    for (StructField field : schema.fields()) {
      int d = dimensions.indexOf(field.name());
      if (d >= 0) {
        cells[column] = slab.range(d).start();
      } else if (field.name().equals(TensorColumns.valueColumn(header))) {
        cells[column] = tensor(slab, elements, (StructType) field.dataType());
      } else if (field.name().equals(TensorColumns.TENSOR)) {
        cells[column] = UTF8String.fromString(header.tensorId());
      } else if (TensorMetadata.isMetadata(field.name())) {
        cells[column] = TensorMetadata.value(field, header, slab);
      }
      column++;
    }
    return new GenericInternalRow(cells);
  }

  /** The struct with the fields that were asked for. */
  private InternalRow tensor(Hyperslab slab, Supplier<Elements> elements, StructType struct) {
    Object[] parts = new Object[struct.size()];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = struct.fields()[i].name().equals("data") ? data(elements.get()) : shape(slab);
    }
    return new GenericInternalRow(parts);
  }

  private ArrayData data(Elements packed) {
    DecodedColumn column = values.decode(packed);
    return new ColumnarArray(new DecodedColumnVector(column), 0, packed.count());
  }

  private static ArrayData shape(Hyperslab slab) {
    int[] shape = new int[slab.rank()];
    for (int d = 0; d < shape.length; d++) {
      shape[d] = Math.toIntExact(slab.range(d).count());
    }
    return UnsafeArrayData.fromPrimitiveArray(shape);
  }
}
