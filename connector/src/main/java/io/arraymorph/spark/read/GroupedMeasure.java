package io.arraymorph.spark.read;

import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.column.Validity;

/**
 * The running values of one aggregate in some groups.
 *
 * <p>Order and equality are those of Spark: NaN is above every number, NULL takes no part. A sum of
 * 64-bit integers that would overflow is put aside and begun anew: Spark adds the parts and itself
 * decides what an overflow means. One thread.
 */
final class GroupedMeasure {
  private static final int RUN = 2048;

  private final Measure measure;
  private final long[] counts;
  private final long[] longs;
  private final double[] doubles;
  private final SpilledSums spilled = new SpilledSums();
  private final long[] longRun = new long[RUN];
  private final double[] doubleRun = new double[RUN];
  private final long flip;

  GroupedMeasure(Measure measure, int groups) {
    this.measure = measure;
    this.counts = new long[groups];
    this.longs = !measure.isCount() && !measure.isFloating() ? new long[groups] : null;
    this.doubles = !measure.isCount() && measure.isFloating() ? new double[groups] : null;
    this.flip = measure.isUnsigned() ? Long.MIN_VALUE : 0;
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

  /** Adds those of consecutive cells that take part. */
  void addTaking(Validity taking, int from, int count, int group, int step) {
    for (int i = 0; i < count; i++) {
      counts[group + step * i] += taking.isNull(from + i) ? 0 : 1;
    }
  }

  /**
   * Adds consecutive values of a column.
   *
   * @param group of the first value
   * @param step 0 if all values are of that group, 1 if each next one is of the next
   */
  void add(DecodedColumn column, int from, int count, int group, int step) {
    boolean nulls = column.validity().hasNulls();
    if (measure.kind() == Measure.Kind.COUNT && !nulls) {
      addCells(count, group, step, count);
      return;
    }
    for (int done = 0; done < count; done += RUN) {
      int run = Math.min(RUN, count - done);
      int first = from + done;
      int target = group + step * done;
      if (measure.isCount()) {
        addTaking(column.validity(), first, run, target, step);
      } else if (doubles != null) {
        RunLoader.load(column, first, run, doubleRun);
        if (step == 0) {
          addToOne(
              doubleRun, nulls ? RunLoader.compact(column, first, run, doubleRun) : run, target);
        } else {
          addToEach(column, nulls, first, run, target);
        }
      } else {
        RunLoader.load(column, first, run, longRun);
        if (step == 0) {
          addToOne(longRun, nulls ? RunLoader.compact(column, first, run, longRun) : run, target);
        } else {
          for (int i = 0; i < run; i++) {
            if (!nulls || !column.isNull(first + i)) {
              addOne(longRun[i], target + i);
            }
          }
        }
      }
    }
  }

  private void addToOne(double[] values, int n, int group) {
    if (n == 0) {
      return;
    }
    if (isSum()) {
      // Four sums at a time: a processor adds them side by side.
      double a = 0;
      double b = 0;
      double c = 0;
      double d = 0;
      int i = 0;
      for (; i + 3 < n; i += 4) {
        a += values[i];
        b += values[i + 1];
        c += values[i + 2];
        d += values[i + 3];
      }
      for (; i < n; i++) {
        a += values[i];
      }
      doubles[group] += (a + b) + (c + d);
    } else {
      double best = counts[group] == 0 ? values[0] : doubles[group];
      boolean max = measure.kind() == Measure.Kind.MAX;
      for (int i = 0; i < n; i++) {
        best = max ? greater(best, values[i]) : lesser(best, values[i]);
      }
      doubles[group] = best;
    }
    counts[group] += n;
  }

  private boolean isSum() {
    return measure.kind() == Measure.Kind.SUM;
  }

  private static double greater(double best, double value) {
    return value > best || Double.isNaN(value) ? value : best;
  }

  private static double lesser(double best, double value) {
    return value < best || Double.isNaN(best) ? value : best;
  }

  private void addToEach(DecodedColumn column, boolean nulls, int first, int run, int group) {
    if (isSum() && !nulls) {
      for (int i = 0; i < run; i++) {
        doubles[group + i] += doubleRun[i];
        counts[group + i]++;
      }
      return;
    }
    for (int i = 0; i < run; i++) {
      if (nulls && column.isNull(first + i)) {
        continue;
      }
      int g = group + i;
      double value = doubleRun[i];
      if (isSum()) {
        doubles[g] += value;
      } else if (counts[g] == 0) {
        doubles[g] = value;
      } else {
        doubles[g] =
            measure.kind() == Measure.Kind.MAX
                ? greater(doubles[g], value)
                : lesser(doubles[g], value);
      }
      counts[g]++;
    }
  }

  private void addToOne(long[] values, int n, int group) {
    if (n == 0) {
      return;
    }
    if (measure.kind() == Measure.Kind.SUM) {
      if (measure.type().byteWidth() == 8) {
        for (int i = 0; i < n; i++) {
          addOne(values[i], group);
        }
        return;
      }
      // At most 2^31 values of 32 bits in a block: no overflow within, and none after checking.
      long sum = 0;
      for (int i = 0; i < n; i++) {
        sum += values[i];
      }
      addOne(sum, group);
      counts[group] += n - 1;
      return;
    }
    boolean max = measure.kind() == Measure.Kind.MAX;
    long best = (counts[group] == 0 ? values[0] : longs[group]) ^ flip;
    for (int i = 0; i < n; i++) {
      long value = values[i] ^ flip;
      best = max ? Math.max(best, value) : Math.min(best, value);
    }
    longs[group] = best ^ flip;
    counts[group] += n;
  }

  private void addOne(long value, int g) {
    if (measure.kind() == Measure.Kind.SUM) {
      long before = longs[g];
      long sum = before + value;
      boolean overflows =
          flip != 0 ? Long.compareUnsigned(sum, before) < 0 : ((before ^ sum) & (value ^ sum)) < 0;
      if (overflows) {
        spilled.add(g, before);
        sum = value;
      }
      longs[g] = sum;
    } else if (counts[g] == 0
        || (measure.kind() == Measure.Kind.MAX
            ? (value ^ flip) > (longs[g] ^ flip)
            : (value ^ flip) < (longs[g] ^ flip))) {
      longs[g] = value;
    }
    counts[g]++;
  }

  /** What is computed. */
  Measure measure() {
    return measure;
  }

  /** Parts of sums that did not fit, each to be given in a row of its own. */
  SpilledSums spilled() {
    return spilled;
  }

  /** The number of values that took part in a group. */
  long count(int group) {
    return counts[group];
  }

  /** The result of a group of a measure in integers. */
  long longAt(int group) {
    return measure.isCount() ? counts[group] : longs[group];
  }

  /** The result of a group of a measure in floating point numbers. */
  double doubleAt(int group) {
    return doubles[group];
  }
}
