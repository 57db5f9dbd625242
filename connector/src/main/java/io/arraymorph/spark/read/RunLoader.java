package io.arraymorph.spark.read;

import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.column.LittleEndianBytes;

/** Runs of a column's values as primitive arrays: one plain loop for each width. */
final class RunLoader {
  private RunLoader() {}

  /** Values of FLOAT and DOUBLE. */
  static void load(DecodedColumn column, int first, int n, double[] into) {
    byte[] bytes = column.values();
    int width = column.type().byteWidth();
    int at = column.valuesOffset() + first * width;
    if (column.type() == Scalar.FLOAT) {
      for (int i = 0; i < n; i++) {
        into[i] = LittleEndianBytes.getFloat(bytes, at + 4 * i);
      }
    } else {
      for (int i = 0; i < n; i++) {
        into[i] = LittleEndianBytes.getDouble(bytes, at + 8 * i);
      }
    }
  }

  /** Values of integral storage. */
  static void load(DecodedColumn column, int first, int n, long[] into) {
    byte[] bytes = column.values();
    int width = column.type().byteWidth();
    int at = column.valuesOffset() + first * width;
    switch (width) {
      case 1:
        for (int i = 0; i < n; i++) {
          into[i] = bytes[at + i];
        }
        break;
      case 2:
        for (int i = 0; i < n; i++) {
          into[i] = LittleEndianBytes.getShort(bytes, at + 2 * i);
        }
        break;
      case 4:
        for (int i = 0; i < n; i++) {
          into[i] = LittleEndianBytes.getInt(bytes, at + 4 * i);
        }
        break;
      default:
        for (int i = 0; i < n; i++) {
          into[i] = LittleEndianBytes.getLong(bytes, at + 8 * i);
        }
    }
  }

  /** Moves the values that are not NULL to the front; how many they are. */
  static int compact(DecodedColumn column, int first, int n, double[] values) {
    byte[] bits = column.validity().bits();
    int kept = 0;
    for (int i = 0; i < n; i++) {
      values[kept] = values[i];
      kept += bits[(first + i) >> 3] >> ((first + i) & 7) & 1;
    }
    return kept;
  }

  /** As above. */
  static int compact(DecodedColumn column, int first, int n, long[] values) {
    byte[] bits = column.validity().bits();
    int kept = 0;
    for (int i = 0; i < n; i++) {
      values[kept] = values[i];
      kept += bits[(first + i) >> 3] >> ((first + i) & 7) & 1;
    }
    return kept;
  }
}
