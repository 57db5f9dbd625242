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

  /** True if {@link #run(long[], Box, int[], Elements, boolean)} does for cells of a box. */
  public boolean takesNumbers(Box box) {
    return places.isPresent() && places.get().takesNumbers(box);
  }

  /**
   * The run of those of a piece's cells that lie in the slice.
   *
   * @param numbers of the cells over the axes of the box, ascending; used up
   * @param axes the order in which axes count, slowest first
   * @param follows true if no cell of another piece is likely to lie between them in the result
   */
  public SliceRun run(long[] numbers, Box box, int[] axes, Elements values, boolean follows) {
    return sorted(places.get().of(numbers, box, axes), values, axes, follows);
  }

  private SliceRun sorted(long[] own, Elements values, int[] axes, boolean follows) {
    if (PlaceSort.isAscending(own, own.length, 0)) {
      int outside = 0;
      while (outside < own.length && own[outside] < 0) {
        outside++;
      }
      if (outside == 0) {
        return new SliceRun(own, own.length, values, true);
      }
    }
    int from = places.get().bitsFrom(firstInOrder(axes));
    PlaceSort sort = PlaceSort.inside(own, places.get().bits(), follows ? from : -1);
    if (sort == null) {
      return unpacked(own, values);
    }
    int n = sort.places().length;
    boolean ascending = PlaceSort.isAscending(sort.places(), n, 0);
    return new SliceRun(
        sort.places(), n, ElementVectors.gather(values, sort.order(), 0, n), ascending);
  }

  /** Cells whose places are too long to be sorted together with their numbers. */
  private static SliceRun unpacked(long[] own, Elements values) {
    int[] kept = new int[own.length];
    int n = 0;
    for (int i = 0; i < own.length; i++) {
      if (own[i] >= 0) {
        own[n] = own[i];
        kept[n++] = i;
      }
    }
    return new SliceRun(own, n, ElementVectors.gather(values, kept, 0, n), false);
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
    int n = (int) count;
    long[] all = runs.size() == 1 ? runs.get(0).places() : new long[n];
    ElementBuffer values = new ElementBuffer(schema.dataType());
    int at = 0;
    for (SliceRun run : runs) {
      if (runs.size() > 1) {
        System.arraycopy(run.places(), 0, all, at, run.count());
        values.appendFirst(run.values(), run.count());
      }
      at += run.count();
    }
    Elements elements = runs.size() == 1 ? runs.get(0).values() : values.toElements();
    return ascending ? tensor(all, n, elements) : sorted(all, n, elements);
  }

  private SparseTensor tensor(long[] inOrder, int n, Elements elements) {
    return SparseTensor.ofSorted(
        slice.resultSchema(schema), new PlaceCoordinates(places.get(), inOrder, n), n, elements);
  }

  /** Pieces whose cells lie between each other in the result. */
  private SparseTensor sorted(long[] all, int n, Elements elements) {
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
    return tensor(
        inOrder, n, order == null ? elements : ElementVectors.gather(elements, order, 0, n));
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
    PlaceCoordinates same = new PlaceCoordinates(places.get(), new long[] {inOrder[at]}, 1);
    long[] cell = new long[same.rank()];
    for (int d = 0; d < cell.length; d++) {
      cell[d] = same.column(d)[0];
    }
    return new ArrayMorphException(
        ErrorCode.CHUNK_CORRUPT,
        "two rows of the table hold the cell " + Arrays.toString(cell) + " of the slice",
        "Rows were copied by another program; go back to an earlier version of the table");
  }
}
