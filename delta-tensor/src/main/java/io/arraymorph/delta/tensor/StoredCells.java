package io.arraymorph.delta.tensor;

import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import java.util.Optional;

/** The coordinates and values of a tensor's stored cells. Thread-safe. */
public interface StoredCells {

  /** Cells in columns of indices, which are shared, and one value for each. */
  static StoredCells of(long[][] columns, Elements values) {
    return new Columns(columns, values);
  }

  /** The number of dimensions. */
  int rank();

  /** The index of one cell along a dimension. */
  default long index(int dimension, int cell) {
    return column(dimension)[cell];
  }

  /** The indices along a dimension; may be longer than there are cells. */
  long[] column(int dimension);

  /** Copies the indices of the cells {@code [from, to)} along a dimension. */
  void copy(int dimension, int from, int to, long[] into);

  /** As above, of a dimension no index of which is beyond 31 bits. */
  void copy(int dimension, int from, int to, int[] into);

  /** The type of the values. */
  default DataType type() {
    return values().type();
  }

  /**
   * The values of the cells with the first {@code count} of these numbers, if it is known of all
   * that they are integers from 0 to 65535.
   */
  default Optional<long[]> integers(int[] cells, int count) {
    return Optional.empty();
  }

  /** The values of all cells. */
  Elements values();

  /**
   * The values of the cells with the first {@code count} of these numbers, as a vector of their
   * own.
   */
  default Elements gather(int[] cells, int count) {
    return ElementVectors.gather(values(), cells, 0, count);
  }

  /** Copies the values, of one width, of the cells {@code [from, to)}. */
  void copyValues(int from, int to, byte[] into);

  /** Cells that lie in columns already. */
  final class Columns implements StoredCells {
    private final long[][] columns;
    private final Elements values;

    Columns(long[][] columns, Elements values) {
      this.columns = columns;
      this.values = values;
    }

    @Override
    public int rank() {
      return columns.length;
    }

    @Override
    public long[] column(int dimension) {
      return columns[dimension];
    }

    @Override
    public void copy(int dimension, int from, int to, long[] into) {
      System.arraycopy(columns[dimension], from, into, 0, to - from);
    }

    @Override
    public void copy(int dimension, int from, int to, int[] into) {
      long[] column = columns[dimension];
      for (int i = from; i < to; i++) {
        into[i - from] = (int) column[i];
      }
    }

    @Override
    public Elements values() {
      return values;
    }

    @Override
    public void copyValues(int from, int to, byte[] into) {
      FixedWidthElements fixed = (FixedWidthElements) values;
      int width = fixed.type().byteWidth();
      System.arraycopy(fixed.bytes(), fixed.offset() + from * width, into, 0, (to - from) * width);
    }
  }
}
