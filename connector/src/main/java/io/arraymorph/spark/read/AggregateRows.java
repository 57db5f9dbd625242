package io.arraymorph.spark.read;

import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;

/**
 * Partial results as rows: one per group that has cells, then one for each part of a sum that did
 * not fit, in which all other results are those of no cells.
 */
final class AggregateRows {
  private final List<GroupedMeasure> measures;

  /** For each row its group. */
  private final int[] groups;

  /** For each row beyond {@code plain} the measure and the part of its sum. */
  private final int[] spilledMeasure;

  private final int[] spilledPart;
  private final int plain;

  /**
   * @param kept the groups to give, ascending
   */
  AggregateRows(List<GroupedMeasure> measures, int[] kept) {
    this.measures = List.copyOf(measures);
    this.plain = kept.length;
    int spilled = measures.stream().mapToInt(m -> m.spilled().size()).sum();
    this.groups = Arrays.copyOf(kept, plain + spilled);
    this.spilledMeasure = new int[spilled];
    this.spilledPart = new int[spilled];
    int at = 0;
    for (int m = 0; m < measures.size(); m++) {
      SpilledSums sums = measures.get(m).spilled();
      for (int i = 0; i < sums.size(); i++) {
        groups[plain + at] = sums.group(i);
        spilledMeasure[at] = m;
        spilledPart[at++] = i;
      }
    }
  }

  /** The number of rows. */
  int count() {
    return groups.length;
  }

  /** The group of a row. */
  int group(int row) {
    return groups[row];
  }

  /** The results of one measure. */
  ColumnVector results(int measure) {
    return new Results(measures.get(measure), measure);
  }

  private final class Results extends HeapColumnVector {
    private final GroupedMeasure results;
    private final int number;

    Results(GroupedMeasure results, int number) {
      super(results.measure().resultType());
      this.results = results;
      this.number = number;
    }

    @Override
    public boolean hasNull() {
      return !results.measure().isCount();
    }

    @Override
    public int numNulls() {
      int nulls = 0;
      for (int row = 0; row < groups.length; row++) {
        nulls += isNullAt(row) ? 1 : 0;
      }
      return nulls;
    }

    private boolean isPartOfOther(int row) {
      return row >= plain && spilledMeasure[row - plain] != number;
    }

    @Override
    public boolean isNullAt(int row) {
      return !results.measure().isCount()
          && (isPartOfOther(row) || results.count(groups[row]) == 0);
    }

    @Override
    public byte getByte(int row) {
      return (byte) getLong(row);
    }

    @Override
    public short getShort(int row) {
      return (short) getLong(row);
    }

    @Override
    public int getInt(int row) {
      return (int) getLong(row);
    }

    @Override
    public long getLong(int row) {
      if (row < plain) {
        return results.longAt(groups[row]);
      }
      return isPartOfOther(row) ? 0 : results.spilled().sum(spilledPart[row - plain]);
    }

    @Override
    public float getFloat(int row) {
      return (float) getDouble(row);
    }

    @Override
    public double getDouble(int row) {
      return row < plain ? results.doubleAt(groups[row]) : 0;
    }

    @Override
    public Decimal getDecimal(int row, int precision, int scale) {
      return isNullAt(row)
          ? null
          : DecodedColumnVector.unsignedDecimal(getLong(row), precision, scale);
    }
  }
}
