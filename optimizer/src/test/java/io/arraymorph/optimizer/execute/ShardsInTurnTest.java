package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.optimizer.plan.GapPlanner;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ForwardingObjectStore;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Shards whose indexes come one after the other. */
class ShardsInTurnTest {
  /** Answers indexes when the test says so, and everything else at once. */
  private static final class HeldIndexes extends ForwardingObjectStore {
    private final Map<String, CompletableFuture<Void>> held = new ConcurrentHashMap<>();
    private final List<String> ranges = new CopyOnWriteArrayList<>();

    HeldIndexes(ObjectStore store) {
      super(store);
    }

    @Override
    public CompletableFuture<ObjectBytes> get(
        String key, ByteRange range, ReadCondition condition) {
      if (range instanceof ByteRange.Suffix) {
        return held.computeIfAbsent(key, k -> new CompletableFuture<>())
            .thenCompose(released -> super.get(key, range, condition));
      }
      ranges.add(key);
      return super.get(key, range, condition);
    }

    void release(String key) throws InterruptedException {
      while (!held.containsKey(key)) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      held.get(key).complete(null);
    }

    void awaitRanges(int count) throws InterruptedException {
      while (ranges.size() < count) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
    }
  }

  private final HeldIndexes store = new HeldIndexes(new MemoryObjectStore("t"));

  private ZarrArray array() {
    return HyperslabReaderTest.store(
        new StorePath(store, "a"),
        Shape.of(64, 16),
        Shape.of(4, 4),
        Shape.of(16, 16),
        Compression.NONE);
  }

  private static final Hyperslab COLUMN = Hyperslab.box(new long[] {0, 5}, new long[] {64, 6});

  @Test
  @Timeout(30)
  void aShardIsReadWhenItsOwnIndexHasComeInWhateverOrder() throws InterruptedException {
    ZarrArray array = array();
    try (HyperslabReader reader =
        new HyperslabReader(ReadSettings.DEFAULT.withPlanner(GapPlanner.DEFAULT))) {
      CompletableFuture<Elements> found =
          CompletableFuture.supplyAsync(() -> reader.read(array, COLUMN));
      List<String> expected = new ArrayList<>();
      for (int shard : new int[] {2, 0, 3, 1}) {
        String key = "a/c/" + shard + "/0";
        store.release(key);
        expected.add(key);
        store.awaitRanges(expected.size());
        assertThat(store.ranges).isEqualTo(expected);
      }

      Elements column = found.join();
      assertThat(column.shape()).isEqualTo(Shape.of(64, 1));
      assertThat(reader.metrics().requests()).isEqualTo(8);
      assertThat(reader.metrics().rangeRequests()).isEqualTo(8);
      HyperslabReaderTest.assertReads(reader, array, COLUMN);
    }
  }

  @Test
  @Timeout(30)
  void anIndexThatFailsFailsTheReadThoughOthersCome() throws InterruptedException {
    ZarrArray array = array();
    try (HyperslabReader reader =
        new HyperslabReader(ReadSettings.DEFAULT.withPlanner(GapPlanner.DEFAULT))) {
      CompletableFuture<Elements> found =
          CompletableFuture.supplyAsync(() -> reader.read(array, COLUMN));
      for (int shard : new int[] {0, 1, 3}) {
        store.release("a/c/" + shard + "/0");
      }
      store.awaitRanges(3);
      store
          .held
          .get("a/c/2/0")
          .completeExceptionally(
              new StoreException(StoreException.Kind.DENIED, "a/c/2/0", "no", null));

      assertThatThrownBy(found::join).hasCauseInstanceOf(ArrayMorphException.class);
      assertThat(store.ranges).containsExactlyInAnyOrder("a/c/0/0", "a/c/1/0", "a/c/3/0");
    }
  }
}
