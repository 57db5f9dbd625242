package io.arraymorph.delta.tensor;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Shape;
import java.util.Arrays;

/**
 * The result of a slice, put together from the cells of one piece after the other.
 *
 * <p>A cell is held as one number, its row-major place in the result, as long as places fit into 63
 * bits and no index is taken twice; else cells are collected and {@link TensorSlice#apply} does the
 * rest. Not thread-safe.
 */
public final class SliceAssembly {
  private final ArraySchema schema;
  private final TensorSlice slice;
  private final CellBuffer piece;
  private final CellBuffer all;
  private final long[] strides;
  private final ElementBuffer values;
  private long[] places = {};
  private int count;

  /**
   * @param schema of the tensor
   * @param slice of the tensor
   */
  public SliceAssembly(ArraySchema schema, TensorSlice slice) {
    this.schema = schema;
    this.slice = slice;
    int rank = schema.shape().rank();
    this.piece = new CellBuffer(rank, schema.dataType());
    this.all = new CellBuffer(rank, schema.dataType());
    this.values = new ElementBuffer(schema.dataType());
    this.strides = strides(slice);
  }

  /** What one step of the result is worth along each dimension, or null if places do not do. */
  private static long[] strides(TensorSlice slice) {
    long[] strides = new long[slice.rank()];
    long stride = 1;
    for (int d = slice.rank() - 1; d >= 0; d--) {
      AxisSlice axis = slice.axes().get(d);
      if (!(axis instanceof AxisSlice.Steps)) {
        return null;
      }
      if (!slice.isSqueezed(d)) {
        strides[d] = stride;
        if (Math.multiplyHigh(stride, axis.count()) != 0 || stride * axis.count() < 0) {
          return null;
        }
        stride *= Math.max(1, axis.count());
      }
    }
    return strides;
  }

  /** Where the next piece's cells go; they must lie in the slice. Then call {@link #add()}. */
  public CellBuffer piece() {
    return strides == null ? all : piece;
  }

  /** Takes the cells of {@link #piece()}. */
  public void add() {
    if (strides == null) {
      return;
    }
    int n = piece.count();
    if (count + n > places.length) {
      places = Arrays.copyOf(places, Math.max(count + n, count + (count >> 1)));
    }
    for (int d = 0; d < strides.length; d++) {
      long stride = strides[d];
      AxisSlice.Steps axis = (AxisSlice.Steps) slice.axes().get(d);
      if (stride == 0) {
        continue;
      }
      long[] column = piece.column(d);
      long start = axis.start();
      if (axis.step() == 1) {
        for (int i = 0; i < n; i++) {
          places[count + i] += (column[i] - start) * stride;
        }
      } else {
        for (int i = 0; i < n; i++) {
          places[count + i] += (column[i] - start) / axis.step() * stride;
        }
      }
    }
    values.append(piece.values());
    count += n;
    piece.clear();
  }

  /** The result; nothing can be added afterwards. */
  public SparseTensor result() {
    if (strides == null) {
      return applied();
    }
    ArraySchema result = slice.resultSchema(schema);
    Shape shape = result.shape();
    long volume = shape.elementCount();
    CellOrder line = new CellOrder().by(0, Math.max(1, volume));
    SortedCells sorted = line.sorted(new long[][] {places}, count);
    long[] inOrder = sorted.columns()[0];
    Elements elements = values.toElements();
    if (!sorted.isUnchanged()) {
      elements = ElementVectors.gather(elements, sorted.order(), 0, count);
    }
    if (!sorted.isUnique()) {
      throw twice(shape, inOrder);
    }
    return SparseTensor.ofSorted(result, coordinates(shape, inOrder), count, elements);
  }

  private SparseTensor applied() {
    try {
      return slice.apply(schema, all);
    } catch (io.arraymorph.ArrayMorphException e) {
      if (e.code() != io.arraymorph.ErrorCode.DUPLICATE_CELL) {
        throw e;
      }
      throw new io.arraymorph.ArrayMorphException(
          io.arraymorph.ErrorCode.CHUNK_CORRUPT,
          "two rows of the table hold one cell of the slice: " + e.getMessage(),
          "Rows were copied by another program; go back to an earlier version of the table",
          e);
    }
  }

  private static io.arraymorph.ArrayMorphException twice(Shape shape, long[] places) {
    int at = 1;
    while (places[at] != places[at - 1]) {
      at++;
    }
    long[] same = {places[at]};
    long[] cell = Arrays.stream(coordinates(shape, same)).mapToLong(c -> c[0]).toArray();
    return new io.arraymorph.ArrayMorphException(
        io.arraymorph.ErrorCode.CHUNK_CORRUPT,
        "two rows of the table hold the cell " + Arrays.toString(cell) + " of the slice",
        "Rows were copied by another program; go back to an earlier version of the table");
  }

  /** The coordinates of places, which are used up. */
  private static long[][] coordinates(Shape shape, long[] places) {
    long[][] columns = new long[shape.rank()][];
    for (int d = shape.rank() - 1; d >= 0; d--) {
      if (d == 0) {
        columns[0] = places;
        break;
      }
      long length = shape.length(d);
      long[] column = new long[places.length];
      for (int i = 0; i < column.length; i++) {
        long above = CellOrder.quotient(places[i], length);
        column[i] = places[i] - above * length;
        places[i] = above;
      }
      columns[d] = column;
    }
    return columns;
  }
}
