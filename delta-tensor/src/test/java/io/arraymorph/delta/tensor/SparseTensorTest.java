package io.arraymorph.delta.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SparseTensorTest {
  private static final DataType INT8 = new DataType.Int(8, true);
  private static final DataType DOUBLE = new DataType.Float(FloatFormat.FLOAT64);

  private static ArraySchema schema(DataType type, long... shape) {
    byte[] zero = new byte[type.byteWidth()];
    return new ArraySchema(
        type,
        Shape.of(shape),
        List.of("x", "y").subList(0, shape.length),
        new FixedWidthElements(type, Shape.of(), zero, 0));
  }

  private static CellBuffer cells(DataType type, long[]... rows) {
    CellBuffer cells = new CellBuffer(rows[0].length - 1, type);
    for (long[] row : rows) {
      cells.append(Arrays.copyOf(row, row.length - 1));
      int at = cells.values().extend(1);
      long value = row[row.length - 1];
      IntegerElements.write(
          cells.values().bytes(),
          at,
          type.byteWidth(),
          type instanceof DataType.Float ? Double.doubleToLongBits((double) value) : value);
    }
    return cells;
  }

  private static long value(SparseTensor tensor, int cell) {
    FixedWidthElements values = (FixedWidthElements) tensor.values();
    int width = values.type().byteWidth();
    return IntegerElements.read(values.bytes(), values.offset() + cell * width, width, true);
  }

  @Test
  void unsorted_cells_become_row_major() {
    SparseTensor tensor =
        SparseTensor.of(
            schema(INT8, 3, 4),
            cells(INT8, new long[] {2, 0, 7}, new long[] {0, 3, 5}, new long[] {0, 1, 6}),
            DuplicatePolicy.ERROR,
            FillPolicy.KEEP);
    assertThat(Arrays.copyOf(tensor.column(0), 3)).containsExactly(0, 0, 2);
    assertThat(Arrays.copyOf(tensor.column(1), 3)).containsExactly(1, 3, 0);
    assertThat(value(tensor, 0)).isEqualTo(6);
    assertThat(value(tensor, 2)).isEqualTo(7);
  }

  @Test
  void duplicates_fail_are_replaced_or_added_by_policy() {
    long[][] rows = {{1, 1, 3}, {0, 0, 1}, {1, 1, 4}};
    ArraySchema schema = schema(INT8, 3, 4);
    assertThatThrownBy(
            () ->
                SparseTensor.of(schema, cells(INT8, rows), DuplicatePolicy.ERROR, FillPolicy.KEEP))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("[ARRAYMORPH_DUPLICATE_CELL] 2 values for the cell [1, 1]");
    assertThat(
            value(
                SparseTensor.of(schema, cells(INT8, rows), DuplicatePolicy.LAST, FillPolicy.KEEP),
                1))
        .isEqualTo(4);
    assertThat(
            value(
                SparseTensor.of(schema, cells(INT8, rows), DuplicatePolicy.SUM, FillPolicy.KEEP),
                1))
        .isEqualTo(7);
    SparseTensor doubles =
        SparseTensor.of(
            schema(DOUBLE, 3, 4), cells(DOUBLE, rows), DuplicatePolicy.SUM, FillPolicy.KEEP);
    assertThat(Double.longBitsToDouble(value(doubles, 1))).isEqualTo(7.0);
  }

  @Test
  void a_sum_that_overflows_its_type_fails() {
    CellBuffer cells = cells(INT8, new long[] {1, 1, 100}, new long[] {1, 1, 100});
    assertThatThrownBy(
            () -> SparseTensor.of(schema(INT8, 3, 4), cells, DuplicatePolicy.SUM, FillPolicy.KEEP))
        .hasMessageContaining("ARRAYMORPH_OUT_OF_BOUNDS")
        .hasMessageContaining("200");
  }

  @Test
  void explicit_fill_values_stay_or_go_by_policy() {
    long[][] rows = {{1, 1, 0}, {0, 0, 1}};
    ArraySchema schema = schema(INT8, 3, 4);
    assertThat(
            SparseTensor.of(schema, cells(INT8, rows), DuplicatePolicy.ERROR, FillPolicy.KEEP)
                .count())
        .isEqualTo(2);
    assertThat(
            SparseTensor.of(schema, cells(INT8, rows), DuplicatePolicy.ERROR, FillPolicy.PRUNE)
                .count())
        .isEqualTo(1);
  }

  @Test
  void coordinates_outside_the_shape_fail() {
    for (long[] row : new long[][] {{3, 0, 1}, {-1, 0, 1}, {0, Long.MIN_VALUE, 1}}) {
      assertThatThrownBy(
              () ->
                  SparseTensor.of(
                      schema(INT8, 3, 4), cells(INT8, row), DuplicatePolicy.ERROR, FillPolicy.KEEP))
          .hasMessageContaining("ARRAYMORPH_OUT_OF_BOUNDS")
          .hasMessageContaining("outside [0, ");
    }
  }

  @Test
  void sorting_is_stable_and_right_for_keys_beyond_63_bits() {
    for (int seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);
      long[] shape = {1L << 40, 1L << 40, 7};
      int n = 500;
      long[][] columns = new long[3][n];
      for (int i = 0; i < n; i++) {
        columns[0][i] = random.nextLong(4) << 38;
        columns[1][i] = random.nextLong(1L << 40) >> random.nextInt(40);
        columns[2][i] = random.nextInt(7);
      }
      int[] order = CellOrder.ofAxes(new int[] {1, 2, 0}, shape).sort(columns, n);
      for (int i = 1; i < n; i++) {
        int a = order[i - 1];
        int b = order[i];
        long[] before = {columns[1][a], columns[2][a], columns[0][a], a};
        long[] after = {columns[1][b], columns[2][b], columns[0][b], b};
        assertThat(Arrays.compare(before, after)).as("seed " + seed + " at " + i).isNegative();
      }
    }
  }
}
