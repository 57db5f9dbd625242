package io.arraymorph.spark.delta;

import io.arraymorph.array.DataType;
import io.arraymorph.delta.tensor.ElementBuffer;
import io.arraymorph.delta.tensor.IntegerElements;
import java.io.Serializable;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;

/** Appends values of Spark rows and arrays to element buffers. Stateless. */
final class ElementAppender implements Serializable {
  private static final long serialVersionUID = 1L;

  private ElementAppender() {}

  /** Appends value {@code ordinal} of a row or array, which must not be NULL. */
  static void append(SpecializedGetters row, int ordinal, DataType type, ElementBuffer out) {
    if (type instanceof DataType.VariableString) {
      byte[] text = row.getUTF8String(ordinal).getBytes();
      out.appendBytes(text, 0, text.length);
      return;
    }
    if (type instanceof DataType.VariableBytes) {
      byte[] bytes = row.getBinary(ordinal);
      out.appendBytes(bytes, 0, bytes.length);
      return;
    }
    int width = type.byteWidth();
    int at = out.extend(1);
    IntegerElements.write(out.bytes(), at, width, bits(row, ordinal, type));
  }

  private static long bits(SpecializedGetters row, int ordinal, DataType type) {
    if (type instanceof DataType.Bool) {
      return row.getBoolean(ordinal) ? 1 : 0;
    }
    if (type instanceof DataType.Float) {
      return type.byteWidth() == 4
          ? Float.floatToRawIntBits(row.getFloat(ordinal))
          : Double.doubleToRawLongBits(row.getDouble(ordinal));
    }
    switch (type.byteWidth()) {
      case 1:
        return row.getByte(ordinal);
      case 2:
        return row.getShort(ordinal);
      case 4:
        return row.getInt(ordinal);
      default:
        return row.getLong(ordinal);
    }
  }
}
