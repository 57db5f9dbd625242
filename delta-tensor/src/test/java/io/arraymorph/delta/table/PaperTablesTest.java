package io.arraymorph.delta.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorLayout;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.delta.tensor.DuplicatePolicy;
import io.arraymorph.delta.tensor.ElementVectors;
import io.arraymorph.delta.tensor.FillPolicy;
import io.arraymorph.delta.tensor.IntegerElements;
import io.arraymorph.delta.tensor.RandomTensors;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.delta.tensor.TensorSlice;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables in the paper's column layouts, held against the same tensor in our own. */
class PaperTablesTest {
  private static final List<DataType> TYPES =
      List.of(
          new DataType.Bool(),
          new DataType.Int(8, true),
          new DataType.Int(8, false),
          new DataType.Int(16, true),
          new DataType.Int(16, false),
          new DataType.Int(32, true),
          new DataType.Int(32, false),
          new DataType.Float(FloatFormat.FLOAT32),
          new DataType.Float(FloatFormat.FLOAT64));

  private final ObjectStore store = new MemoryObjectStore("tables");

  private StorePath path(String name) {
    return new StorePath(store, name);
  }

  private static SparseTensor tensor(DataType type, int cells, Random random, long... shape) {
    ArraySchema schema = RandomTensors.schema(type, random, shape);
    return SparseTensor.of(
        schema, RandomTensors.cells(schema, cells, random), DuplicatePolicy.ERROR, FillPolicy.KEEP);
  }

  private static TensorLayout layout(TensorEncoding encoding, Shape shape, Random random) {
    if (!encoding.usesBlocks()) {
      return TensorLayout.unblocked(encoding, shape.rank(), "test");
    }
    long[] block = new long[shape.rank()];
    for (int d = 0; d < block.length; d++) {
      block[d] = 1 + random.nextLong(Math.max(1, shape.length(d)));
    }
    List<Integer> axes = IntStream.range(0, shape.rank()).boxed().toList();
    return TensorLayout.blocked(encoding, axes, Shape.of(block), "test");
  }

  private void write(String table, String id, SparseTensor tensor, TensorLayout layout) {
    DeltaTensors.at(path(table), TableForm.PAPER)
        .write(id, tensor, layout, WriteMode.REPLACE, Map.of());
  }

  @ParameterizedTest
  @EnumSource
  void any_slice_of_any_small_tensor_is_that_of_our_own_layout(TensorEncoding encoding) {
    for (int seed = 0; seed < 40; seed++) {
      Random random = new Random(seed);
      int rank = random.nextInt(6);
      long[] shape = new long[rank];
      for (int d = 0; d < rank; d++) {
        shape[d] = random.nextInt(12) == 0 ? 0 : 1 + random.nextInt(rank < 4 ? 14 : 6);
      }
      DataType type = TYPES.get(random.nextInt(TYPES.size()));
      SparseTensor tensor = tensor(type, random.nextInt(300), random, shape);
      TensorLayout layout = layout(encoding, tensor.schema().shape(), random);
      String table = encoding + "-" + seed;
      write(table, "t", tensor, layout);
      DeltaTensor read = DeltaTensors.open(path(table)).tensor("t");
      for (int i = 0; i < 4; i++) {
        String text = RandomTensors.slice(tensor.schema().shape(), random);
        String what = encoding + " seed " + seed + " " + tensor + " [" + text + "]";
        TensorSlice slice = TensorSlice.parse(text, tensor.schema().shape());
        assertSame(read.slice(text).toDense(), denseSlice(tensor.toDense(), slice), what);
        assertSame(read.dense(text), denseSlice(tensor.toDense(), slice), what);
        if (encoding != TensorEncoding.FTSF) {
          assertThat(read.slice(text).count()).as(what).isEqualTo(storedIn(tensor, slice));
        }
      }
    }
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
    int count = Math.toIntExact(slice.resultShape().elementCount());
    int[] picked = new int[count];
    long[] position = new long[slice.rank()];
    for (int i = 0; i < count; i++) {
      long place = 0;
      for (int d = 0; d < position.length; d++) {
        place = place * dense.shape().length(d) + slice.axes().get(d).index(position[d]);
      }
      picked[i] = (int) place;
      for (int d = position.length - 1;
          d >= 0 && ++position[d] == slice.axes().get(d).count();
          d--) {
        position[d] = 0;
      }
    }
    return ElementVectors.gather(dense, picked, 0, count);
  }

