package io.arraymorph.delta.tensor;

/** The coordinates of a tensor's stored cells, by dimension. Thread-safe. */
interface Coordinates {

  /** The number of dimensions. */
  int rank();

  /** The indices along a dimension; may be longer than there are cells. */
  long[] column(int dimension);

  /** Copies the indices of the cells {@code [from, to)} along a dimension. */
  default void copy(int dimension, int from, int to, long[] into) {
    System.arraycopy(column(dimension), from, into, 0, to - from);
  }

  /** Coordinates that lie in columns already. */
  final class Columns implements Coordinates {
    private final long[][] columns;

    Columns(long[][] columns) {
      this.columns = columns;
    }

    @Override
    public int rank() {
      return columns.length;
    }

    @Override
    public long[] column(int dimension) {
      return columns[dimension];
    }
  }
}
