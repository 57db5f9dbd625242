package io.arraymorph.delta.tensor;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Shape;
import java.util.ArrayList;
import java.util.List;

/**
 * A numpy-like slice of a tensor: one {@link AxisSlice} per dimension, some of which are single
 * indices that vanish from the result's shape. Lists combine as an outer product (numpy's {@code
 * ix_}, Zarr's {@code oindex}). Immutable.
 */
public final class TensorSlice implements Region {
  private final List<AxisSlice> axes;
  private final List<Boolean> squeezed;

  private TensorSlice(List<AxisSlice> axes, List<Boolean> squeezed) {
    this.axes = List.copyOf(axes);
    this.squeezed = List.copyOf(squeezed);
  }

  /** Everything of a tensor of this shape. */
  public static TensorSlice all(Shape shape) {
    return SliceParser.parse("", shape);
  }

  /** The product of these axis slices; all dimensions stay. */
  public static TensorSlice of(List<AxisSlice> axes) {
    return new TensorSlice(axes, axes.stream().map(a -> false).toList());
  }

  /** The product of these axis slices without the dimensions marked as squeezed. */
  static TensorSlice of(List<AxisSlice> axes, List<Boolean> squeezed) {
    return new TensorSlice(axes, squeezed);
  }

  /**
   * The slice that a text in numpy's notation takes of a tensor of this shape: {@code "3, 10:20,
   * ::-2, [1, 5, 5], ..., -1"}. Missing trailing dimensions are taken whole.
   *
   * @throws ArrayMorphException INVALID_SLICE for a text that does not parse, OUT_OF_BOUNDS for a
   *     single index or list entry outside the shape
   */
  public static TensorSlice parse(String text, Shape shape) {
    return SliceParser.parse(text, shape);
  }

  /** The indices along each dimension. */
  public List<AxisSlice> axes() {
    return axes;
  }

  /** True if the dimension is a single index that the result does not have. */
  public boolean isSqueezed(int dimension) {
    return squeezed.get(dimension);
  }

  /** The shape of the result. */
  public Shape resultShape() {
    return Shape.of(kept().stream().mapToLong(d -> axes.get(d).count()).toArray());
  }

  private List<Integer> kept() {
    List<Integer> kept = new ArrayList<>();
    for (int d = 0; d < axes.size(); d++) {
      if (!squeezed.get(d)) {
        kept.add(d);
      }
    }
    return kept;
  }

  /** The schema of the result of taking this slice of a tensor. */
  public ArraySchema resultSchema(ArraySchema source) {
    List<String> names = kept().stream().map(source.dimensionNames()::get).toList();
    return new ArraySchema(source.dataType(), resultShape(), names, source.fill());
  }

  /**
   * The result for cells of the tensor that lie in this slice: coordinates become positions, cells
   * that a list takes twice appear twice.
   *
   * @param source the schema of the tensor
   * @param cells stored cells in the tensor's own indices, unique, all inside this slice
   */
  public SparseTensor apply(ArraySchema source, CellBuffer cells) {
    ArraySchema schema = resultSchema(source);
    List<Integer> kept = kept();
    CellBuffer result = isPlain() ? translate(cells, kept) : expand(cells, kept);
    return SparseTensor.of(schema, result, DuplicatePolicy.ERROR, FillPolicy.KEEP);
  }

  private boolean isPlain() {
    return axes.stream().allMatch(a -> a instanceof AxisSlice.Steps);
  }

  private CellBuffer translate(CellBuffer cells, List<Integer> kept) {
    for (int d : kept) {
      AxisSlice.Steps axis = (AxisSlice.Steps) axes.get(d);
      long[] column = cells.column(d);
      if (axis.step() == 1) {
        for (int i = 0; i < cells.count() && axis.start() != 0; i++) {
          column[i] -= axis.start();
        }
      } else {
        for (int i = 0; i < cells.count(); i++) {
          column[i] = (column[i] - axis.start()) / axis.step();
        }
      }
    }
    return cells.select(kept);
  }

  private CellBuffer expand(CellBuffer cells, List<Integer> kept) {
    CellBuffer result = new CellBuffer(kept.size(), cells.values().type());
    io.arraymorph.array.Elements values = cells.values().toElements();
    long[] position = new long[kept.size()];
    for (int i = 0; i < cells.count(); i++) {
      expand(cells, values, kept, i, 0, position, result);
    }
    return result;
  }

  private void expand(
      CellBuffer cells,
      io.arraymorph.array.Elements values,
      List<Integer> kept,
      int cell,
      int depth,
      long[] position,
      CellBuffer result) {
    if (depth == kept.size()) {
      result.append(position);
      result.values().append(values, cell);
      return;
    }
    int d = kept.get(depth);
    long index = cells.column(d)[cell];
    int times = axes.get(d).occurrences(index);
    for (int nth = 0; nth < times; nth++) {
      position[depth] = axes.get(d).position(index, nth);
      expand(cells, values, kept, cell, depth + 1, position, result);
    }
  }

  @Override
  public int rank() {
    return axes.size();
  }

  @Override
  public boolean isEmpty() {
    return axes.stream().anyMatch(a -> a.count() == 0);
  }

  @Override
  public long first(int dimension) {
    return axes.get(dimension).first();
  }

  @Override
  public long last(int dimension) {
    return axes.get(dimension).last();
  }

  @Override
  public boolean contains(int dimension, long index) {
    return axes.get(dimension).occurrences(index) > 0;
  }

  @Override
  public boolean containsAny(int dimension, long low, long high) {
    return axes.get(dimension).containsAny(low, high);
  }

  @Override
  public boolean containsAll(int dimension, long low, long high) {
    return axes.get(dimension).containsAll(low, high);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TensorSlice
        && axes.equals(((TensorSlice) other).axes)
        && squeezed.equals(((TensorSlice) other).squeezed);
  }

  @Override
  public int hashCode() {
    return 31 * axes.hashCode() + squeezed.hashCode();
  }

  @Override
  public String toString() {
    return axes.toString();
  }
}
