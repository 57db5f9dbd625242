package io.arraymorph.spark.write;

import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Shape;
import io.arraymorph.array.VariableWidthElements;
import io.arraymorph.layout.zarr.write.OpenChunk;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;

/** Texts and bytes of any length. */
final class TextEncoder extends ElementEncoder {
  private final boolean text;

  TextEncoder(String column, DataType stored) {
    super(column);
    this.text = stored instanceof DataType.VariableString;
  }

  @Override
  void set(SpecializedGetters row, int ordinal, OpenChunk chunk, int offset) {
    chunk.set(offset, bytes(row, ordinal));
  }

  @Override
  Elements elements(ArrayData values, Shape shape) {
    return gather(values, shape, new byte[0]);
  }

  @Override
  Elements elementsOr(ArrayData values, Shape shape, Elements fill) {
    VariableWidthElements one = (VariableWidthElements) fill;
    byte[] absent = java.util.Arrays.copyOfRange(one.bytes(), one.offsets()[0], one.offsets()[1]);
    return gather(values, shape, absent);
  }

  private Elements gather(ArrayData values, Shape shape, byte[] forNull) {
    byte[][] parts = new byte[values.numElements()][];
    int[] offsets = new int[parts.length + 1];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = values.isNullAt(i) ? forNull : bytes(values, i);
      offsets[i + 1] = Math.addExact(offsets[i], parts[i].length);
    }
    byte[] bytes = new byte[offsets[parts.length]];
    for (int i = 0; i < parts.length; i++) {
      System.arraycopy(parts[i], 0, bytes, offsets[i], parts[i].length);
    }
    return new VariableWidthElements(
        text ? new DataType.VariableString() : new DataType.VariableBytes(), shape, offsets, bytes);
  }

  private byte[] bytes(SpecializedGetters from, int ordinal) {
    // getBytes of a UTF8String may be a view of a row that Spark reuses.
    return text ? from.getUTF8String(ordinal).getBytes().clone() : from.getBinary(ordinal).clone();
  }
}