  /** The same bits, or both NaN: a float that becomes a double keeps no more of it. */
  private static void assertSame(Elements actual, Elements expected, String what) {
    assertThat(actual.count()).as(what).isEqualTo(expected.count());
    for (int i = 0; i < expected.count(); i++) {
      assertThat(
              ElementVectors.same(actual, i, expected, i)
                  || (isNan(actual, i) && isNan(expected, i)))
          .as(what + " element " + i)
          .isTrue();
    }
  }

  private static boolean isNan(Elements values, int i) {
    FixedWidthElements fixed = (FixedWidthElements) values;
    int width = fixed.type().byteWidth();
    long bits = IntegerElements.read(fixed.bytes(), fixed.offset() + i * width, width, true);
    return fixed.type() instanceof DataType.Float
        && (width == 8
            ? Double.isNaN(Double.longBitsToDouble(bits))
            : Float.isNaN(Float.intBitsToFloat((int) bits)));
  }

  @ParameterizedTest
  @EnumSource
  void one_table_holds_several_tensors_which_come_and_go_in_single_commits(
      TensorEncoding encoding) {
    Random random = new Random(7);
    DataType type = new DataType.Float(FloatFormat.FLOAT32);
    SparseTensor first = tensor(type, 200, random, 9, 5, 8);
    SparseTensor second = tensor(type, 300, random, 4, 12, 3);
    write("t", "a", first, layout(encoding, first.schema().shape(), random));
    write("t", "b", second, layout(encoding, second.schema().shape(), random));
    DeltaTensors both = DeltaTensors.open(path("t"));
    assertThat(both.tensors()).extracting(h -> h.tensorId()).containsExactly("a", "b");
    assertThat(both.form()).isEqualTo(TableForm.PAPER);
    assertSame(both.tensor("b").read().toDense(), second.toDense(), "b");
    write("t", "b", first, layout(encoding, first.schema().shape(), random));
    assertSame(
        DeltaTensors.open(path("t")).tensor("b").read().toDense(), first.toDense(), "replaced");
    assertSame(
        both.atVersion(both.version()).tensor("b").read().toDense(), second.toDense(), "before");
    both.delete("a");
    assertThat(DeltaTensors.open(path("t")).tensors())
        .extracting(h -> h.tensorId())
        .containsExactly("b");
    assertThatThrownBy(() -> DeltaTensors.open(path("t")).append("b", 0, first))
        .hasMessageContaining("[ARRAYMORPH_UNSUPPORTED_FEATURE]");
    TensorEncoding other = encoding == TensorEncoding.COO ? TensorEncoding.CSF : TensorEncoding.COO;
    assertThatThrownBy(
            () -> write("t", "c", second, layout(other, second.schema().shape(), random)))
        .hasMessageContaining("[ARRAYMORPH_UNSUPPORTED_FEATURE]");
  }

  @Test
  void a_tree_of_more_than_50_000_entries_is_cut_into_parts() {
    Random random = new Random(11);
    SparseTensor tensor = tensor(new DataType.Int(32, true), 300_000, random, 800, 700, 50, 20);
    assertThat(tensor.count()).isGreaterThan(60_000);
    write("csf", "t", tensor, layout(TensorEncoding.CSF, tensor.schema().shape(), random));
    DeltaTensor read = DeltaTensors.open(path("csf")).tensor("t");
    assertThat(read.read()).isEqualTo(tensor);
    String text = "100:400, ::3, 7, [1,5,2]";
    TensorSlice slice = TensorSlice.parse(text, tensor.schema().shape());
    assertThat(read.slice(text).count()).isEqualTo(storedIn(tensor, slice)).isPositive();
  }

