package io.arraymorph.delta.encoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.delta.tensor.DuplicatePolicy;
import io.arraymorph.delta.tensor.FillPolicy;
import io.arraymorph.delta.tensor.IntegerColumn;
import io.arraymorph.delta.tensor.IntegerElements;
import io.arraymorph.delta.tensor.NarrowCells;
import io.arraymorph.delta.tensor.RandomTensors;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.delta.tensor.TensorSlice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class HandedCellsTest {
  private static final DataType DOUBLE = new DataType.Float(FloatFormat.FLOAT64);

  /** Cells that are not there twice, as places in C order of the shape. */
  private static List<Long> places(Random random, Shape shape, int wanted) {
    Set<Long> places = new TreeSet<>();
    for (int i = 0; i < wanted; i++) {
      places.add((long) (random.nextDouble() * shape.elementCount()));
    }
    return new ArrayList<>(places);
  }

  private static NarrowCells narrow(
      Random random, DataType type, Shape shape, List<Long> places, boolean small) {
    int n = places.size();
    List<IntegerColumn> columns = new ArrayList<>();
    long stride = 1;
    for (int d = shape.rank() - 1; d >= 0; d--) {
      int[] widths = {1, 2, 4, 8};
      long most = shape.length(d) - 1;
      int least = most < 256 ? 0 : most < 65536 ? 1 : most <= Integer.MAX_VALUE ? 2 : 3;
      int width = widths[least + random.nextInt(4 - least)];
      int offset = random.nextInt(9);
      byte[] bytes = new byte[offset + n * width];
      for (int i = 0; i < n; i++) {
        long index = places.get(i) / stride % shape.length(d);
        IntegerElements.write(bytes, offset + i * width, width, index);
      }
      columns.add(0, new IntegerColumn(bytes, offset, width, n));
      stride *= shape.length(d);
    }
    byte[] counts = new byte[n];
    byte[] values = new byte[n * type.byteWidth()];
    for (int i = 0; i < n; i++) {
      counts[i] = (byte) (random.nextInt(5) == 0 ? random.nextInt(256) : 1);
      IntegerElements.writeSmall(values, i * type.byteWidth(), type, counts[i] & 0xFF);
    }
    return small
        ? NarrowCells.of(columns, type, new IntegerColumn(counts, 0, 1, n))
        : NarrowCells.of(columns, new FixedWidthElements(type, Shape.of(n), values, 0));
  }

  private static CellBuffer buffer(NarrowCells cells, int count) {
    CellBuffer buffer = new CellBuffer(cells.rank(), cells.type());
    for (int i = 0; i < count; i++) {
      long[] cell = new long[cells.rank()];
      for (int d = 0; d < cell.length; d++) {
        cell[d] = cells.index(d, i);
      }
      buffer.append(cell);
      buffer.values().append(cells.values(), i);
    }
    return buffer;
  }

  private static List<String> rows(TensorEncoder encoder, SparseTensor tensor) {
    List<String> rows = new ArrayList<>();
    encoder.encode(
        tensor,
        piece ->
            rows.add(
                piece.part()
                    + " "
                    + piece.box()
                    + " "
                    + piece.cells()
                    + " "
                    + piece.format()
                    + " "
                    + HexFormat.of().formatHex(piece.positions())
                    + " "
                    + HexFormat.of().formatHex(piece.values())));
    return rows;
  }

  @Test
  void cells_of_another_process_become_the_rows_that_columns_do() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 20; round++) {
      int rank = 1 + random.nextInt(6);
      long[] lengths = new long[rank];
      for (int d = 0; d < rank; d++) {
        lengths[d] = 1L + random.nextInt(random.nextBoolean() ? 12 : 700);
      }
      Shape shape = Shape.of(lengths);
      List<DataType> types =
          List.of(DOUBLE, new DataType.Int(32, true), new DataType.Int(64, false));
      DataType type = types.get(random.nextInt(types.size()));
      List<Long> places = places(random, shape, 1 + random.nextInt(20_000));
      boolean shuffled = random.nextInt(3) == 0;
      if (shuffled) {
        Collections.shuffle(places, random);
      }
      NarrowCells cells = narrow(random, type, shape, places, random.nextBoolean());
      ArraySchema schema = RandomTensors.schema(type, new Random(0), lengths);
      SparseTensor handed = SparseTensor.of(schema, cells, DuplicatePolicy.ERROR);
      SparseTensor columns =
          SparseTensor.of(
              schema, buffer(cells, places.size()), DuplicatePolicy.ERROR, FillPolicy.KEEP);
      String what = "seed " + seed + " round " + round + " " + shape + " " + type.zarrName();
      assertThat(handed).as(what).isEqualTo(columns);
      for (TensorEncoding encoding : TensorEncoding.values()) {
        if (encoding == TensorEncoding.FTSF) {
          continue;
        }
        TensorLayout layout = new LayoutChoice(columns, Set.of(), Optional.empty()).of(encoding);
        assertThat(new LayoutChoice(handed, Set.of(), Optional.empty()).of(encoding))
            .as(what)
            .isEqualTo(layout);
        List<String> expected = rows(new TensorEncoder(schema, layout, 3), columns);
        assertThat(rows(new TensorEncoder(schema, layout, 3, /* parallel= */ true), handed))
            .as(what + " " + layout)
            .isEqualTo(expected);
        SparseTensor back = decoded(schema, layout, columns);
        assertThat(back).as(what + " " + layout).isEqualTo(columns);
      }
    }
  }

  private static SparseTensor decoded(ArraySchema schema, TensorLayout layout, SparseTensor of) {
    CellBuffer cells = new CellBuffer(schema.shape().rank(), schema.dataType());
    TensorDecoder decoder = new TensorDecoder(schema, layout);
    TensorSlice all = TensorSlice.parse(":", schema.shape());
    new TensorEncoder(schema, layout, 0).encode(of, piece -> decoder.decode(piece, all, cells));
    return SparseTensor.of(schema, cells, DuplicatePolicy.ERROR, FillPolicy.KEEP);
  }

  @Test
  void an_index_outside_the_shape_is_refused_and_a_cell_that_is_there_twice() {
    Random random = new Random(5);
    Shape shape = Shape.of(300, 70);
    List<Long> places = places(random, shape, 500);
    NarrowCells cells = narrow(random, DOUBLE, shape, places, true);
    ArraySchema smaller = RandomTensors.schema(DOUBLE, new Random(0), 200, 70);
    assertThatThrownBy(() -> SparseTensor.of(smaller, cells, DuplicatePolicy.ERROR))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("OUT_OF_BOUNDS");
    places.add(7, places.get(7));
    NarrowCells twice = narrow(random, DOUBLE, shape, places, true);
    ArraySchema schema = RandomTensors.schema(DOUBLE, new Random(0), 300, 70);
    assertThatThrownBy(() -> SparseTensor.of(schema, twice, DuplicatePolicy.ERROR))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("DUPLICATE_CELL");
  }
}
