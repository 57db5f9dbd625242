package io.arraymorph.delta.tensor;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Shape;
import java.util.Arrays;

/**
 * The result of a slice, put together from the cells of one piece after the other.
 *
 * <p>A cell is held as one number, its place: the bits of its coordinates in the result side by
 * side, the first dimension's uppermost, as long as they fit into 63 bits and no index is taken
 * twice; else cells are collected and {@link TensorSlice#apply} does the rest. Not thread-safe.
 */
public final class SliceAssembly {
  private final ArraySchema schema;
  private final TensorSlice slice;
  private final CellBuffer all;

  /** By how many bits each coordinate is shifted, -1 if the slice drops it; or null. */
  private final int[] shifts;

  private final int bits;
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
    this.all = new CellBuffer(rank, schema.dataType());
    this.values = new ElementBuffer(schema.dataType());
    this.bits = bits(slice);
    this.shifts = bits > 63 ? null : shifts(slice);
  }

  /** The bits of a place, or 64 if places do not do. */
  private static int bits(TensorSlice slice) {
    int bits = 0;
    for (int d = 0; d < slice.rank(); d++) {
      if (!(slice.axes().get(d) instanceof AxisSlice.Steps)) {
        return 64;
      }
      bits += bits(slice, d);
    }
    return Math.min(bits, 64);
  }

  /** The bits of a coordinate of the result. */
  private static int bits(TensorSlice slice, int d) {
    long count = slice.isSqueezed(d) ? 0 : slice.axes().get(d).count();
    return count <= 1 ? 0 : 64 - Long.numberOfLeadingZeros(count - 1);
  }

  private static int[] shifts(TensorSlice slice) {
    int[] shifts = new int[slice.rank()];
    int shift = 0;
    for (int d = shifts.length - 1; d >= 0; d--) {
      int own = bits(slice, d);
      shifts[d] = own == 0 ? -1 : shift;
      shift += own;
    }
    return shifts;
  }

  /** Takes the cells of a piece, all in the slice, in indices of the whole tensor. */
  public void add(CellBuffer piece) {
    if (shifts == null) {
      all.append(piece);
      return;
    }
    int n = piece.count();
    if (count + n > places.length) {
      places = Arrays.copyOf(places, Math.max(count + n, count + (count >> 1)));
    }
    for (int d = 0; d < shifts.length; d++) {
      int shift = shifts[d];
      if (shift < 0) {
        continue;
      }
      AxisSlice.Steps axis = (AxisSlice.Steps) slice.axes().get(d);
      long[] column = piece.column(d);
      long start = axis.start();
      if (axis.step() == 1) {
        for (int i = 0; i < n; i++) {
          places[count + i] += (column[i] - start) << shift;
        }
      } else {
        for (int i = 0; i < n; i++) {
          places[count + i] += ((column[i] - start) / axis.step()) << shift;
        }
      }
    }
    values.append(piece.values());
    count += n;
  }

  /** The result; nothing can be added afterwards. */
  public SparseTensor result() {
    if (shifts == null) {
      return applied();
    }
    ArraySchema result = slice.resultSchema(schema);
    Shape shape = result.shape();
    int last = slice.rank() - 1;
    int lastBits = last < 0 || shifts[last] < 0 ? 0 : bits(slice, last);
    PlaceSort sorted = PlaceSort.of(places, count, bits, lastBits);
    long[] inOrder;
    int[] order;
    boolean unique;
    if (sorted != null) {
      inOrder = sorted.places();
      order = sorted.order();
      unique = sorted.isUnique();
    } else {
      SortedCells cells =
          new CellOrder()
              .by(0, bits == 63 ? Long.MAX_VALUE : 1L << bits)
              .sorted(new long[][] {places}, count);
      inOrder = cells.columns()[0];
      order = cells.order();
      unique = cells.isUnique();
    }
    if (!unique) {
      throw twice(inOrder);
    }
    Elements elements = values.toElements();
    if (order != null) {
      elements = ElementVectors.gather(elements, order, 0, count);
    }
    return SparseTensor.ofSorted(result, coordinates(shape, inOrder), count, elements);
  }

  private SparseTensor applied() {
    try {
      return slice.apply(schema, all);
    } catch (ArrayMorphException e) {
      if (e.code() != ErrorCode.DUPLICATE_CELL) {
        throw e;
      }
      throw new ArrayMorphException(
          ErrorCode.CHUNK_CORRUPT,
          "two rows of the table hold one cell of the slice: " + e.getMessage(),
          "Rows were copied by another program; go back to an earlier version of the table",
          e);
    }
  }

  private ArrayMorphException twice(long[] inOrder) {
    int at = 1;
    while (inOrder[at] != inOrder[at - 1]) {
      at++;
    }
    long[] same = {inOrder[at]};
    long[] cell =
        Arrays.stream(coordinates(slice.resultSchema(schema).shape(), same))
            .mapToLong(c -> c[0])
            .toArray();
    return new ArrayMorphException(
        ErrorCode.CHUNK_CORRUPT,
        "two rows of the table hold the cell " + Arrays.toString(cell) + " of the slice",
        "Rows were copied by another program; go back to an earlier version of the table");
  }

  /** The coordinates of places in the result, whose dimensions are those that are not squeezed. */
  private long[][] coordinates(Shape shape, long[] inOrder) {
    long[][] columns = new long[shape.rank()][];
    int k = 0;
    for (int d = 0; d < shifts.length; d++) {
      if (slice.isSqueezed(d)) {
        continue;
      }
      long[] column = new long[inOrder.length];
      if (shifts[d] >= 0) {
        int shift = shifts[d];
        long mask = (1L << bits(slice, d)) - 1;
        for (int i = 0; i < column.length; i++) {
          column[i] = inOrder[i] >>> shift & mask;
        }
      }
      columns[k++] = column;
    }
    return columns;
  }
}
