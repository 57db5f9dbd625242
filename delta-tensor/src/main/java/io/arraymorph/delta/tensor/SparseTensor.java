package io.arraymorph.delta.tensor;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import java.util.Arrays;

/**
 * A tensor of which only some cells are stored, in canonical form: a structure of arrays with one
 * coordinate column per dimension and one value per stored cell, sorted row-major (last dimension
 * fastest), without duplicates. Every other cell has the schema's fill value.
 *
 * <p>A stored cell may hold the fill value; it is still a stored cell. Immutable as long as nobody
 * changes the arrays it shares.
 */
public final class SparseTensor {
  private final ArraySchema schema;
  private final int count;
  private final StoredCells cells;

  private SparseTensor(ArraySchema schema, StoredCells cells, int count) {
    this.schema = schema;
    this.cells = cells;
    this.count = count;
  }

  /**
   * The canonical tensor of these cells, given in any order.
   *
   * @param cells coordinates and values; handed over, not to be used afterwards
   * @throws ArrayMorphException OUT_OF_BOUNDS for a coordinate outside the shape, DUPLICATE_CELL by
   *     policy, TYPE_MISMATCH where values of the type cannot be added
   */
  public static SparseTensor of(
      ArraySchema schema, CellBuffer cells, DuplicatePolicy duplicates, FillPolicy fills) {
    int rank = schema.shape().rank();
    int n = cells.count();
    if (cells.rank() != rank || cells.values().count() != n) {
      throw new ArrayMorphException(
          ErrorCode.SHAPE_MISMATCH,
          n
              + " cells of "
              + cells.rank()
              + " coordinates and "
              + cells.values().count()
              + " values do not fit the shape "
              + schema.shape(),
          "Give one coordinate per dimension and one value per cell");
    }
    if (!cells.values().type().equals(schema.dataType())) {
      throw new ArrayMorphException(
          ErrorCode.TYPE_MISMATCH,
          "values of type "
              + cells.values().type().zarrName()
              + " for a tensor of "
              + schema.dataType().zarrName(),
          "Cast the values to the tensor's type");
    }
    long[][] columns = new long[rank][];
    for (int d = 0; d < rank; d++) {
      columns[d] = cells.column(d);
      checkBounds(schema, d, columns[d], n);
    }
    Elements values = cells.values().toElements();
    if (fills == FillPolicy.KEEP && isCanonical(columns, n)) {
      for (int d = 0; d < rank; d++) {
        // Buffers are longer than what they hold.
        columns[d] = columns[d].length == n ? columns[d] : Arrays.copyOf(columns[d], n);
      }
      return ofSorted(schema, columns, n, values);
    }
    SortedCells sorted =
        CellOrder.ofAxes(naturalOrder(rank), schema.shape().toArray()).sorted(columns, n);
    if (!sorted.isUnique() || fills != FillPolicy.KEEP) {
      return new CellMerge(schema, columns, values, duplicates, fills).merge(sorted.order());
    }
    Elements inOrder =
        sorted.isUnchanged() ? values : ElementVectors.gather(values, sorted.order(), 0, n);
    return ofSorted(schema, sorted.columns(), n, inOrder);
  }

  /**
   * As above, of cells as another process gave them; those that come in C order are not copied.
   *
   * @param cells one value of the schema's type each
   */
  public static SparseTensor of(ArraySchema schema, NarrowCells cells, DuplicatePolicy duplicates) {
    boolean fits = cells.rank() == schema.shape().rank() && (cells.rank() > 0 || cells.count() < 2);
    return fits && cells.isCanonical(schema.shape())
        ? new SparseTensor(schema, cells, cells.count())
        : of(schema, cells.toBuffer(schema.dataType()), duplicates, FillPolicy.KEEP);
  }

  /** The same cells under a schema that differs in names, or in the fill value. */
  public SparseTensor withSchema(ArraySchema other) {
    if (!other.shape().equals(schema.shape()) || !other.dataType().equals(schema.dataType())) {
      throw new IllegalArgumentException("another shape or type");
    }
    return new SparseTensor(other, cells, count);
  }

  /** True if the cells are sorted and unique already. */
  private static boolean isCanonical(long[][] columns, int count) {
    for (int i = 1; i < count; i++) {
      int d = 0;
      while (d < columns.length && columns[d][i - 1] == columns[d][i]) {
        d++;
      }
      if (d == columns.length || columns[d][i - 1] > columns[d][i]) {
        return false;
      }
    }
    return true;
  }

  /** Cells that are known to be sorted, unique and in bounds. */
  static SparseTensor ofSorted(ArraySchema schema, long[][] columns, int count, Elements values) {
    return ofSorted(schema, new StoredCells.Columns(columns, values), count);
  }

  /** Cells that are known to be sorted, unique and in bounds. */
  static SparseTensor ofSorted(ArraySchema schema, StoredCells cells, int count) {
    return new SparseTensor(schema, cells, count);
  }

