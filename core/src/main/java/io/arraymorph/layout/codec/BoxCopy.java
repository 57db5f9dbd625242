package io.arraymorph.layout.codec;

import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.array.VariableWidthElements;
import java.util.Arrays;

/** Copies contiguous boxes between packed n-d arrays in C order. */
final class BoxCopy {
  private BoxCopy() {}

  /** The elements of the box of shape {@code counts} that starts at {@code start}. */
  static Elements extract(Elements array, long[] start, Shape counts) {
    if (array instanceof FixedWidthElements) {
      FixedWidthElements fixed = (FixedWidthElements) array;
      int width = fixed.type().byteWidth();
      byte[] bytes = new byte[Math.toIntExact(counts.elementCount() * width)];
      copy(
          fixed.bytes(),
          fixed.offset(),
          fixed.shape(),
          start,
          bytes,
          0,
          counts,
          new long[counts.rank()],
          counts,
          width);
      return new FixedWidthElements(fixed.type(), counts, bytes, 0);
    }
    int[] numbers = linearIndices(array.shape(), start, counts);
    VariableWidthElements source = (VariableWidthElements) array;
    VariableWidthElements[] sources = new VariableWidthElements[numbers.length];
    Arrays.fill(sources, source);
    return gather(source.type(), counts, sources, numbers);
  }

  /** Copies a whole packed array to a place in a larger one. */
  static void place(FixedWidthElements box, byte[] target, Shape shape, long[] start) {
    copy(
        box.bytes(),
        box.offset(),
        box.shape(),
        new long[shape.rank()],
        target,
        0,
        shape,
        start,
        box.shape(),
        box.type().byteWidth());
  }

  /** Copies a box of {@code counts} elements of {@code width} bytes between two arrays. */
  private static void copy(
      byte[] from,
      int fromOffset,
      Shape fromShape,
      long[] fromStart,
      byte[] to,
      int toOffset,
      Shape toShape,
      long[] toStart,
      Shape counts,
      int width) {
    if (counts.isEmpty()) {
      return;
    }
    int rank = counts.rank();
    long[] fromStrides = strides(fromShape);
    long[] toStrides = strides(toShape);
    long source = 0;
    long target = 0;
    for (int d = 0; d < rank; d++) {
      source += fromStart[d] * fromStrides[d];
      target += toStart[d] * toStrides[d];
    }
    int outer = rank;
    long run = 1;
    while (outer > 0 && (outer == rank || isWhole(outer, counts, fromShape, toShape))) {
      outer--;
      run *= counts.length(outer);
    }
    int runBytes = (int) (run * width);
    long[] at = new long[outer];
    while (true) {
      System.arraycopy(
          from,
          fromOffset + (int) (source * width),
          to,
          toOffset + (int) (target * width),
          runBytes);
      int d = outer - 1;
      while (d >= 0 && at[d] + 1 == counts.length(d)) {
        source -= at[d] * fromStrides[d];
        target -= at[d] * toStrides[d];
        at[d] = 0;
        d--;
      }
      if (d < 0) {
        return;
      }
      at[d]++;
      source += fromStrides[d];
      target += toStrides[d];
    }
  }

  /** True if the box spans both arrays fully along the dimension, so that rows of it are joined. */
  private static boolean isWhole(int dimension, Shape counts, Shape from, Shape to) {
    long length = counts.length(dimension);
    return length == from.length(dimension) && length == to.length(dimension);
  }

  /** Elements to step over for one step along each dimension of a packed array in C order. */
  static long[] strides(Shape shape) {
    long[] strides = new long[shape.rank()];
    long stride = 1;
    for (int d = strides.length - 1; d >= 0; d--) {
      strides[d] = stride;
      stride *= shape.length(d);
    }
    return strides;
  }

  /** The C order numbers in {@code shape} of the elements of a box, in the box's C order. */
  static int[] linearIndices(Shape shape, long[] start, Shape counts) {
    int[] numbers = new int[(int) counts.elementCount()];
    long[] strides = strides(shape);
    long[] at = new long[counts.rank()];
    for (int i = 0; i < numbers.length; i++) {
      long number = 0;
      for (int d = 0; d < at.length; d++) {
        number += (start[d] + at[d]) * strides[d];
      }
      numbers[i] = (int) number;
      for (int d = at.length - 1; d >= 0 && ++at[d] == counts.length(d); d--) {
        at[d] = 0;
      }
    }
    return numbers;
  }

  /** An array whose element {@code i} is element {@code numbers[i]} of {@code sources[i]}. */
  static VariableWidthElements gather(
      DataType type, Shape shape, VariableWidthElements[] sources, int[] numbers) {
    int[] offsets = new int[numbers.length + 1];
    long total = 0;
    for (int i = 0; i < numbers.length; i++) {
      int[] from = sources[i].offsets();
      total += from[numbers[i] + 1] - from[numbers[i]];
      if (total > CodecLimits.MAX_CHUNK_BYTES) {
        throw new CodecException(shape + " of text or bytes exceeds 2 GiB");
      }
      offsets[i + 1] = (int) total;
    }
    byte[] bytes = new byte[(int) total];
    for (int i = 0; i < numbers.length; i++) {
      System.arraycopy(
          sources[i].bytes(),
          sources[i].offsets()[numbers[i]],
          bytes,
          offsets[i],
          offsets[i + 1] - offsets[i]);
    }
    return new VariableWidthElements(type, shape, offsets, bytes);
  }
}
