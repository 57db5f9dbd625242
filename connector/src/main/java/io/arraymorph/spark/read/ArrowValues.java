package io.arraymorph.spark.read;

import io.arraymorph.layout.column.ColumnType;
import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.column.DecodedColumn;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.FieldVector;

/**
 * Copies decoded columns, one after the other, into one Arrow vector, buffer to buffer.
 *
 * <p>The vector belongs to the caller.
 */
final class ArrowValues {
  private ArrowValues() {}

  /** Replaces the content of a vector by the values of the columns. */
  static void fill(FieldVector vector, List<DecodedColumn> columns) {
    int count = Math.toIntExact(columns.stream().mapToLong(DecodedColumn::count).sum());
    if (vector instanceof org.apache.arrow.vector.complex.StructVector) {
      fillStruct((org.apache.arrow.vector.complex.StructVector) vector, columns, count);
    } else if (vector instanceof BaseVariableWidthVector) {
      fillVariable((BaseVariableWidthVector) vector, columns, count);
    } else {
      fillFixed((BaseFixedWidthVector) vector, columns, count);
    }
    vector.setValueCount(count);
  }

  private static void fillStruct(
      org.apache.arrow.vector.complex.StructVector vector, List<DecodedColumn> columns, int count) {
    vector.setInitialCapacity(Math.max(1, count));
    vector.allocateNew();
    for (FieldVector child : vector.getChildrenFromFields()) {
      fill(
          child,
          columns.stream()
              .map(
                  c ->
                      c.children()
                          .get(ArrowTypes.position((ColumnType.Struct) c.type(), child.getName())))
              .toList());
    }
    fillValidity(vector.getValidityBuffer(), columns);
  }

  private static void fillFixed(
      BaseFixedWidthVector vector, List<DecodedColumn> columns, int count) {
    vector.allocateNew(Math.max(1, count));
    ArrowBuf data = vector.getDataBuffer();
    long at = 0;
    for (DecodedColumn column : columns) {
      if (column.type() == Scalar.BOOLEAN) {
        for (int i = 0; i < column.count(); i++) {
          setBit(data, at + i, column.booleanAt(i));
        }
      } else if (column.type() == Scalar.DECIMAL20) {
        for (int i = 0; i < column.count(); i++) {
          data.setLong(16 * (at + i), column.longAt(i));
          data.setLong(16 * (at + i) + 8, 0); // unsigned, so the upper half is zero
        }
      } else {
        int width = column.type().byteWidth();
        data.setBytes(
            at * width, column.values(), column.valuesOffset(), (long) column.count() * width);
      }
      at += column.count();
    }
    fillValidity(vector.getValidityBuffer(), columns);
  }

  private static void fillVariable(
      BaseVariableWidthVector vector, List<DecodedColumn> columns, int count) {
    long bytes = 0;
    for (DecodedColumn column : columns) {
      int[] offsets = column.offsets();
      bytes += offsets[column.count()] - (long) offsets[0];
    }
    vector.allocateNew(Math.max(1, bytes), Math.max(1, count));
    ArrowBuf data = vector.getDataBuffer();
    ArrowBuf ends = vector.getOffsetBuffer();
    ends.setInt(0, 0);
    int row = 0;
    int end = 0;
    for (DecodedColumn column : columns) {
      int[] offsets = column.offsets();
      int first = offsets[0];
      int length = offsets[column.count()] - first;
      data.setBytes(end, column.values(), first, length);
      for (int i = 0; i < column.count(); i++) {
        ends.setInt(4L * ++row, end + offsets[i + 1] - first);
      }
      end += length;
    }
    fillValidity(vector.getValidityBuffer(), columns);
    vector.setLastSet(count - 1);
  }

  private static void fillValidity(ArrowBuf validity, List<DecodedColumn> columns) {
    long at = 0;
    for (DecodedColumn column : columns) {
      setBits(validity, at, column.count());
      if (column.validity().hasNulls()) {
        for (int i = 0; i < column.count(); i++) {
          if (column.isNull(i)) {
            BitVectorHelper.unsetBit(validity, (int) (at + i));
          }
        }
      }
      at += column.count();
    }
  }

  private static void setBits(ArrowBuf bits, long from, long count) {
    long at = from;
    long end = from + count;
    while (at < end && (at & 7) != 0) {
      setBit(bits, at++, true);
    }
    long wholeBytes = (end - at) >> 3;
    bits.setOne(at >> 3, wholeBytes);
    at += wholeBytes << 3;
    while (at < end) {
      setBit(bits, at++, true);
    }
  }

  private static void setBit(ArrowBuf bits, long at, boolean value) {
    int mask = 1 << (at & 7);
    byte current = bits.getByte(at >> 3);
    bits.setByte(at >> 3, value ? current | mask : current & ~mask);
  }
}
