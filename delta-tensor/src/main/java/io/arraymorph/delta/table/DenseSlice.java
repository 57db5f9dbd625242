package io.arraymorph.delta.table;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.delta.tensor.AxisSlice;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.TensorSlice;
import java.util.ArrayList;
import java.util.List;

/** A contiguous box of a dense tensor, put together from its chunks, by any number of threads. */
final class DenseSlice {
  /** Comparing each chunk with all others takes quadratic time. */
  static final int MOST_COMPARED = 1024;

  private final int width;
  private final DenseTarget target;
  private final List<Box> placed = new ArrayList<>();
  private final long[] first;
  private final long[] count;

  /**
   * @param slice a contiguous one
   * @param width bytes of an element
   * @param target of the box's bytes in C order, where those of the fill value are already
   */
  DenseSlice(TensorSlice slice, int width, DenseTarget target) {
    this.width = width;
    this.target = target;
    int rank = slice.rank();
    first = new long[rank];
    count = new long[rank];
    for (int d = 0; d < rank; d++) {
      AxisSlice axis = slice.axes().get(d);
      count[d] = axis.count();
      first[d] = count[d] == 0 ? 0 : axis.first();
    }
  }

  /** True if every axis ascends by one. */
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

  /** How many cells of a contiguous slice lie in a chunk. */
  static long cells(TensorSlice slice, Box box) {
    long cells = 1;
    for (int d = 0; d < box.rank(); d++) {
      AxisSlice axis = slice.axes().get(d);
      long first = axis.count() == 0 ? 0 : axis.first();
      long from = Math.max(box.low(d), first);
      cells *= Math.max(0, Math.min(box.high(d) + 1, first + axis.count()) - from);
    }
    return cells;
  }

  private static boolean overlap(Box a, Box b) {
    for (int d = 0; d < a.rank(); d++) {
      if (a.high(d) < b.low(d) || b.high(d) < a.low(d)) {
        return false;
      }
    }
    return true;
  }

  /** Copies what a claimed chunk shares with the box; several threads may place different ones. */
  void place(Box box, Elements elements) {
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
    new Copy(box, (FixedWidthElements) elements, from, to).run(0, 0, 0);
  }

  /** Bytes that lie side by side both in every chunk of this shape and in the box, at least. */
  static long runBytes(TensorSlice slice, long[] chunk, int width) {
    long run = width;
    for (int d = slice.rank() - 1; d >= 0; d--) {
      long count = slice.axes().get(d).count();
      run *= Math.min(count, chunk[d]);
      if (count > chunk[d] || !startsChunk(slice, chunk, d)) {
        break;
      }
    }
    return run;
  }

  private static boolean startsChunk(TensorSlice slice, long[] chunk, int d) {
    AxisSlice axis = slice.axes().get(d);
    return axis.count() == 0 || axis.first() % chunk[d] == 0;
  }

  /** The part of a chunk that lies in the box, run by run. */
  private final class Copy {
    private final Box box;
    private final FixedWidthElements source;
    private final long[] from;
    private final long[] to;

    /** From this dimension on, indices count on in chunk and box alike. */
    private int whole;

    /** Cells of one index of dimension {@code whole - 1}. */
    private long cells = 1;

    Copy(Box box, FixedWidthElements source, long[] from, long[] to) {
      this.box = box;
      this.source = source;
      this.from = from;
      this.to = to;
      whole = from.length;
      while (whole > 0
          && to[whole - 1] - from[whole - 1] == box.extent(whole - 1)
          && to[whole - 1] - from[whole - 1] == count[whole - 1]) {
        cells *= box.extent(--whole);
      }
    }

    void run(int d, long in, long out) {
      if (d >= whole - 1) {
        long n = cells;
        long inStart = in;
        long outStart = out;
        if (d < whole) {
          n *= to[d] - from[d];
          inStart = in * box.extent(d) + from[d] - box.low(d);
          outStart = out * count[d] + from[d] - first[d];
        }
        target.put(
            outStart * cells * width,
            source.bytes(),
            source.offset() + (int) (inStart * cells) * width,
            (int) n * width);
        return;
      }
      for (long i = from[d]; i < to[d]; i++) {
        run(d + 1, in * box.extent(d) + i - box.low(d), out * count[d] + i - first[d]);
      }
    }
  }
}
