package io.arraymorph.delta.encoding;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.delta.tensor.DuplicatePolicy;
import io.arraymorph.delta.tensor.ElementVectors;
import io.arraymorph.delta.tensor.FillPolicy;
import io.arraymorph.delta.tensor.RandomTensors;
import io.arraymorph.delta.tensor.SliceAssembly;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.delta.tensor.TensorSlice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every encoding must do, held against a dense array. */
class EncodingContractTest {

  @ParameterizedTest
  @EnumSource
  void any_slice_of_any_small_tensor_equals_the_slice_of_the_dense_array(TensorEncoding encoding) {
    for (int seed = 0; seed < 400; seed++) {
      Random random = new Random(seed);
      int rank = random.nextInt(9);
      long[] shape = new long[rank];
      for (int d = 0; d < rank; d++) {
        int longest = rank < 4 ? 14 : rank < 6 ? 6 : 4;
        shape[d] = random.nextInt(12) == 0 ? 0 : 1 + random.nextInt(longest);
      }
      List<DataType> types = RandomTensors.allTypes();
      ArraySchema schema =
          RandomTensors.schema(types.get(random.nextInt(types.size())), random, shape);
      SparseTensor tensor = tensor(schema, random.nextInt(300), random);
      String text = RandomTensors.slice(schema.shape(), random);
      String what = encoding + " seed " + seed + " " + tensor + " [" + text + "]";

      TensorLayout layout = layout(encoding, schema.shape(), random);
      SparseTensor sliced = slice(tensor, layout, text, random);

      TensorSlice slice = TensorSlice.parse(text, schema.shape());
      assertThat(sliced.schema().shape()).as(what).isEqualTo(slice.resultShape());
      assertSameElements(sliced.toDense(), denseSlice(tensor.toDense(), slice), what);
      if (encoding != TensorEncoding.FTSF) {
        assertThat(sliced.count()).as(what + " stored").isEqualTo(storedIn(tensor, slice));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = "FTSF", mode = EnumSource.Mode.EXCLUDE)
  void dimensions_beyond_2_to_the_31_are_kept_exactly(TensorEncoding encoding) {
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      long[] shape = {1L << 34, 5, (1L << 22) + 3};
      ArraySchema schema =
          RandomTensors.schema(new DataType.Float(FloatFormat.FLOAT64), random, shape);
      SparseTensor tensor = tensor(schema, 200, random);
      TensorLayout layout =
          encoding.usesBlocks()
              ? TensorLayout.blocked(encoding, List.of(2, 0, 1), Shape.of(1L << 14, 2, 999), "test")
              : TensorLayout.unblocked(encoding, List.of(1, 0, 2), "test");
      assertThat(slice(tensor, layout, "", random)).as("seed " + seed).isEqualTo(tensor);
    }
  }

  @ParameterizedTest
  @EnumSource
  void every_element_type_survives_bit_for_bit(TensorEncoding encoding) {
    for (DataType type : RandomTensors.allTypes()) {
      for (int seed = 0; seed < 8; seed++) {
        Random random = new Random(seed);
        ArraySchema schema = RandomTensors.schema(type, random, 9, 4, 11);
        SparseTensor tensor = tensor(schema, 1 + random.nextInt(400), random);
        TensorLayout layout = layout(encoding, schema.shape(), random);
        SparseTensor back = slice(tensor, layout, "", random);
        assertSameElements(
            back.toDense(), tensor.toDense(), encoding + " " + type.zarrName() + " seed " + seed);
      }
    }
  }

  private static SparseTensor tensor(ArraySchema schema, int cells, Random random) {
    return SparseTensor.of(
        schema, RandomTensors.cells(schema, cells, random), DuplicatePolicy.ERROR, FillPolicy.KEEP);
  }

  private static TensorLayout layout(TensorEncoding encoding, Shape shape, Random random) {
    List<Integer> axes =
        IntStream.range(0, shape.rank()).boxed().collect(Collectors.toCollection(ArrayList::new));
    Collections.shuffle(axes, random);
    TensorLayout layout;
    if (encoding.usesBlocks()) {
      long[] block = new long[shape.rank()];
      for (int d = 0; d < block.length; d++) {
        block[d] = 1 + random.nextLong(Math.max(1, shape.length(d) + 2));
      }
      layout = TensorLayout.blocked(encoding, axes, Shape.of(block), "test");
    } else {
      layout = TensorLayout.unblocked(encoding, axes, "test");
    }
    return new TensorLayout(
        encoding,
        layout.axisOrder(),
        layout.compressedAxes(),
        layout.block(),
        1 + random.nextInt(100),
        "test");
  }

  /** Encodes, through the header's JSON and rows in any order, and decodes a slice. */
  private static SparseTensor slice(
      SparseTensor tensor, TensorLayout layout, String text, Random random) {
    TensorHeader header =
        new TensorHeader("t", tensor.schema(), layout, tensor.count(), java.util.Map.of("a", "b"));
    TensorHeader stored = HeaderJson.read(HeaderJson.write(header));
    assertThat(stored.layout()).isEqualTo(layout);
    List<Piece> pieces = new ArrayList<>();
    new TensorEncoder(tensor.schema(), layout, 0)
        .encode(tensor.columns(), tensor.count(), tensor.values(), pieces::add);
    Collections.shuffle(pieces, random);
    TensorSlice slice = TensorSlice.parse(text, tensor.schema().shape());
    CellBuffer cells = new CellBuffer(tensor.schema().shape().rank(), tensor.schema().dataType());
    TensorDecoder decoder = new TensorDecoder(stored.schema(), stored.layout());
    pieces.forEach(piece -> decoder.decode(piece, slice, cells));
    SparseTensor applied = slice.apply(tensor.schema(), cells);
    SliceAssembly assembly = new SliceAssembly(tensor.schema(), slice);
    pieces.forEach(piece -> assembly.add(decoder.run(piece, assembly)));
    assertThat(assembly.result()).as("%s of %s", text, layout).isEqualTo(applied);
    return applied;
  }

  private static int storedIn(SparseTensor tensor, TensorSlice slice) {
    int stored = 0;
    for (int i = 0; i < tensor.count(); i++) {
      int times = 1;
      for (int d = 0; d < slice.rank(); d++) {
        times *= slice.axes().get(d).occurrences(tensor.column(d)[i]);
      }
      stored += times;
    }
    return stored;
  }

  private static Elements denseSlice(Elements dense, TensorSlice slice) {
    int rank = slice.rank();
    Shape full = dense.shape();
    int count = Math.toIntExact(slice.resultShape().elementCount());
    int[] picked = new int[count];
    long[] position = new long[rank];
    for (int i = 0; i < count; i++) {
      long place = 0;
      for (int d = 0; d < rank; d++) {
        place = place * full.length(d) + slice.axes().get(d).index(position[d]);
      }
      picked[i] = (int) place;
      for (int d = rank - 1; d >= 0 && ++position[d] == slice.axes().get(d).count(); d--) {
        position[d] = 0;
      }
    }
    return ElementVectors.gather(dense, picked, 0, count);
  }

  private static void assertSameElements(Elements actual, Elements expected, String what) {
    assertThat(actual.count()).as(what).isEqualTo(expected.count());
    for (int i = 0; i < expected.count(); i++) {
      assertThat(ElementVectors.same(actual, i, expected, i)).as(what + " element " + i).isTrue();
    }
  }
}