  private static void checkBounds(ArraySchema schema, int d, long[] column, int n) {
    long length = schema.shape().length(d);
    for (int i = 0; i < n; i++) {
      if (column[i] < 0 || column[i] >= length) {
        throw new ArrayMorphException(
            ErrorCode.OUT_OF_BOUNDS,
            "index "
                + column[i]
                + " of dimension "
                + schema.dimensionNames().get(d)
                + " is outside [0, "
                + length
                + ")",
            "Correct the cell or give a larger shape");
      }
    }
  }

  /** The axes {@code 0 .. rank - 1} in order. */
  public static int[] naturalOrder(int rank) {
    int[] order = new int[rank];
    Arrays.setAll(order, d -> d);
    return order;
  }

  /** Element type, shape, dimension names and fill value. */
  public ArraySchema schema() {
    return schema;
  }

  /** The number of stored cells. */
  public int count() {
    return count;
  }

  /** Coordinates and values of the stored cells; shared. */
  public StoredCells cells() {
    return cells;
  }

  /** The indices of the stored cells along one dimension; may be longer than {@link #count()}. */
  public long[] column(int dimension) {
    return cells.column(dimension);
  }

  /** The columns of all dimensions, as {@link #column(int)}; shared. */
  public long[][] columns() {
    long[][] columns = new long[cells.rank()][];
    Arrays.setAll(columns, cells::column);
    return columns;
  }

  /** Copies the indices of the stored cells {@code [from, to)} along one dimension. */
  public void copyColumn(int dimension, int from, int to, long[] into) {
    cells.copy(dimension, from, to, into);
  }

  /** As above, of a dimension of at most 2^31-1 indices. */
  public void copyColumn(int dimension, int from, int to, int[] into) {
    cells.copy(dimension, from, to, into);
  }

  /** Copies the values, which have one width, of the stored cells {@code [from, to)}. */
  public void copyValues(int from, int to, byte[] into) {
    cells.copyValues(from, to, into);
  }

  /** One value per stored cell. */
  public Elements values() {
    return cells.values();
  }

  /**
   * All cells as a dense array in C order.
   *
   * @throws ArrayMorphException TOO_LARGE if the array would exceed 2^31-1 elements or bytes
   */
  public Elements toDense() {
    Shape shape = schema.shape();
    Elements dense;
    try {
      dense = ElementVectors.filled(schema.dataType(), shape, schema.fill());
    } catch (ArithmeticException e) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          "a dense array of shape " + shape + " does not fit into memory",
          "Take a smaller slice, or keep it sparse",
          e);
    }
    int[] places = new int[count];
    long[][] columns = columns();
    for (int i = 0; i < count; i++) {
      long place = 0;
      for (int d = 0; d < shape.rank(); d++) {
        place = place * shape.length(d) + columns[d][i];
      }
      places[i] = (int) place;
    }
    if (dense instanceof FixedWidthElements) {
      byte[] out = ((FixedWidthElements) dense).bytes();
      FixedWidthElements in = (FixedWidthElements) values();
      int width = schema.dataType().byteWidth();
      for (int i = 0; i < count; i++) {
        System.arraycopy(in.bytes(), in.offset() + i * width, out, places[i] * width, width);
      }
      return dense;
    }
    ElementBuffer out = new ElementBuffer(schema.dataType());
    int next = 0;
    for (int place = 0; place < dense.count(); place++) {
      boolean stored = next < count && places[next] == place;
      out.append(stored ? values() : schema.fill(), stored ? next++ : 0);
    }
    return out.toElements(shape);
  }

  /** True if schema, stored cells and value bytes are the same. */
  @Override
  public boolean equals(Object other) {
    if (!(other instanceof SparseTensor)) {
      return false;
    }
    SparseTensor that = (SparseTensor) other;
    if (count != that.count
        || !schema.shape().equals(that.schema.shape())
        || !schema.dataType().equals(that.schema.dataType())
        || !ElementVectors.same(schema.fill(), 0, that.schema.fill(), 0)) {
      return false;
    }
    for (int d = 0; d < cells.rank(); d++) {
      if (!Arrays.equals(column(d), 0, count, that.column(d), 0, count)) {
        return false;
      }
    }
    for (int i = 0; i < count; i++) {
      if (!ElementVectors.same(values(), i, that.values(), i)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int hashCode() {
    int hash = schema.shape().hashCode();
    for (long[] column : columns()) {
      for (int i = 0; i < count; i++) {
        hash = 31 * hash + Long.hashCode(column[i]);
      }
    }
    return hash;
  }

  /** As {@code SparseTensor[int32 (183, 24), 17 stored]}. */
  @Override
  public String toString() {
    return "SparseTensor["
        + schema.dataType().zarrName()
        + " "
        + schema.shape()
        + ", "
        + count
        + " stored]";
  }
}
