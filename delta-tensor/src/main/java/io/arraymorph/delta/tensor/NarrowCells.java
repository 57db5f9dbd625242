package io.arraymorph.delta.tensor;

import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
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
  private final DataType type;
  private final IntegerColumn integers;
  private final int count;
  private final long[][] wide;
  private FixedWidthElements values;

  private NarrowCells(List<IntegerColumn> columns, DataType type, IntegerColumn integers, int n) {
    this.columns = List.copyOf(columns);
    this.type = type;
    this.integers = integers;
    this.count = n;
    this.wide = new long[columns.size()][];
    if (columns.stream().anyMatch(column -> column.count() != n)) {
      throw new IllegalArgumentException("columns of different lengths");
    }
  }

  /**
   * Cells and their values.
   *
   * @param columns one per dimension, each with an index for every cell
   * @param values one per cell
   */
  public static NarrowCells of(List<IntegerColumn> columns, FixedWidthElements values) {
    NarrowCells cells = new NarrowCells(columns, values.type(), null, values.count());
    cells.values = values;
    return cells;
  }

  /**
   * Cells whose values are integers from 0 to 65535 in another type.
   *
   * @param type of integers, float32 or float64
   */
  public static NarrowCells of(List<IntegerColumn> columns, DataType type, IntegerColumn values) {
    return new NarrowCells(columns, type, values, values.count());
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
    return IntStream.range(0, (int) ((count + SOME - 1L) / SOME))
        .parallel()
        .map(k -> k * SOME)
        .allMatch(first -> isCanonical(shape, first, first + Math.min(SOME, count - first)));
  }

  /** The same of the cells {@code [first, to)} and the one before. */
  private boolean isCanonical(Shape shape, int first, int to) {
    int from = Math.max(0, first - 1);
    int n = to - from;
    long[] numbers = PieceScratch.get().first(n);
    long[] column = PieceScratch.get().second(n);
    Arrays.fill(numbers, 0, n, 0);
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
    buffer.values().appendFirst(values(), count);
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
  public DataType type() {
    return type;
  }

  @Override
  public Optional<long[]> integers(int[] cells, int n) {
    if (integers == null) {
      return Optional.empty();
    }
    long[] some = new long[n];
    for (int i = 0; i < n; i++) {
      some[i] = integers.get(cells[i]);
    }
    return Optional.of(some);
  }

  @Override
  public synchronized Elements values() {
    if (values == null) {
      int[] all = SparseTensor.naturalOrder(count);
      values = (FixedWidthElements) gather(all, count);
    }
    return values;
  }

  @Override
  public Elements gather(int[] cells, int n) {
    if (integers == null) {
      return ElementVectors.gather(values, cells, 0, n);
    }
    int width = type.byteWidth();
    byte[] bytes = new byte[Math.multiplyExact(n, width)];
    for (int i = 0; i < n; i++) {
      IntegerElements.writeSmall(bytes, i * width, type, integers.get(cells[i]));
    }
    return new FixedWidthElements(type, Shape.of(n), bytes, 0);
  }

  @Override
  public void copyValues(int from, int to, byte[] into) {
    FixedWidthElements all = (FixedWidthElements) values();
    int width = type.byteWidth();
    System.arraycopy(all.bytes(), all.offset() + from * width, into, 0, (to - from) * width);
  }
}
