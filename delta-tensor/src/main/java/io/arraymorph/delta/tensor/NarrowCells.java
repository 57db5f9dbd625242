package io.arraymorph.delta.tensor;

import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Cells whose indices lie in as few bytes as another process needed for them: what is read of them
 * comes through the processor's caches some thousand at a time.
 *
 * <p>Immutable as long as nobody changes the arrays it shares.
 */
public final class NarrowCells implements StoredCells {
  /** Cells looked at together. */
  private static final int SOME = 1 << 14;

  private final List<IntegerColumn> columns;
  private final FixedWidthElements values;
  private final int count;
  private final long[][] wide;

  /**
   * @param columns one per dimension, each with an index for every cell
   * @param values one per cell
   */
  public NarrowCells(List<IntegerColumn> columns, FixedWidthElements values) {
    this.columns = List.copyOf(columns);
    this.values = values;
    this.count = values.count();
    this.wide = new long[columns.size()][];
    if (columns.stream().anyMatch(column -> column.count() != count)) {
      throw new IllegalArgumentException("columns of different lengths");
    }
  }

  /** The number of cells. */
  int count() {
    return count;
  }

  /** True if all cells lie in a shape, in C order, none of them twice; false if that is unclear. */
  boolean isCanonical(Shape shape) {
    long volume = 1;
    for (int d = 0; d < shape.rank(); d++) {
      long length = shape.length(d);
      if (Math.multiplyHigh(volume, length) != 0 || volume * length < 0) {
        return false;
      }
      volume *= length;
    }
    return IntStream.range(0, (count + SOME - 1) / SOME)
        .parallel()
        .allMatch(k -> isCanonical(shape, k * SOME, Math.min(count, (k + 1) * SOME)));
  }

  /** The same of the cells {@code [first, to)} and the one before. */
  private boolean isCanonical(Shape shape, int first, int to) {
    int from = Math.max(0, first - 1);
    int n = to - from;
    long[] numbers = PieceScratch.get().first(n);
    long[] column = PieceScratch.get().second(n);
    java.util.Arrays.fill(numbers, 0, n, 0);
    long outside = 0;
    for (int d = 0; d < columns.size(); d++) {
      long length = shape.length(d);
      columns.get(d).copy(from, to, column);
      for (int i = 0; i < n; i++) {
        long index = column[i];
        outside |= index | (length - 1 - index);
        numbers[i] = numbers[i] * length + index;
      }
    }
    return outside >= 0 && PackedSort.isAscending(numbers, n, 0);
  }

  /** A copy to which more can be done. */
  CellBuffer toBuffer(DataType type) {
    CellBuffer buffer = new CellBuffer(columns.size(), type);
    buffer.extend(count);
    for (int d = 0; d < columns.size(); d++) {
      copy(d, 0, count, buffer.column(d));
    }
    buffer.values().appendFirst(values, count);
    return buffer;
  }

  @Override
  public int rank() {
    return columns.size();
  }

  @Override
  public long index(int dimension, int cell) {
    return columns.get(dimension).get(cell);
  }

  @Override
  public synchronized long[] column(int dimension) {
    if (wide[dimension] == null) {
      wide[dimension] = new long[count];
      copy(dimension, 0, count, wide[dimension]);
    }
    return wide[dimension];
  }

  @Override
  public void copy(int dimension, int from, int to, long[] into) {
    columns.get(dimension).copy(from, to, into);
  }

  @Override
  public void copy(int dimension, int from, int to, int[] into) {
    IntegerColumn column = columns.get(dimension);
    for (int i = from; i < to; i++) {
      into[i - from] = (int) column.get(i);
    }
  }

  @Override
  public Elements values() {
    return values;
  }

  @Override
  public void copyValues(int from, int to, byte[] into) {
    int width = values.type().byteWidth();
    System.arraycopy(values.bytes(), values.offset() + from * width, into, 0, (to - from) * width);
  }
}
