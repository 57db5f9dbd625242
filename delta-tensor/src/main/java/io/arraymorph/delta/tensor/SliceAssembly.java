package io.arraymorph.delta.tensor;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Elements;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The result of a slice, put together from the cells of one piece after the other.
 *
 * <p>Cells are held by their {@link ResultPlaces} where a slice has them; else {@link
 * TensorSlice#apply} does the work. Pieces whose cells follow each other in the result are sorted
 * each by itself and then only strung together. Any number of threads may make runs of pieces, one
 * thread adds them.
 */
public final class SliceAssembly {
  private final ArraySchema schema;
  private final TensorSlice slice;
  private final Optional<ResultPlaces> places;
  private final List<SliceRun> runs = new ArrayList<>();
  private long count;

  /**
   * @param schema of the tensor
   * @param slice of the tensor
   */
  public SliceAssembly(ArraySchema schema, TensorSlice slice) {
    this.schema = schema;
    this.slice = slice;
    this.places = ResultPlaces.of(slice);
  }

  /** The slice that is put together. */
  public TensorSlice slice() {
    return slice;
  }

  /**
   * The run of some cells.
   *
   * @param cells all in the slice, in indices of the whole tensor; handed over
   * @param axes the order of axes by which they are sorted
   * @param follows true if no cell of another piece is likely to lie between them in the result
   */
  public SliceRun run(CellBuffer cells, int[] axes, boolean follows) {
    if (places.isEmpty()) {
      return new SliceRun(cells);
    }
    long[] own = places.get().of(cells);
    return sorted(own, cells.values().toElements(), axes, follows);
  }

  /** True if {@link #run(long[], int, Box, int[], Elements, boolean)} does for cells of a box. */
  public boolean takesNumbers(Box box, long cells) {
    return places.isPresent()
        && places.get().takesNumbers(box)
        && places.get().bits() + indexBits(cells) <= 63;
  }

  private static int indexBits(long cells) {
    return 64 - Long.numberOfLeadingZeros(cells);
  }

  /**
   * The run of those of a piece's cells that lie in the slice.
   *
   * @param numbers of the cells over the axes of the box, ascending; used up, and not needed
   *     afterwards
   * @param count of the numbers
   * @param axes the order in which axes count, slowest first
   * @param follows true if no cell of another piece is likely to lie between them in the result
   */
  public SliceRun run(
      long[] numbers, int count, Box box, int[] axes, Elements values, boolean follows) {
    ResultPlaces form = places.get();
    int indexBits = indexBits(count);
    form.pack(numbers, count, box, axes, indexBits);
    return PlaceSort.run(
        numbers,
        count,
        !slice.covers(box),
        indexBits,
        follows ? form.bitsFrom(firstInOrder(axes)) : -1,
        form.varyingBits(box),
        values);
  }

  private SliceRun sorted(long[] own, Elements values, int[] axes, boolean follows) {
    int n = own.length;
    int bits = places.get().bits();
    int indexBits = indexBits(n);
    if (PackedSort.isAscending(own, n, 0)) {
      return new SliceRun(own, n, values, true);
    }
    if (bits + indexBits > 63) {
      return new SliceRun(own, n, values, false);
    }
    for (int i = 0; i < n; i++) {
      own[i] = own[i] << indexBits | i;
    }
    int from = follows ? places.get().bitsFrom(firstInOrder(axes)) : -1;
    return PlaceSort.run(own, n, false, indexBits, from, (1L << bits) - 1, values);
  }

  /** The first dimension from which on cells sorted by these axes are sorted naturally as well. */
  private static int firstInOrder(int[] axes) {
    int[] standing = new int[axes.length];
    for (int k = 0; k < axes.length; k++) {
      standing[axes[k]] = k;
    }
    int first = Math.max(0, axes.length - 1);
    while (first > 0 && standing[first - 1] < standing[first]) {
      first--;
    }
    return first;
  }

  /** Takes a run. */
  public void add(SliceRun run) {
    count += run.count();
    if (count > Integer.MAX_VALUE - 16) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          count + " cells do not fit into one buffer",
          "Read a smaller slice at a time");
    }
    if (run.count() > 0) {
      runs.add(run);
    }
  }

  /** The result; nothing can be added afterwards. */
  public SparseTensor result() {
    if (places.isEmpty()) {
      return applied();
    }
    boolean ascending = runs.stream().allMatch(SliceRun::isAscending);
    if (ascending) {
      runs.sort(Comparator.comparingLong(SliceRun::first));
      for (int r = 1; ascending && r < runs.size(); r++) {
        ascending = runs.get(r - 1).last() < runs.get(r).first();
      }
    }
    return tensor(ascending || runs.isEmpty() ? runs : List.of(together()));
  }

  private SparseTensor tensor(List<SliceRun> inOrder) {
    PlacedCells cells = new PlacedCells(places.get(), schema.dataType(), inOrder);
    return SparseTensor.ofSorted(slice.resultSchema(schema), cells, (int) count);
  }

  /** One run of those of all pieces, whose cells lie between each other in the result. */
  private SliceRun together() {
    int n = (int) count;
    long[] all = new long[n];
    int at = 0;
    for (SliceRun run : runs) {
      for (int i = 0; i < run.count(); i++) {
        all[at++] = run.place(i);
      }
    }
    Elements elements = new PlacedCells(places.get(), schema.dataType(), runs).values();
    int bits = places.get().bits();
    int last = slice.rank() == 0 ? 0 : places.get().bitsFrom(slice.rank() - 1);
    PlaceSort sorted = PlaceSort.of(all, n, bits, last);
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
              .sorted(new long[][] {all}, n);
      inOrder = cells.columns()[0];
      order = cells.order();
      unique = cells.isUnique();
    }
    if (!unique) {
      throw twice(inOrder);
    }
    Elements ordered = order == null ? elements : ElementVectors.gather(elements, order, 0, n);
    return new SliceRun(inOrder, n, ordered, true);
  }

  private SparseTensor applied() {
    CellBuffer all = new CellBuffer(schema.shape().rank(), schema.dataType());
    runs.forEach(run -> all.append(run.cells()));
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
    SliceRun same = new SliceRun(new long[] {inOrder[at]}, 1, schema.fill(), true);
    PlacedCells twice = new PlacedCells(places.get(), schema.dataType(), List.of(same));
    long[] cell = new long[twice.rank()];
    for (int d = 0; d < cell.length; d++) {
      cell[d] = twice.column(d)[0];
    }
    return new ArrayMorphException(
        ErrorCode.CHUNK_CORRUPT,
        "two rows of the table hold the cell " + Arrays.toString(cell) + " of the slice",
        "Rows were copied by another program; go back to an earlier version of the table");
  }
}