  @Test
  void a_slice_of_dense_chunks_reads_only_their_pages() {
    Random random = new Random(3);
    byte[] bytes = new byte[60 * 3 * 64 * 64];
    random.nextBytes(bytes);
    DataType type = new DataType.Int(8, false);
    Shape shape = Shape.of(60, 3, 64, 64);
    ArraySchema schema =
        new ArraySchema(
            type,
            shape,
            List.of("image", "channel", "y", "x"),
            new FixedWidthElements(type, Shape.of(), new byte[1], 0));
    TensorLayout layout =
        TensorLayout.blocked(
            TensorEncoding.FTSF, List.of(0, 1, 2, 3), Shape.of(1, 3, 64, 64), "test");
    Elements array = new FixedWidthElements(type, shape, bytes, 0);
    DeltaTensors.at(path("images"), TableForm.PAPER)
        .writeDense("t", schema, array, layout, WriteMode.CREATE, Map.of());
    RecordingObjectStore counted = new RecordingObjectStore(store);
    DeltaTensor tensor = DeltaTensors.open(new StorePath(counted, "images")).tensor("t");
    FixedWidthElements image = (FixedWidthElements) tensor.dense("17");
    for (int i = 0; i < image.count(); i++) {
      assertThat(image.bytes()[image.offset() + i]).isEqualTo(bytes[17 * 3 * 64 * 64 + i]);
    }
    // The end of the file and a page of five images: not 60 of them.
    assertThat(counted.bytesRead()).isLessThan(140_000);
  }

  @Test
  void a_value_that_is_no_double_is_refused() {
    DataType type = new DataType.Int(64, true);
    ArraySchema schema =
        new ArraySchema(
            type,
            Shape.of(3),
            List.of("i"),
            new FixedWidthElements(type, Shape.of(), new byte[8], 0));
    CellBuffer cells = new CellBuffer(1, type);
    cells.append(1);
    int first = cells.values().extend(1);
    IntegerElements.write(cells.values().bytes(), first, 8, 5);
    SparseTensor small = SparseTensor.of(schema, cells, DuplicatePolicy.ERROR, FillPolicy.KEEP);
    write("long", "t", small, layout(TensorEncoding.COO, schema.shape(), new Random(0)));
    assertThat(DeltaTensors.open(path("long")).tensor("t").read()).isEqualTo(small);
    CellBuffer wide = new CellBuffer(1, type);
    wide.append(1);
    int at = wide.values().extend(1);
    IntegerElements.write(wide.values().bytes(), at, 8, (1L << 53) + 1);
    SparseTensor large = SparseTensor.of(schema, wide, DuplicatePolicy.ERROR, FillPolicy.KEEP);
    assertThatThrownBy(
            () ->
                write(
                    "long", "u", large, layout(TensorEncoding.COO, schema.shape(), new Random(0))))
        .hasMessageContaining("[ARRAYMORPH_TYPE_MISMATCH]");
    SparseTensor text = tensor(new DataType.VariableString(), 9, new Random(0), 4);
    assertThatThrownBy(
            () ->
                write(
                    "text",
                    "t",
                    text,
                    layout(TensorEncoding.BSGS, text.schema().shape(), new Random(0))))
        .hasMessageContaining("[ARRAYMORPH_UNSUPPORTED_TYPE]");
  }

  @Test
  void writers_at_once_lose_nothing() throws Exception {
    Random random = new Random(9);
    SparseTensor tensor = tensor(new DataType.Int(32, true), 50, random, 6, 7);
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try {
      List<Future<?>> writes = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        String id = "t" + i;
        writes.add(
            threads.submit(
                () ->
                    write("many", id, tensor, TensorLayout.unblocked(TensorEncoding.CSR, 2, ""))));
      }
      for (Future<?> write : writes) {
        write.get();
      }
    } finally {
      threads.shutdownNow();
    }
    DeltaTensors tensors = DeltaTensors.open(path("many"));
    assertThat(tensors.tensors()).hasSize(6);
    for (int i = 0; i < 6; i++) {
      assertThat(tensors.tensor("t" + i).read()).isEqualTo(tensor);
    }
  }
}
