package io.arraymorph.delta.encoding;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.delta.tensor.DuplicatePolicy;
import io.arraymorph.delta.tensor.FillPolicy;
import io.arraymorph.delta.tensor.RandomTensors;
import io.arraymorph.delta.tensor.SparseTensor;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LayoutChoiceTest {

  /** Cells stored with a chance, values noise of one byte. */
  private static SparseTensor random(double chance, long... shape) {
    Random random = new Random(3);
    ArraySchema schema = RandomTensors.schema(new DataType.Int(8, false), new Random(0), shape);
    CellBuffer cells = new CellBuffer(shape.length, schema.dataType());
    long count = schema.shape().elementCount();
    for (long place = 0; place < count; place++) {
      if (random.nextDouble() < chance) {
        long rest = place;
        long[] cell = new long[shape.length];
        for (int d = shape.length - 1; d >= 0; d--) {
          cell[d] = rest % shape[d];
          rest /= shape[d];
        }
        cells.append(cell);
        int at = cells.values().extend(1);
        cells.values().bytes()[at] = (byte) (1 + random.nextInt(255));
      }
    }
    return SparseTensor.of(schema, cells, DuplicatePolicy.ERROR, FillPolicy.KEEP);
  }

  private static TensorLayout auto(SparseTensor tensor, Integer... sliced) {
    return new LayoutChoice(tensor, Set.of(sliced), Optional.empty()).auto();
  }

  @Test
  void few_cells_become_one_row_of_coo() {
    TensorLayout layout = auto(random(0.01, 40, 50, 60));
    assertThat(layout.encoding()).isEqualTo(TensorEncoding.COO);
    assertThat(layout.reason()).startsWith("auto: coo, for ").contains("fit into one row");
  }

  @Test
  void sparse_cells_become_blocks_and_nearly_dense_ones_chunks() {
    assertThat(auto(random(0.01, 80, 90, 100)).encoding()).isEqualTo(TensorEncoding.BSGS);
    TensorLayout dense = auto(random(0.98, 20, 90, 100));
    assertThat(dense.encoding()).isEqualTo(TensorEncoding.FTSF);
    assertThat(dense.reason()).startsWith("auto: ftsf, for ").contains("bytes a cell as bsgs");
  }

  @Test
  void a_slice_hint_makes_blocks_short_along_the_sliced_dimensions_only() {
    SparseTensor tensor = random(0.1, 60, 70, 90);
    TensorLayout rows = auto(tensor, 0);
    assertThat(rows.block().length(0)).isLessThan(20);
    assertThat(rows.block().length(1)).isEqualTo(70);
    assertThat(rows.block().length(2)).isEqualTo(90);
    TensorLayout columns = auto(tensor, 2);
    assertThat(columns.block().length(0)).isEqualTo(60);
    assertThat(columns.block().length(2)).isLessThan(20);
    assertThat(columns.reason()).contains("for slices of [dim_2]");
  }

  @Test
  void a_block_that_the_user_wants_is_taken() {
    LayoutChoice choice =
        new LayoutChoice(random(0.1, 60, 70, 90), Set.of(), Optional.of(Shape.of(10, 70, 30)));
    assertThat(choice.auto().block()).isEqualTo(Shape.of(10, 70, 30));
  }

  @Test
  void empty_tensors_of_any_rank_have_a_layout() {
    for (int rank = 0; rank < 9; rank++) {
      ArraySchema schema =
          RandomTensors.schema(new DataType.Int(8, true), new Random(0), new long[rank]);
      SparseTensor empty =
          SparseTensor.of(
              schema,
              new CellBuffer(rank, schema.dataType()),
              DuplicatePolicy.ERROR,
              FillPolicy.KEEP);
      LayoutChoice choice = new LayoutChoice(empty, Set.of(), Optional.empty());
      for (TensorEncoding encoding : TensorEncoding.values()) {
        assertThat(choice.of(encoding).encoding()).isEqualTo(encoding);
      }
    }
  }
}
