package io.arraymorph.delta.tensor;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Turns sorted cells into unique ones by the duplicate policy, and applies the fill policy. */
final class CellMerge {
  private final ArraySchema schema;
  private final long[][] columns;
  private final Elements values;
  private final DuplicatePolicy duplicates;
  private final FillPolicy fills;

  CellMerge(
      ArraySchema schema,
      long[][] columns,
      Elements values,
      DuplicatePolicy duplicates,
      FillPolicy fills) {
    this.schema = schema;
    this.columns = columns;
    this.values = values;
    this.duplicates = duplicates;
    this.fills = fills;
  }

  /** The tensor of the cells in this order, in which equal cells are neighbours as they came. */
  SparseTensor merge(int[] order) {
    int n = order.length;
    int[] kept = new int[n];
    int count = 0;
    for (int from = 0; from < n; ) {
      int to = from + 1;
      while (to < n && sameCell(order[to], order[from])) {
        to++;
      }
      int cell = order[to - 1];
      if (to - from > 1) {
        cell = resolve(order, from, to);
      }
      if (fills == FillPolicy.KEEP || !ElementVectors.same(values, cell, schema.fill(), 0)) {
        kept[count++] = cell;
      }
      from = to;
    }
    long[][] merged = new long[columns.length][count];
    for (int d = 0; d < columns.length; d++) {
      for (int i = 0; i < count; i++) {
        merged[d][i] = columns[d][kept[i]];
      }
    }
    return SparseTensor.ofSorted(
        schema, merged, count, ElementVectors.gather(values, kept, 0, count));
  }

  private boolean sameCell(int a, int b) {
    for (long[] column : columns) {
      if (column[a] != column[b]) {
        return false;
      }
    }
    return true;
  }

  /** The index of the cell that stands for {@code order[from .. to)}. */
  private int resolve(int[] order, int from, int to) {
    int last = order[to - 1];
    if (duplicates == DuplicatePolicy.ERROR) {
      long[] cell = Arrays.stream(columns).mapToLong(c -> c[last]).toArray();
      throw new ArrayMorphException(
          ErrorCode.DUPLICATE_CELL,
          (to - from) + " values for the cell " + Arrays.toString(cell),
          "Remove all but one, or write with duplicates=last or duplicates=sum");
    }
    if (duplicates == DuplicatePolicy.SUM) {
      sum(order, from, to);
    }
    return last;
  }

  private void sum(int[] order, int from, int to) {
    DataType type = schema.dataType();
    if (type instanceof DataType.Float && isWide(((DataType.Float) type).format())) {
      sumFloats(order, from, to, type.byteWidth());
    } else if (type instanceof DataType.Int) {
      sumInts(order, from, to, (DataType.Int) type);
    } else {
      throw new ArrayMorphException(
          ErrorCode.TYPE_MISMATCH,
          "values of type " + type.zarrName() + " cannot be added",
          "Write with duplicates=last or duplicates=error");
    }
  }

  private static boolean isWide(FloatFormat format) {
    return format == FloatFormat.FLOAT32 || format == FloatFormat.FLOAT64;
  }

  private void sumFloats(int[] order, int from, int to, int width) {
    ByteBuffer buffer = buffer();
    double sum = 0;
    for (int i = from; i < to; i++) {
      int at = position(order[i], width);
      sum += width == 4 ? buffer.getFloat(at) : buffer.getDouble(at);
    }
    int at = position(order[to - 1], width);
    if (width == 4) {
      buffer.putFloat(at, (float) sum);
    } else {
      buffer.putDouble(at, sum);
    }
  }

  private void sumInts(int[] order, int from, int to, DataType.Int type) {
    byte[] bytes = ((FixedWidthElements) values).bytes();
    java.math.BigInteger sum = java.math.BigInteger.ZERO;
    for (int i = from; i < to; i++) {
      long value =
          IntegerElements.read(
              bytes, position(order[i], type.byteWidth()), type.byteWidth(), type.signed());
      java.math.BigInteger term = java.math.BigInteger.valueOf(value);
      if (value < 0 && !type.signed()) {
        term = term.add(java.math.BigInteger.ONE.shiftLeft(64));
      }
      sum = sum.add(term);
    }
    int limit = type.signed() ? type.bits() - 1 : type.bits();
    boolean fits =
        type.signed() ? sum.bitLength() <= limit : sum.signum() >= 0 && sum.bitLength() <= limit;
    if (!fits) {
      throw new ArrayMorphException(
          ErrorCode.OUT_OF_BOUNDS,
          "the sum "
              + sum
              + " of "
              + (to - from)
              + " values of one cell exceeds "
              + type.zarrName(),
          "Use a wider type, or duplicates=last");
    }
    IntegerElements.write(
        bytes, position(order[to - 1], type.byteWidth()), type.byteWidth(), sum.longValue());
  }

  private int position(int cell, int width) {
    return ((FixedWidthElements) values).offset() + cell * width;
  }

  private ByteBuffer buffer() {
    return ByteBuffer.wrap(((FixedWidthElements) values).bytes()).order(ByteOrder.LITTLE_ENDIAN);
  }
}
