package io.arraymorph.spark.read;

import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.column.LittleEndianBytes;
import org.apache.spark.sql.vectorized.ColumnVector;

/**
 * The running values of one aggregate in some groups.
 *
 * <p>Order and equality are those of Spark: NaN is above every number, NULL takes no part. One
 * thread.
 */
final class GroupedMeasure {
  private static final int RUN = 2048;

  private final Measure measure;
  private final long[] counts;
  private final long[] longs;
  private final double[] doubles;
  private final long[] longRun = new long[RUN];
  private final double[] doubleRun = new double[RUN];

  GroupedMeasure(Measure measure, int groups) {
    this.measure = measure;
    this.counts = new long[groups];
    boolean holdsValue =
        measure.kind() != Measure.Kind.COUNT && measure.kind() != Measure.Kind.COUNT_ALL;
    this.longs = holdsValue && !measure.isFloating() ? new long[groups] : null;
    this.doubles = holdsValue && measure.isFloating() ? new double[groups] : null;
  }

  /** Adds cells that need not be looked at. */
  void addCells(long cells, int group, int step, int count) {
    if (step == 0) {
      counts[group] += cells;
    } else {
      for (int i = 0; i < count; i++) {
        counts[group + i]++;
      }
    }
  }

  /**
   * Adds consecutive values of a column.
   *
   * @param group of the first value
   * @param step 0 if all values are of that group, 1 if each next one is of the next
   */
  void add(DecodedColumn column, int from, int count, int group, int step) {
    if (measure.kind() == Measure.Kind.COUNT_ALL) {
      addCells(count, group, step, count);
      return;
    }
    boolean nulls = column.validity().hasNulls();
    for (int done = 0; done < count; done += RUN) {
      int run = Math.min(RUN, count - done);
      int first = from + done;
      int target = group + step * done;
      if (measure.kind() == Measure.Kind.COUNT) {
        addCounts(column, nulls, first, run, target, step);
      } else if (doubles != null) {
        load(column, first, run, doubleRun);
        addDoubles(column, nulls, first, run, target, step);
      } else {
        load(column, first, run, longRun);
        addLongs(column, nulls, first, run, target, step);
      }
    }
  }

  private void addCounts(
      DecodedColumn column, boolean nulls, int first, int run, int group, int step) {
    for (int i = 0; i < run; i++) {
      if (!nulls || !column.isNull(first + i)) {
        counts[group + step * i]++;
      }
    }
  }

  private void addDoubles(
      DecodedColumn column, boolean nulls, int first, int run, int group, int step) {
    if (!nulls && measure.kind() == Measure.Kind.SUM && step == 0) {
      double sum = doubles[group];
      for (int i = 0; i < run; i++) {
        sum += doubleRun[i];
      }
      doubles[group] = sum;
      counts[group] += run;
      return;
    }
    for (int i = 0; i < run; i++) {
      if (nulls && column.isNull(first + i)) {
        continue;
      }
      int g = group + step * i;
      double value = doubleRun[i];
      if (measure.kind() == Measure.Kind.SUM) {
        doubles[g] += value;
      } else if (counts[g] == 0 || isBetter(value, doubles[g])) {
        doubles[g] = value;
      }
      counts[g]++;
    }
  }

  private boolean isBetter(double value, double best) {
    return measure.kind() == Measure.Kind.MAX
        ? value > best || (Double.isNaN(value) && !Double.isNaN(best))
        : value < best || (Double.isNaN(best) && !Double.isNaN(value));
  }

  private void addLongs(
      DecodedColumn column, boolean nulls, int first, int run, int group, int step) {
    for (int i = 0; i < run; i++) {
      if (nulls && column.isNull(first + i)) {
        continue;
      }
      int g = group + step * i;
      long value = longRun[i];
      if (measure.kind() == Measure.Kind.SUM) {
        longs[g] += value;
      } else if (counts[g] == 0
          || (measure.kind() == Measure.Kind.MAX ? value > longs[g] : value < longs[g])) {
        longs[g] = value;
      }
      counts[g]++;
    }
  }

  private static void load(DecodedColumn column, int first, int run, double[] into) {
    byte[] bytes = column.values();
    int width = column.type().byteWidth();
    int at = column.valuesOffset() + first * width;
    if (width == 8) {
      for (int i = 0; i < run; i++) {
        into[i] = LittleEndianBytes.getDouble(bytes, at + 8 * i);
      }
    } else {
      for (int i = 0; i < run; i++) {
        into[i] = LittleEndianBytes.getFloat(bytes, at + 4 * i);
      }
    }
  }

  private static void load(DecodedColumn column, int first, int run, long[] into) {
    byte[] bytes = column.values();
    int width = column.type().byteWidth();
    int at = column.valuesOffset() + first * width;
    switch (width) {
      case 1:
        for (int i = 0; i < run; i++) {
          into[i] = bytes[at + i];
        }
        break;
      case 2:
        for (int i = 0; i < run; i++) {
          into[i] = LittleEndianBytes.getShort(bytes, at + 2 * i);
        }
        break;
      case 4:
        for (int i = 0; i < run; i++) {
          into[i] = LittleEndianBytes.getInt(bytes, at + 4 * i);
        }
        break;
      default:
        for (int i = 0; i < run; i++) {
          into[i] = LittleEndianBytes.getLong(bytes, at + 8 * i);
        }
    }
  }

  /** The results, one row per group; NULL where no value took part, except for counts. */
  ColumnVector results() {
    return new Results();
  }

  private final class Results extends HeapColumnVector {
    Results() {
      super(measure.resultType());
    }

    private boolean isCount() {
      return longs == null && doubles == null;
    }

    @Override
    public boolean hasNull() {
      return !isCount();
    }

    @Override
    public int numNulls() {
      int nulls = 0;
      for (int row = 0; row < counts.length; row++) {
        nulls += isNullAt(row) ? 1 : 0;
      }
      return nulls;
    }

    @Override
    public boolean isNullAt(int row) {
      return !isCount() && counts[row] == 0;
    }

    @Override
    public byte getByte(int row) {
      return (byte) longs[row];
    }

    @Override
    public short getShort(int row) {
      return (short) longs[row];
    }

    @Override
    public int getInt(int row) {
      return (int) longs[row];
    }

    @Override
    public long getLong(int row) {
      return isCount() ? counts[row] : longs[row];
    }

    @Override
    public float getFloat(int row) {
      return (float) doubles[row];
    }

    @Override
    public double getDouble(int row) {
      return doubles[row];
    }
  }
}
