package io.arraymorph.delta.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.encoding.LayoutChoice;
import io.arraymorph.delta.encoding.TensorEncoder;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.encoding.TensorLayout;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.delta.tensor.DuplicatePolicy;
import io.arraymorph.delta.tensor.FillPolicy;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StoreOperation;
import io.arraymorph.store.StorePath;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DenseTensorTest {
  private static final DataType BYTE = new DataType.Int(8, false);

  private final RecordingObjectStore store =
      new RecordingObjectStore(new MemoryObjectStore("dense"));
  private final StorePath path = new StorePath(store, "t");

  private static ArraySchema schema(long... shape) {
    List<String> names = List.of("a", "b", "c").subList(0, shape.length);
    return new ArraySchema(
        BYTE, Shape.of(shape), names, new FixedWidthElements(BYTE, Shape.of(), new byte[1], 0));
  }

  private static Elements noise(int seed, long... shape) {
    byte[] bytes = new byte[(int) Shape.of(shape).elementCount()];
    new Random(seed).nextBytes(bytes);
    return new FixedWidthElements(BYTE, Shape.of(shape), bytes, 0);
  }

  private static byte[] bytes(Elements elements) {
    FixedWidthElements fixed = (FixedWidthElements) elements;
    return Arrays.copyOfRange(fixed.bytes(), fixed.offset(), fixed.offset() + fixed.count());
  }

  private void write(Elements values, Shape block) {
    ArraySchema schema = schema(values.shape().toArray());
    TensorLayout layout = LayoutChoice.ofDense(schema, Set.of(), Optional.of(block));
    DeltaTensors.at(path).writeDense("d", schema, values, layout, WriteMode.CREATE, Map.of());
  }

  @Test
  void appends_that_end_inside_a_chunk_leave_the_cells_before_alone() {
    Elements first = noise(1, 5, 6);
    Elements second = noise(2, 4, 6);
    write(first, Shape.of(3, 4));
    DeltaTensors.at(path).appendDense("d", 0, schema(4, 6), second);
    CellBuffer one = new CellBuffer(2, BYTE);
    one.append(0, 5);
    int at = one.values().extend(1);
    one.values().bytes()[at] = 77;
    DeltaTensors.at(path)
        .append("d", 0, SparseTensor.of(schema(2, 6), one, DuplicatePolicy.ERROR, FillPolicy.KEEP));
    DeltaTensor tensor = DeltaTensors.open(path).tensor("d");
    assertThat(tensor.schema().shape()).isEqualTo(Shape.of(11, 6));
    assertThat(bytes(tensor.dense(":5"))).isEqualTo(bytes(first));
    assertThat(bytes(tensor.dense("5:9"))).isEqualTo(bytes(second));
    assertThat(bytes(tensor.dense("9:")))
        .isEqualTo(new byte[] {0, 0, 0, 0, 0, 77, 0, 0, 0, 0, 0, 0});
    assertThat(bytes(tensor.slice("3:10").toDense())).isEqualTo(bytes(tensor.dense("3:10")));
  }

  @Test
  void rows_that_overlap_are_refused_rather_than_read_in_some_order() {
    ArraySchema schema = schema(4, 4);
    TensorLayout layout = LayoutChoice.ofDense(schema, Set.of(), Optional.of(Shape.of(2, 4)));
    TensorHeader header = new TensorHeader("d", schema, layout, 16, Map.of());
    DeltaTensors.at(path)
        .writePieces(
            header,
            WriteMode.CREATE,
            sink -> {
              TensorEncoder encoder = new TensorEncoder(schema, layout, 0);
              long[] high = {1, 3};
              sink.accept(encoder.chunk(Box.of(new long[2], high), noise(1, 2, 4)));
              sink.accept(
                  encoder.chunk(Box.of(new long[] {1, 0}, new long[] {2, 3}), noise(2, 2, 4)));
            });
    DeltaTensor tensor = DeltaTensors.open(path).tensor("d");
    assertThatThrownBy(() -> tensor.dense(""))
        .hasMessageContaining("[ARRAYMORPH_CHUNK_CORRUPT]")
        .hasMessageContaining("two rows");
    for (String slice : List.of("1", "[1, 3]", "::-1", "[1, 1], [0, 2]")) {
      assertThatThrownBy(() -> tensor.slice(slice))
          .as(slice)
          .hasMessageContaining("[ARRAYMORPH_CHUNK_CORRUPT]");
      assertThatThrownBy(() -> tensor.dense(slice))
          .as(slice)
          .hasMessageContaining("[ARRAYMORPH_CHUNK_CORRUPT]");
    }
    assertThat(bytes(tensor.dense("[0]"))).isEqualTo(Arrays.copyOf(bytes(noise(1, 2, 4)), 4));
  }

  @Test
  void one_image_costs_its_own_bytes_in_one_request() {
    Elements images = noise(3, 40, 200, 200);
    write(images, Shape.of(1, 200, 200));
    DeltaTensor tensor = DeltaTensors.open(path).tensor("d");
    tensor.dense("3");
    store.clear();
    byte[] image = bytes(tensor.dense("17"));
    assertThat(image).isEqualTo(Arrays.copyOfRange(bytes(images), 17 * 40_000, 18 * 40_000));
    assertThat(store.count(StoreOperation.GET)).isEqualTo(1);
    assertThat(store.bytesRead()).isBetween(40_000L, 44_000L);
  }

  @Test
  void a_dense_array_is_not_appended_to_a_sparse_tensor() {
    ArraySchema schema = schema(4, 4);
    SparseTensor empty =
        SparseTensor.of(schema, new CellBuffer(2, BYTE), DuplicatePolicy.ERROR, FillPolicy.KEEP);
    TensorLayout layout = TensorLayout.unblocked(TensorEncoding.COO, 2, "test");
    DeltaTensors.at(path).write("d", empty, layout, WriteMode.CREATE, Map.of());
    assertThatThrownBy(
            () -> DeltaTensors.at(path).appendDense("d", 0, schema(4, 4), noise(1, 4, 4)))
        .hasMessageContaining("[ARRAYMORPH_UNSUPPORTED_FEATURE]");
  }

  @Test
  void chunks_that_share_pages_are_told_apart_whichever_are_wanted() {
    Elements chunks = noise(4, 300, 20, 50);
    write(chunks, Shape.of(1, 20, 50));
    DeltaTensor tensor = DeltaTensors.open(path).tensor("d");
    Random random = new Random(5);
    for (int n = 0; n < 200; n++) {
      int first = random.nextInt(300);
      int second = random.nextInt(300);
      int third = random.nextInt(300);
      byte[] found = bytes(tensor.slice("[" + first + "," + second + "," + third + "]").toDense());
      int i = 0;
      for (int wanted : new int[] {first, second, third}) {
        assertThat(Arrays.copyOfRange(found, 1000 * i, 1000 * ++i))
            .as("chunk " + wanted + " of " + first + " " + second + " " + third)
            .isEqualTo(Arrays.copyOfRange(bytes(chunks), 1000 * wanted, 1000 * wanted + 1000));
      }
    }
  }
}
