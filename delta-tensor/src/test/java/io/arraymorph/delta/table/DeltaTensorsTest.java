package io.arraymorph.delta.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.encoding.TensorLayout;
import io.arraymorph.delta.tensor.DuplicatePolicy;
import io.arraymorph.delta.tensor.ElementVectors;
import io.arraymorph.delta.tensor.FillPolicy;
import io.arraymorph.delta.tensor.RandomTensors;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.LocalObjectStore;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectStat;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DeltaTensorsTest {
  private static final DataType DOUBLE = new DataType.Float(FloatFormat.FLOAT64);

  private final ObjectStore store = new MemoryObjectStore("tables");
  private final StorePath path = new StorePath(store, "a b/tensors");

  private static SparseTensor tensor(int seed, int cells, long... shape) {
    Random random = new Random(seed);
    ArraySchema schema = RandomTensors.schema(DOUBLE, random, shape);
    return SparseTensor.of(
        schema, RandomTensors.cells(schema, cells, random), DuplicatePolicy.ERROR, FillPolicy.KEEP);
  }

  private static TensorLayout layout(TensorEncoding encoding, Shape shape) {
    List<Integer> axes = IntStream.range(0, shape.rank()).boxed().toList();
    if (!encoding.usesBlocks()) {
      return TensorLayout.unblocked(encoding, axes, "test");
    }
    long[] block = shape.toArray();
    for (int d = 0; d < block.length; d++) {
      block[d] = Math.max(1, block[d] / 3);
    }
    return TensorLayout.blocked(encoding, axes, Shape.of(block), "test");
  }

  private long write(String id, SparseTensor tensor, WriteMode mode) {
    TensorLayout layout = layout(TensorEncoding.BSGS, tensor.schema().shape());
    return DeltaTensors.at(path).write(id, tensor, layout, mode, Map.of());
  }

  @ParameterizedTest
  @EnumSource
  void slices_of_a_written_tensor_equal_slices_of_the_tensor(TensorEncoding encoding) {
    for (int seed = 0; seed < 2; seed++) {
      Random random = new Random(seed);
      SparseTensor tensor = tensor(seed, 3000, 40, 9, 31);
      String id = encoding + "/" + seed;
      DeltaTensors.at(path)
          .write(
              id,
              tensor,
              layout(encoding, tensor.schema().shape()),
              WriteMode.CREATE,
              Map.of("seed", "" + seed));
      DeltaTensor written = DeltaTensors.open(path).tensor(id);
      if (encoding != TensorEncoding.FTSF) {
        assertThat(written.read()).isEqualTo(tensor);
        assertThat(written.header().storedCells()).isEqualTo(tensor.count());
      }
      assertThat(written.header().attributes()).containsEntry("seed", "" + seed);
      DeltaTensors reference = referenceFor(tensor);
      for (int i = 0; i < 8; i++) {
        String text = RandomTensors.slice(tensor.schema().shape(), random);
        Elements expected = reference.tensor("t").dense(text);
        Elements actual = written.dense(text);
        assertThat(actual.shape()).as(text).isEqualTo(expected.shape());
        for (int e = 0; e < expected.count(); e++) {
          assertThat(ElementVectors.same(actual, e, expected, e))
              .as(encoding + " seed " + seed + " [" + text + "] element " + e)
              .isTrue();
        }
      }
    }
  }

  /** The same tensor in one row; its slices are held against a dense array elsewhere. */
  private static DeltaTensors referenceFor(SparseTensor tensor) {
    StorePath other = new StorePath(new MemoryObjectStore("reference"), "t");
    DeltaTensors.at(other)
        .write(
            "t",
            tensor,
            layout(TensorEncoding.COO, tensor.schema().shape()),
            WriteMode.CREATE,
            Map.of());
    return DeltaTensors.open(other);
  }

  @Test
  void tensors_of_all_ranks_share_a_table() {
    for (int rank = 0; rank <= 8; rank++) {
      long[] shape = new long[rank];
      java.util.Arrays.fill(shape, 3);
      write("rank " + rank, tensor(rank, 20, shape), WriteMode.CREATE);
    }
    write("empty", tensor(1, 0, 5, 0, 3), WriteMode.CREATE);
    DeltaTensors tensors = DeltaTensors.open(path);
    assertThat(tensors.tensors().stream().map(TensorHeader::tensorId))
        .containsExactly(
            "empty", "rank 0", "rank 1", "rank 2", "rank 3", "rank 4", "rank 5", "rank 6", "rank 7",
            "rank 8");
    for (int rank = 0; rank <= 8; rank++) {
      long[] shape = new long[rank];
      java.util.Arrays.fill(shape, 3);
      assertThat(tensors.tensor("rank " + rank).read()).isEqualTo(tensor(rank, 20, shape));
    }
    assertThat(tensors.tensor("empty").read().count()).isZero();
  }

  @Test
  void replaced_and_deleted_tensors_stay_in_earlier_versions() throws Exception {
    long first = write("t", tensor(1, 100, 10, 10), WriteMode.CREATE);
    Instant between = Instant.now();
    Thread.sleep(20);
    long second = write("t", tensor(2, 100, 12, 3), WriteMode.REPLACE);
    write("other", tensor(3, 10, 4), WriteMode.CREATE);
    long gone = DeltaTensors.at(path).delete("t");
    assertThat(List.of(first, second, gone)).containsExactly(0L, 1L, 3L);
    DeltaTensors tensors = DeltaTensors.open(path);
    assertThat(tensors.find("t")).isEmpty();
    assertThat(tensors.atVersion(first).tensor("t").read()).isEqualTo(tensor(1, 100, 10, 10));
    assertThat(tensors.atTimestamp(between).tensor("t").read()).isEqualTo(tensor(1, 100, 10, 10));
    assertThat(tensors.atVersion(second).tensor("t").read()).isEqualTo(tensor(2, 100, 12, 3));
    assertThat(tensors.tensor("other").read()).isEqualTo(tensor(3, 10, 4));
    assertThat(write("t", tensor(1, 100, 10, 10), WriteMode.CREATE)).isEqualTo(4);
  }

  @Test
  void appended_tensors_lie_behind_each_other() {
    SparseTensor a = tensor(1, 60, 7, 5);
    SparseTensor b = tensor(2, 50, 4, 5);
    write("t", a, WriteMode.CREATE);
    DeltaTensors.at(path).append("t", 0, b);
    DeltaTensor both = DeltaTensors.open(path).tensor("t");
    assertThat(both.schema().shape()).isEqualTo(Shape.of(11, 5));
    assertThat(both.header().storedCells()).isEqualTo(a.count() + b.count());
    SparseTensor front = both.slice(":7");
    SparseTensor back = both.slice("7:");
    assertThat(front).isEqualTo(a);
    assertThat(back.columns()).isDeepEqualTo(b.columns());
    assertThatThrownBy(() -> DeltaTensors.at(path).append("t", 1, b))
        .hasMessageContaining("[ARRAYMORPH_SHAPE_MISMATCH]");
  }

  @Test
  void writers_at_once_lose_nothing(@TempDir Path directory) throws Exception {
    for (ObjectStore shared :
        List.of(new LocalObjectStore(directory), new MemoryObjectStore("m"))) {
      StorePath table = new StorePath(shared, "table");
      ExecutorService threads = Executors.newFixedThreadPool(8);
      try {
        List<Future<Long>> commits = new ArrayList<>();
        for (int w = 0; w < 8; w++) {
          int writer = w;
          for (int i = 0; i < 3; i++) {
            int n = i;
            Callable<Long> work =
                () ->
                    DeltaTensors.at(table)
                        .write(
                            writer + "-" + n,
                            tensor(writer * 10 + n, 40, 9, 9),
                            layout(TensorEncoding.COO, Shape.of(9, 9)),
                            WriteMode.CREATE,
                            Map.of());
            commits.add(threads.submit(work));
          }
        }
        List<Long> versions = new ArrayList<>();
        for (Future<Long> commit : commits) {
          versions.add(commit.get());
        }
        assertThat(versions).doesNotHaveDuplicates().hasSize(24);
        DeltaTensors tensors = DeltaTensors.open(table);
        assertThat(tensors.tensors()).hasSize(24);
        for (int w = 0; w < 8; w++) {
          for (int i = 0; i < 3; i++) {
            assertThat(tensors.tensor(w + "-" + i).read()).isEqualTo(tensor(w * 10 + i, 40, 9, 9));
          }
        }
      } finally {
        threads.shutdownNow();
      }
    }
  }

  @Test
  void appenders_of_one_tensor_at_once_all_arrive() throws Exception {
    write("t", tensor(0, 10, 2, 6), WriteMode.CREATE);
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<Long>> commits = new ArrayList<>();
      for (int w = 1; w <= 8; w++) {
        SparseTensor more = tensor(w, 6 * w, w, 6);
        commits.add(threads.submit(() -> DeltaTensors.at(path).append("t", 0, more)));
      }
      for (Future<Long> commit : commits) {
        commit.get();
      }
    } finally {
      threads.shutdownNow();
    }
    DeltaTensor all = DeltaTensors.open(path).tensor("t");
    assertThat(all.schema().shape()).isEqualTo(Shape.of(38, 6));
    int expected = tensor(0, 10, 2, 6).count();
    for (int w = 1; w <= 8; w++) {
      expected += tensor(w, 6 * w, w, 6).count();
    }
    assertThat(all.read().count()).isEqualTo(expected);
    assertThat(all.header().storedCells()).isEqualTo(expected);
  }

  @Test
  void two_creators_of_one_tensor_cannot_both_win() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<Long>> commits = new ArrayList<>();
      for (int w = 0; w < 4; w++) {
        int seed = w;
        commits.add(threads.submit(() -> write("t", tensor(seed, 30, 8, 8), WriteMode.CREATE)));
      }
      int won = 0;
      int refused = 0;
      for (Future<Long> commit : commits) {
        try {
          commit.get();
          won++;
        } catch (java.util.concurrent.ExecutionException e) {
          assertThat(e).hasMessageContaining("[ARRAYMORPH_ARRAY_EXISTS]");
          refused++;
        }
      }
      assertThat(List.of(won, refused)).containsExactly(1, 3);
    } finally {
      threads.shutdownNow();
    }
    assertThat(DeltaTensors.open(path).tensors()).hasSize(1);
    long files =
        store.list("a b/tensors/", "/", "").get().objects().stream()
            .filter(o -> o.key().endsWith(".parquet"))
            .count();
    assertThat(files).as("data and header of the winner, nothing of the others").isEqualTo(2);
  }

  @Test
  void bad_requests_have_codes() throws Exception {
    assertThatThrownBy(() -> DeltaTensors.open(path))
        .hasMessageContaining("[ARRAYMORPH_NOT_A_TENSOR_TABLE]");
    write("t", tensor(1, 100, 10, 10), WriteMode.CREATE);
    DeltaTensors tensors = DeltaTensors.open(path);
    assertThatThrownBy(() -> tensors.tensor("u"))
        .hasMessageContaining("[ARRAYMORPH_UNKNOWN_TENSOR]")
        .hasMessageContaining("[t]");
    assertThatThrownBy(() -> write("t", tensor(2, 10, 3), WriteMode.CREATE))
        .hasMessageContaining("[ARRAYMORPH_ARRAY_EXISTS]");
    assertThatThrownBy(() -> tensors.delete("u"))
        .hasMessageContaining("[ARRAYMORPH_UNKNOWN_TENSOR]");
    assertThatThrownBy(() -> tensors.atVersion(99))
        .hasMessageContaining("[ARRAYMORPH_OUT_OF_BOUNDS]");
    assertThatThrownBy(() -> tensors.tensor("t").slice("11"))
        .hasMessageContaining("[ARRAYMORPH_OUT_OF_BOUNDS]");
    assertThatThrownBy(() -> write(" ", tensor(2, 10, 3), WriteMode.CREATE))
        .hasMessageContaining("[ARRAYMORPH_INVALID_OPTION]");
  }

  @Test
  void damaged_and_missing_files_are_named() throws Exception {
    write("t", tensor(1, 5000, 100, 100), WriteMode.CREATE);
    ObjectStat data = store.list("a b/tensors/tensor-", "/", "").get().objects().get(0);
    ByteBuffer bytes = store.get(data.key(), ByteRange.WHOLE, ReadCondition.NONE).get().bytes();
    byte[] damaged = new byte[bytes.remaining()];
    bytes.duplicate().get(damaged);
    int noticed = 0;
    for (int at = 0; at < damaged.length; at += 311) {
      byte[] copy = damaged.clone();
      copy[at] ^= 0x55;
      store.put(data.key(), ByteBuffer.wrap(copy), WriteCondition.NONE).get();
      try {
        assertThat(DeltaTensors.open(path).tensor("t").read())
            .as("byte " + at)
            .isEqualTo(tensor(1, 5000, 100, 100));
      } catch (ArrayMorphException e) {
        assertThat(e.code()).as("byte " + at + ": " + e).isEqualTo(ErrorCode.CHUNK_CORRUPT);
        noticed++;
      }
    }
    assertThat(noticed).isGreaterThan(damaged.length / 311 / 2);
    store.delete(data.key(), WriteCondition.NONE).get();
    assertThatThrownBy(() -> DeltaTensors.open(path).tensor("t").read())
        .hasMessageContaining("[ARRAYMORPH_OBJECT_NOT_FOUND]")
        .hasMessageContaining(data.key());
  }

  @Test
  void a_repeated_commit_of_one_query_and_epoch_changes_nothing() {
    SparseTensor tensor = tensor(1, 50, 9, 9);
    TensorLayout layout = layout(TensorEncoding.COO, tensor.schema().shape());
    Map<String, String> commit = Map.of(TensorChange.COMMIT_ATTRIBUTE, "query:7");
    long first = DeltaTensors.at(path).write("t", tensor, layout, WriteMode.REPLACE, commit);
    long again = DeltaTensors.at(path).write("t", tensor, layout, WriteMode.REPLACE, commit);
    assertThat(again).isEqualTo(first);
    assertThat(DeltaTensors.open(path).tensor("t").read()).isEqualTo(tensor);
  }

  @Test
  void an_epoch_that_was_overtaken_by_later_ones_or_other_queries_changes_nothing() {
    SparseTensor first = tensor(1, 50, 9, 9);
    SparseTensor second = tensor(2, 50, 9, 9);
    TensorLayout layout = layout(TensorEncoding.COO, first.schema().shape());
    DeltaTensors tensors = DeltaTensors.at(path);
    tensors.write("t", first, layout, WriteMode.REPLACE, commit("a:b:6"));
    tensors.write("t", first, layout, WriteMode.REPLACE, commit("a:b:7"));
    long last = tensors.write("t", second, layout, WriteMode.REPLACE, commit("other:1"));
    for (String old : List.of("a:b:7", "a:b:6", "a:b:0", "other:1")) {
      assertThat(tensors.write("t", first, layout, WriteMode.REPLACE, commit(old)))
          .as(old)
          .isEqualTo(last);
    }
    assertThat(DeltaTensors.open(path).tensor("t").read()).isEqualTo(second);
    assertThat(tensors.write("t", first, layout, WriteMode.REPLACE, commit("a:b:8")))
        .isEqualTo(last + 1);
    assertThat(tensors.write("t", second, layout, WriteMode.REPLACE, commit("once")))
        .isEqualTo(last + 2);
  }

  private static Map<String, String> commit(String id) {
    return Map.of(TensorChange.COMMIT_ATTRIBUTE, id);
  }

  @Test
  void a_time_after_the_last_commit_means_the_newest_version() {
    long version = write("t", tensor(1, 10, 4, 4), WriteMode.CREATE);
    Instant future = Instant.now().plusSeconds(3600);
    assertThat(DeltaTensors.open(path).atTimestamp(future).version()).isEqualTo(version);
    assertThatThrownBy(() -> DeltaTensors.open(path).atTimestamp(Instant.EPOCH))
        .hasMessageContaining("[ARRAYMORPH_OUT_OF_BOUNDS]");
  }
}
