package io.arraymorph.delta.table;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.AxisSlice;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.ElementVectors;
import io.arraymorph.delta.tensor.TensorSlice;
import java.util.ArrayList;
import java.util.List;

/** A contiguous box of a dense tensor, put together from its chunks, by any number of threads. */
final class DenseSlice {
  /** Comparing each chunk with all others takes quadratic time. */
  private static final int MOST_COMPARED = 1024;

  private final ArraySchema schema;
  private final TensorSlice slice;
  private final FixedWidthElements result;
  private final List<Box> placed = new ArrayList<>();
  private final long[] first;
  private final long[] count;

  DenseSlice(ArraySchema schema, TensorSlice slice) {
    this.schema = schema;
    this.slice = slice;
    int rank = slice.rank();
    first = new long[rank];
    count = new long[rank];
    for (int d = 0; d < rank; d++) {
      AxisSlice axis = slice.axes().get(d);
      count[d] = axis.count();
      first[d] = count[d] == 0 ? 0 : axis.first();
    }
    result =
        (FixedWidthElements)
            ElementVectors.filled(schema.dataType(), Shape.of(count), schema.fill());
  }

  /** True if every axis ascends by one and elements have one width. */
  static boolean isContiguous(TensorSlice slice) {
    return slice.axes().stream()
        .allMatch(
            a ->
                a instanceof AxisSlice.Steps
                    && (((AxisSlice.Steps) a).step() == 1 || a.count() <= 1));
  }

  /**
   * Takes note of a chunk to be placed.
   *
   * @throws ArrayMorphException CHUNK_CORRUPT if an earlier chunk covers some of it
   */
  synchronized void claim(Box box) {
    for (Box other : placed) {
      if (overlap(box, other)) {
        throw new ArrayMorphException(
            ErrorCode.CHUNK_CORRUPT,
            "two rows of the table hold cells of both " + other + " and " + box,
            "Rows were copied by another program; go back to an earlier version of the table");
      }
    }
    if (placed.size() < MOST_COMPARED) {
      placed.add(box);
    }
  }

  /** Copies what a claimed chunk shares with the box; several threads may place different ones. */
  void place(Box box, Elements elements) {
    FixedWidthElements source = (FixedWidthElements) elements;
    int rank = box.rank();
    long[] from = new long[rank];
    long[] to = new long[rank];
    for (int d = 0; d < rank; d++) {
      from[d] = Math.max(box.low(d), first[d]);
      to[d] = Math.min(box.high(d) + 1, first[d] + count[d]);
      if (from[d] >= to[d]) {
        return;
      }
    }
    copy(box, source, from, to, 0, 0, 0);
  }

  private static boolean overlap(Box a, Box b) {
    for (int d = 0; d < a.rank(); d++) {
      if (a.high(d) < b.low(d) || b.high(d) < a.low(d)) {
        return false;
      }
    }
    return true;
  }

  private void copy(
      Box box, FixedWidthElements source, long[] from, long[] to, int d, long in, long out) {
    int width = schema.dataType().byteWidth();
    if (d == box.rank()) {
      System.arraycopy(
          source.bytes(),
          source.offset() + (int) in * width,
          result.bytes(),
          (int) out * width,
          width);
      return;
    }
    long inStart = in * box.extent(d) - box.low(d);
    long outStart = out * count[d] - first[d];
    if (d == box.rank() - 1) {
      System.arraycopy(
          source.bytes(),
          source.offset() + (int) (inStart + from[d]) * width,
          result.bytes(),
          (int) (outStart + from[d]) * width,
          (int) (to[d] - from[d]) * width);
      return;
    }
    for (long i = from[d]; i < to[d]; i++) {
      copy(box, source, from, to, d + 1, inStart + i, outStart + i);
    }
  }

  /** The box in the shape of the slice's result. */
  Elements elements() {
    return new FixedWidthElements(result.type(), slice.resultShape(), result.bytes(), 0);
  }
}
