package io.arraymorph.delta.encoding;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.delta.tensor.DuplicatePolicy;
import io.arraymorph.delta.tensor.FillPolicy;
import io.arraymorph.delta.tensor.IntegerElements;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.delta.tensor.TensorSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What the public code of the Delta Tensor paper gets wrong, right here. */
class PaperDefectsTest {
  private static final DataType LONG = new DataType.Int(64, true);

  private static ArraySchema schema(Shape shape) {
    List<String> names = IntStream.range(0, shape.rank()).mapToObj(d -> "dim_" + d).toList();
    return new ArraySchema(
        LONG, shape, names, new FixedWidthElements(LONG, Shape.of(), new byte[8], 0));
  }

  /** A tensor in which the cells given have the values 1, 2, .. in the order given. */
  private static SparseTensor tensor(Shape shape, long[]... cells) {
    CellBuffer buffer = new CellBuffer(shape.rank(), LONG);
    for (int i = 0; i < cells.length; i++) {
      buffer.append(cells[i]);
      int at = buffer.values().extend(1);
      IntegerElements.write(buffer.values().bytes(), at, 8, i + 1);
    }
    return SparseTensor.of(schema(shape), buffer, DuplicatePolicy.ERROR, FillPolicy.KEEP);
  }

  /** Every cell of a shape. */
  private static SparseTensor full(long... lengths) {
    Shape shape = Shape.of(lengths);
    long[][] cells = new long[(int) shape.elementCount()][lengths.length];
    for (int i = 0; i < cells.length; i++) {
      long rest = i;
      for (int d = lengths.length - 1; d >= 0; d--) {
        cells[i][d] = rest % lengths[d];
        rest /= lengths[d];
      }
    }
    return tensor(shape, cells);
  }

  private static long[] slice(SparseTensor tensor, TensorLayout layout, String text) {
    List<Piece> pieces = new ArrayList<>();
    new TensorEncoder(tensor.schema(), layout, 0)
        .encode(tensor.columns(), tensor.count(), tensor.values(), pieces::add);
    TensorSlice slice = TensorSlice.parse(text, tensor.schema().shape());
    CellBuffer cells = new CellBuffer(tensor.schema().shape().rank(), LONG);
    TensorDecoder decoder = new TensorDecoder(tensor.schema(), layout);
    pieces.forEach(piece -> decoder.decode(piece, slice, cells));
    FixedWidthElements dense = (FixedWidthElements) slice.apply(tensor.schema(), cells).toDense();
    long[] values = new long[dense.count()];
    for (int i = 0; i < values.length; i++) {
      values[i] = IntegerElements.read(dense.bytes(), dense.offset() + 8 * i, 8, true);
    }
    return values;
  }

  private static TensorLayout blocks(TensorEncoding encoding, long... block) {
    List<Integer> axes = IntStream.range(0, block.length).boxed().toList();
    return TensorLayout.blocked(encoding, axes, Shape.of(block), "test");
  }

  @Test
  void ftsf_slices_two_outer_dimensions_without_the_chunks_between() {
    assertThat(slice(full(4, 5, 3), blocks(TensorEncoding.FTSF, 1, 1, 3), "1:3, 2:4, 0"))
        .containsExactly(22, 25, 37, 40);
  }

  @Test
  void ftsf_slices_part_of_a_chunked_dimension() {
    assertThat(slice(full(2, 3, 4), blocks(TensorEncoding.FTSF, 1, 3, 4), "1, 1:, 1:3"))
        .containsExactly(18, 19, 22, 23);
  }

  @Test
  void bsgs_keeps_what_lies_in_a_block_that_starts_before_the_slice() {
    SparseTensor tensor = tensor(Shape.of(8, 8), new long[] {3, 3}, new long[] {2, 7});
    assertThat(slice(tensor, blocks(TensorEncoding.BSGS, 4, 4), "3:5, 3:4")).containsExactly(1, 0);
  }

  @Test
  void bsgs_trims_blocks_to_the_slice() {
    SparseTensor tensor = tensor(Shape.of(8, 8), new long[] {0, 0}, new long[] {0, 1});
    assertThat(slice(tensor, blocks(TensorEncoding.BSGS, 4, 4), ":1, 1:2")).containsExactly(2);
  }

  @Test
  void csf_slices_by_index_where_the_first_mode_has_empty_indices() {
    SparseTensor tensor =
        tensor(Shape.of(9, 2, 2), new long[] {1, 0, 0}, new long[] {5, 1, 1}, new long[] {8, 0, 1});
    TensorLayout csf = TensorLayout.unblocked(TensorEncoding.CSF, 3, "test");
    assertThat(slice(tensor, csf, "5, 1, 1")).containsExactly(2);
    assertThat(slice(tensor, csf, "1:6, 0, 0")).containsExactly(1, 0, 0, 0, 0);
  }

  @Test
  void csf_slices_any_mode_of_any_rank_from_unsorted_cells() {
    SparseTensor plane = tensor(Shape.of(3, 4), new long[] {2, 1}, new long[] {0, 3});
    TensorLayout csf = TensorLayout.unblocked(TensorEncoding.CSF, 2, "test");
    assertThat(slice(plane, csf, ":, 1")).containsExactly(0, 0, 1);
    SparseTensor line = tensor(Shape.of(5), new long[] {4}, new long[] {1});
    TensorLayout short1 = TensorLayout.unblocked(TensorEncoding.CSF, 1, "test");
    assertThat(slice(line, short1, "::-1")).containsExactly(1, 0, 0, 2, 0);
  }

  @Test
  void csr_and_csc_slice_by_coordinate_not_by_position_in_the_arrays() {
    SparseTensor tensor =
        tensor(Shape.of(4, 6), new long[] {0, 5}, new long[] {2, 0}, new long[] {3, 5});
    for (TensorEncoding encoding : List.of(TensorEncoding.CSR, TensorEncoding.CSC)) {
      TensorLayout layout = TensorLayout.unblocked(encoding, 2, "test");
      assertThat(slice(tensor, layout, "2:, 4:")).as("" + encoding).containsExactly(0, 0, 0, 3);
    }
  }

  @Test
  void csc_brings_back_every_position_of_a_2_4_3_tensor() {
    TensorLayout csc = TensorLayout.unblocked(TensorEncoding.CSC, 3, "test");
    assertThat(slice(full(2, 4, 3), csc, ""))
        .containsExactly(IntStream.rangeClosed(1, 24).asLongStream().toArray());
  }

  @Test
  void values_beyond_a_float_or_a_double_keep_every_bit() {
    for (TensorEncoding encoding : TensorEncoding.values()) {
      CellBuffer buffer = new CellBuffer(1, LONG);
      long[] values = {(1L << 53) + 1, Long.MIN_VALUE, 16_777_217};
      for (int i = 0; i < values.length; i++) {
        buffer.append(i);
        IntegerElements.write(grown(buffer), 8 * i, 8, values[i]);
      }
      SparseTensor tensor =
          SparseTensor.of(schema(Shape.of(3)), buffer, DuplicatePolicy.ERROR, FillPolicy.KEEP);
      TensorLayout layout =
          encoding.usesBlocks() ? blocks(encoding, 2) : TensorLayout.unblocked(encoding, 1, "test");
      assertThat(slice(tensor, layout, "")).as("" + encoding).containsExactly(values);
    }
  }

  private static byte[] grown(CellBuffer buffer) {
    buffer.values().extend(1);
    return buffer.values().bytes();
  }
}
