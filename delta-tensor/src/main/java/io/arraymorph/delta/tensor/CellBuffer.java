package io.arraymorph.delta.tensor;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import java.util.Arrays;

/**
 * A growing list of cells: one coordinate column per dimension and the values, in any order.
 *
 * <p>Not thread-safe. At most 2^31-17 cells.
 */
public final class CellBuffer {
  private final int rank;
  private final long[][] coordinates;
  private final ElementBuffer values;
  private int count;

  /** An empty list of cells of {@code rank} coordinates. */
  public CellBuffer(int rank, DataType type) {
    this.rank = rank;
    this.coordinates = new long[rank][0];
    this.values = new ElementBuffer(type);
  }

  private CellBuffer(ElementBuffer values, int rank) {
    this.rank = rank;
    this.coordinates = new long[rank][];
    this.values = values;
  }

  /** The number of coordinates of a cell. */
  public int rank() {
    return rank;
  }

  /** The number of cells. */
  public int count() {
    return count;
  }

  /** The indices along one dimension; valid below {@link #count()}, until the next append. */
  public long[] column(int dimension) {
    return coordinates[dimension];
  }

  /** The values; who appends a cell appends one here. */
  public ElementBuffer values() {
    return values;
  }

  /** Forgets all cells and keeps the memory. */
  public void clear() {
    count = 0;
    values.truncate(0);
  }

  /** Appends {@code more} cells with coordinates to be set; returns the index of the first. */
  public int extend(int more) {
    long needed = (long) count + more;
    if (needed > Integer.MAX_VALUE - 16) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          needed + " cells do not fit into one buffer",
          "Read or write a smaller slice at a time");
    }
    int first = count;
    if (rank > 0 && needed > coordinates[0].length) {
      int capacity = (int) Math.min(Integer.MAX_VALUE - 16, Math.max(needed, needed * 3 / 2));
      for (int d = 0; d < rank; d++) {
        coordinates[d] = Arrays.copyOf(coordinates[d], first == 0 ? (int) needed : capacity);
      }
    }
    count = (int) needed;
    return first;
  }

  /** Appends all cells of another buffer of the same rank and type. */
  void append(CellBuffer more) {
    int first = extend(more.count);
    for (int d = 0; d < rank; d++) {
      System.arraycopy(more.coordinates[d], 0, coordinates[d], first, more.count);
    }
    values.append(more.values);
  }

  /** Appends one cell's coordinates; the caller appends its value. */
  public void append(long... cell) {
    int at = extend(1);
    for (int d = 0; d < rank; d++) {
      coordinates[d][at] = cell[d];
    }
  }

  /** Drops the cells from {@code first} on, all in {@code box}, that lie outside a region. */
  public void retain(int first, Region region, Box box) {
    int[] kept = null;
    int n = count - first;
    for (int d = 0; d < rank; d++) {
      if (region.containsAll(d, box.low(d), box.high(d))) {
        continue;
      }
      int from = 0;
      long[] column = coordinates[d];
      int[] passed = kept == null ? new int[n] : kept;
      boolean range = region.containsAll(d, region.first(d), region.last(d));
      long least = region.first(d);
      long greatest = region.last(d);
      for (int k = 0; k < n; k++) {
        int i = kept == null ? first + k : kept[k];
        long index = column[i];
        if (range ? index >= least && index <= greatest : region.contains(d, index)) {
          passed[from++] = i;
        }
      }
      kept = passed;
      n = from;
    }
    if (kept != null) {
      retain(first, kept, n);
    }
  }

  /** Drops the cells from {@code first} on whose number does not pass the test. */
  public void retainIf(int first, java.util.function.IntPredicate test) {
    int[] kept = new int[count - first];
    int n = 0;
    for (int i = first; i < count; i++) {
      if (test.test(i)) {
        kept[n++] = i;
      }
    }
    retain(first, kept, n);
  }

  private void retain(int first, int[] kept, int n) {
    for (long[] column : coordinates) {
      for (int k = 0; k < n; k++) {
        column[first + k] = column[kept[k]];
      }
    }
    values.retain(first, kept, n);
    count = first + n;
  }

  /** The same cells with only these dimensions; shares the columns and values. */
  CellBuffer select(java.util.List<Integer> dimensions) {
    CellBuffer selected = new CellBuffer(values, dimensions.size());
    for (int d = 0; d < dimensions.size(); d++) {
      selected.coordinates[d] = coordinates[dimensions.get(d)];
    }
    selected.count = count;
    return selected;
  }
}
