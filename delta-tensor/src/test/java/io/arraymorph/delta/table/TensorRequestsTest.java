package io.arraymorph.delta.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorLayout;
import io.arraymorph.delta.tensor.DuplicatePolicy;
import io.arraymorph.delta.tensor.FillPolicy;
import io.arraymorph.delta.tensor.RandomTensors;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StoreOperation;
import io.arraymorph.store.StorePath;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How many requests reading takes, exactly. */
class TensorRequestsTest {
  private final RecordingObjectStore store =
      new RecordingObjectStore(new MemoryObjectStore("tables"));
  private final StorePath path = new StorePath(store, "t");
  private SparseTensor tensor;

  @BeforeEach
  void a_tensor_in_a_new_table() {
    Random random = new Random(1);
    ArraySchema schema =
        RandomTensors.schema(new DataType.Float(FloatFormat.FLOAT64), random, 40, 300, 200);
    tensor =
        SparseTensor.of(
            schema,
            RandomTensors.cells(schema, 200_000, random),
            DuplicatePolicy.ERROR,
            FillPolicy.KEEP);
    write("a");
    store.clear();
  }

  private void write(String id) {
    TensorLayout layout =
        TensorLayout.blocked(
            TensorEncoding.BSGS, List.of(0, 1, 2), Shape.of(1, 300, 200), "one index a row");
    DeltaTensors.at(path).write(id, tensor, layout, WriteMode.CREATE, Map.of());
  }

  private List<String> requests() {
    return store.requests().stream()
        .map(r -> r.operation() + " " + (r.key().endsWith(".parquet") ? "data" : r.key()))
        .toList();
  }

  @Test
  void a_table_and_its_first_tensor_are_one_commit() {
    assertThat(DeltaTensors.open(path).version()).isZero();
  }

  @Test
  void a_cold_slice_lists_the_log_reads_its_one_entry_the_end_of_the_file_and_the_pages() {
    DeltaTensor opened = DeltaTensors.open(path).tensor("a");
    assertThat(requests())
        .containsExactly("LIST t/_delta_log/", "GET t/_delta_log/00000000000000000000.json");
    store.clear();
    assertThat(opened.slice("17").count()).isPositive();
    assertThat(requests()).containsExactly("GET data", "GET data", "GET data");
    store.clear();
    assertThat(opened.slice("23").count()).isPositive();
    assertThat(requests()).as("positions and values of the same rows").hasSize(2);
    assertThat(opened.read()).isEqualTo(tensor);
  }

  @Test
  void what_finds_rows_is_one_read_however_many_rows_a_file_has() {
    TensorLayout layout =
        TensorLayout.blocked(
            TensorEncoding.BSGS, List.of(0, 1, 2), Shape.of(1, 1, 200), "many small rows");
    DeltaTensors.at(path).write("rows", tensor, layout, WriteMode.CREATE, Map.of());
    DeltaTensor opened = DeltaTensors.open(path).tensor("rows");
    store.clear();
    opened.slice("3, 7");
    assertThat(store.requests().get(0).bytes()).isGreaterThan(64 << 10);
    assertThat(requests()).containsExactly("GET data", "GET data", "GET data");
  }

  @Test
  void a_handle_of_one_version_never_asks_for_the_log_again() {
    DeltaTensors tensors = DeltaTensors.open(path);
    tensors.tensor("a").slice("1");
    store.clear();
    for (int i = 0; i < 5; i++) {
      tensors.tensor("a").slice("" + i);
    }
    assertThat(store.requests()).allMatch(r -> r.operation() == StoreOperation.GET);
    assertThat(store.requests()).noneMatch(r -> r.key().contains("_delta_log"));
  }

  @Test
  void the_newest_version_costs_one_listing_and_the_entries_that_are_new() {
    DeltaTensors tensors = DeltaTensors.open(path);
    store.clear();
    DeltaTensors same = tensors.latest();
    same.tensor("a");
    assertThat(requests()).containsExactly("LIST t/_delta_log/");
    write("b");
    store.clear();
    tensors.latest().tensor("b");
    assertThat(requests())
        .containsExactly("LIST t/_delta_log/", "GET t/_delta_log/00000000000000000001.json");
  }

  @Test
  void what_another_writer_puts_in_place_of_an_entry_is_seen() {
    DeltaTensors tensors = DeltaTensors.open(path);
    tensors.tensor("a");
    store
        .deleteAll(store.list("t/", "", "").join().objects().stream().map(o -> o.key()).toList())
        .join();
    write("other");
    assertThat(tensors.latest().find("a")).isEmpty();
    assertThat(tensors.latest().find("other")).isPresent();
  }
}
