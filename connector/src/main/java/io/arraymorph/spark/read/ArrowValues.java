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
 * Copies runs of decoded values, one after the other, into one Arrow vector, buffer to buffer.
 *
 * <p>The vector belongs to the caller.
 */
final class ArrowValues {

  /** {@code count} values of a column from {@code first} on. */
  record Run(DecodedColumn column, int first, int count) {

    /** All values of a column. */
    static Run all(DecodedColumn column) {
      return new Run(column, 0, column.count());
    }
  }

  private ArrowValues() {}

  /** Replaces the content of a vector by the values of the runs. */
  static void fill(FieldVector vector, List<Run> runs) {
    int count = Math.toIntExact(runs.stream().mapToLong(Run::count).sum());
    if (vector instanceof org.apache.arrow.vector.complex.StructVector) {
      fillStruct((org.apache.arrow.vector.complex.StructVector) vector, runs, count);
    } else if (vector instanceof BaseVariableWidthVector) {
      fillVariable((BaseVariableWidthVector) vector, runs, count);
    } else {
      fillFixed((BaseFixedWidthVector) vector, runs, count);
    }
    vector.setValueCount(count);
  }

  private static void fillStruct(
      org.apache.arrow.vector.complex.StructVector vector, List<Run> runs, int count) {
    vector.setInitialCapacity(Math.max(1, count));
    vector.allocateNew();
    for (FieldVector child : vector.getChildrenFromFields()) {
      fill(child, runs.stream().map(run -> ofField(run, child.getName())).toList());
    }
    fillValidity(vector.getValidityBuffer(), runs);
  }

  private static Run ofField(Run run, String name) {
    int field = ArrowTypes.position((ColumnType.Struct) run.column().type(), name);
    return new Run(run.column().children().get(field), run.first(), run.count());
  }

  private static void fillFixed(BaseFixedWidthVector vector, List<Run> runs, int count) {
    vector.allocateNew(Math.max(1, count));
    ArrowBuf data = vector.getDataBuffer();
    long at = 0;
    for (Run run : runs) {
      DecodedColumn column = run.column();
      if (column.type() == Scalar.BOOLEAN) {
        for (int i = 0; i < run.count(); i++) {
          setBit(data, at + i, column.booleanAt(run.first() + i));
        }
      } else if (column.type() == Scalar.DECIMAL20) {
        for (int i = 0; i < run.count(); i++) {
          data.setLong(16 * (at + i), column.longAt(run.first() + i));
          data.setLong(16 * (at + i) + 8, 0); // unsigned, so the upper half is zero
        }
      } else {
        int width = column.type().byteWidth();
        int from = column.valuesOffset() + run.first() * width;
        data.setBytes(at * width, column.values(), from, (long) run.count() * width);
      }
      at += run.count();
    }
    fillValidity(vector.getValidityBuffer(), runs);
  }

  private static void fillVariable(BaseVariableWidthVector vector, List<Run> runs, int count) {
    long bytes = 0;
    for (Run run : runs) {
      int[] offsets = run.column().offsets();
      bytes += offsets[run.first() + run.count()] - (long) offsets[run.first()];
    }
    vector.allocateNew(Math.max(1, bytes), Math.max(1, count));
    ArrowBuf data = vector.getDataBuffer();
    ArrowBuf ends = vector.getOffsetBuffer();
    ends.setInt(0, 0);
    int row = 0;
    int end = 0;
    for (Run run : runs) {
      int[] offsets = run.column().offsets();
      int first = offsets[run.first()];
      int length = offsets[run.first() + run.count()] - first;
      data.setBytes(end, run.column().values(), first, length);
      for (int i = 1; i <= run.count(); i++) {
        ends.setInt(4L * ++row, end + offsets[run.first() + i] - first);
      }
      end += length;
    }
    fillValidity(vector.getValidityBuffer(), runs);
    vector.setLastSet(count - 1);
  }

  private static void fillValidity(ArrowBuf validity, List<Run> runs) {
    long at = 0;
    for (Run run : runs) {
      setBits(validity, at, run.count());
      if (run.column().validity().hasNulls()) {
        for (int i = 0; i < run.count(); i++) {
          if (run.column().isNull(run.first() + i)) {
            BitVectorHelper.unsetBit(validity, (int) (at + i));
          }
        }
      }
      at += run.count();
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
