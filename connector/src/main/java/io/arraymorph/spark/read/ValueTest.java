package io.arraymorph.spark.read;

import io.arraymorph.array.ValueSet;
import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.column.LittleEndianBytes;

/** Which values of a column lie in a set: one plain loop over the buffer for each interval. */
final class ValueTest {
  private static final int FEW_INTERVALS = 3;
  private static final int WORD = 64;

  private ValueTest() {}

  /**
   * A new mask of the values that lie in the set.
   *
   * @param nulls whether NULLs are in the mask
   */
  static CellMask mask(DecodedColumn column, ValueSet set, boolean nulls) {
    CellMask mask = CellMask.none(column.count());
    if (set.kind() == ValueSet.Kind.DOUBLES) {
      ofDoubles(column, set, mask.words());
    } else {
      ofLongs(column, set, mask.words());
    }
    mask.retain(column.validity(), true);
    if (nulls && column.validity().hasNulls()) {
      CellMask missing = CellMask.all(column.count());
      missing.retain(column.validity(), false);
      mask.add(missing);
    }
    return mask;
  }

  private static void ofDoubles(DecodedColumn column, ValueSet set, long[] words) {
    boolean few = set.intervals() <= FEW_INTERVALS;
    double[] block = new double[WORD];
    for (int w = 0; w < words.length; w++) {
      int n = Math.min(WORD, column.count() - WORD * w);
      load(column, WORD * w, n, block);
      long word = 0;
      if (few) {
        for (int i = 0; i < set.intervals(); i++) {
          word |= within(block, n, set.leastDouble(i), set.greatestDouble(i), set.holdsNan(i));
        }
      } else {
        for (int k = 0; k < n; k++) {
          word |= (set.containsKey(ValueSet.keyOf(block[k])) ? 1L : 0L) << k;
        }
      }
      words[w] = word;
    }
  }

  private static long within(double[] block, int n, double least, double greatest, boolean nan) {
    long word = 0;
    for (int k = 0; k < n; k++) {
      word |= (block[k] >= least && block[k] <= greatest ? 1L : 0L) << k;
    }
    if (nan) {
      for (int k = 0; k < n; k++) {
        word |= (Double.isNaN(block[k]) ? 1L : 0L) << k;
      }
    }
    return word;
  }

  private static void load(DecodedColumn column, int first, int n, double[] into) {
    byte[] bytes = column.values();
    if (column.type() == Scalar.FLOAT) {
      int at = column.valuesOffset() + 4 * first;
      for (int k = 0; k < n; k++) {
        into[k] = LittleEndianBytes.getFloat(bytes, at + 4 * k);
      }
    } else {
      int at = column.valuesOffset() + 8 * first;
      for (int k = 0; k < n; k++) {
        into[k] = LittleEndianBytes.getDouble(bytes, at + 8 * k);
      }
    }
  }

  private static void ofLongs(DecodedColumn column, ValueSet set, long[] words) {
    boolean few = set.intervals() <= FEW_INTERVALS;
    long flip = set.kind() == ValueSet.Kind.UNSIGNED_LONGS ? Long.MIN_VALUE : 0;
    long[] block = new long[WORD];
    for (int w = 0; w < words.length; w++) {
      int n = Math.min(WORD, column.count() - WORD * w);
      load(column, WORD * w, n, flip, block);
      long word = 0;
      if (few) {
        for (int i = 0; i < set.intervals(); i++) {
          word |= within(block, n, set.first(i), set.last(i));
        }
      } else {
        for (int k = 0; k < n; k++) {
          word |= (set.containsKey(block[k]) ? 1L : 0L) << k;
        }
      }
      words[w] = word;
    }
  }

  private static long within(long[] block, int n, long first, long last) {
    long word = 0;
    for (int k = 0; k < n; k++) {
      word |= (block[k] >= first && block[k] <= last ? 1L : 0L) << k;
    }
    return word;
  }

  private static void load(DecodedColumn column, int first, int n, long flip, long[] into) {
    byte[] bytes = column.values();
    int width = column.type().byteWidth();
    int at = column.valuesOffset() + width * first;
    switch (width) {
      case 1:
        for (int k = 0; k < n; k++) {
          into[k] = bytes[at + k];
        }
        break;
      case 2:
        for (int k = 0; k < n; k++) {
          into[k] = LittleEndianBytes.getShort(bytes, at + 2 * k);
        }
        break;
      case 4:
        for (int k = 0; k < n; k++) {
          into[k] = LittleEndianBytes.getInt(bytes, at + 4 * k);
        }
        break;
      default:
        for (int k = 0; k < n; k++) {
          into[k] = LittleEndianBytes.getLong(bytes, at + 8 * k) ^ flip;
        }
    }
  }
}
