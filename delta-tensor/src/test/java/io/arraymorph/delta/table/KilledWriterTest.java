package io.arraymorph.delta.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.DataType;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorLayout;
import io.arraymorph.delta.tensor.DuplicatePolicy;
import io.arraymorph.delta.tensor.FillPolicy;
import io.arraymorph.delta.tensor.RandomTensors;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ForwardingObjectStore;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStat;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A writer that dies before any of its requests leaves the table as it was, or as it should be. */
class KilledWriterTest {
  private static final int MOST_REQUESTS = 100;

  /** Forwards some requests, and none after that. */
  private static final class DyingStore extends ForwardingObjectStore {
    private int left;

    DyingStore(ObjectStore store, int requests) {
      super(store);
      this.left = requests;
    }

    private synchronized <T> CompletableFuture<T> unlessDead(
        String key, Supplier<CompletableFuture<T>> request) {
      return left-- > 0
          ? request.get()
          : CompletableFuture.failedFuture(
              new StoreException(StoreException.Kind.UNAVAILABLE, key, "the writer is dead", null));
    }

    boolean isDead() {
      return left < 0;
    }

    @Override
    public CompletableFuture<ObjectBytes> get(String key, ByteRange range, ReadCondition when) {
      return unlessDead(key, () -> super.get(key, range, when));
    }

    @Override
    public CompletableFuture<ObjectStat> head(String key) {
      return unlessDead(key, () -> super.head(key));
    }

    @Override
    public CompletableFuture<String> put(String key, ByteBuffer bytes, WriteCondition when) {
      return unlessDead(key, () -> super.put(key, bytes, when));
    }

    @Override
    public CompletableFuture<Void> delete(String key, WriteCondition when) {
      return unlessDead(key, () -> super.delete(key, when));
    }
  }

  private static SparseTensor tensor(int seed, long... shape) {
    Random random = new Random(seed);
    DataType type = new DataType.Float(FloatFormat.FLOAT64);
    var schema = RandomTensors.schema(type, new Random(9), shape);
    return SparseTensor.of(
        schema, RandomTensors.cells(schema, 300, random), DuplicatePolicy.ERROR, FillPolicy.KEEP);
  }

  private static long write(ObjectStore store, SparseTensor tensor, WriteMode mode) {
    TensorLayout layout = TensorLayout.unblocked(TensorEncoding.CSF, 2, "test");
    return DeltaTensors.at(new StorePath(store, "t")).write("a", tensor, layout, mode, Map.of());
  }

  private static SparseTensor read(ObjectStore store) {
    return DeltaTensors.open(new StorePath(store, "t")).tensor("a").read();
  }

  /** Kills a change before each of its requests; returns how many requests it takes. */
  private static int killEverywhere(Function<ObjectStore, Long> change, SparseTensor after) {
    SparseTensor before = tensor(1, 40, 30);
    for (int requests = 0; requests < MOST_REQUESTS; requests++) {
      ObjectStore store = new MemoryObjectStore("m" + requests);
      write(store, before, WriteMode.CREATE);
      DyingStore dying = new DyingStore(store, requests);
      boolean acknowledged = false;
      try {
        acknowledged = change.apply(dying) >= 0;
      } catch (RuntimeException e) {
        assertThat(dying.isDead()).as("failed alive: " + e).isTrue();
      }
      SparseTensor found = read(store);
      if (acknowledged) {
        assertThat(found).as("acknowledged, killed before request " + requests).isEqualTo(after);
      } else {
        assertThat(found.equals(before) || found.equals(after))
            .as("half a change, killed before request " + requests)
            .isTrue();
      }
      if (!dying.isDead()) {
        return requests;
      }
      write(store, before, WriteMode.REPLACE);
      assertThat(read(store)).as("the next writer").isEqualTo(before);
    }
    throw new AssertionError("more than " + MOST_REQUESTS + " requests for one change");
  }

  @Test
  void a_replace_is_there_whole_or_not_at_all() {
    SparseTensor after = tensor(2, 25, 60);
    assertThat(killEverywhere(store -> write(store, after, WriteMode.REPLACE), after))
        .isGreaterThan(5);
  }

  @Test
  void an_append_is_there_whole_or_not_at_all() {
    SparseTensor more = tensor(3, 7, 30);
    ObjectStore whole = new MemoryObjectStore("whole");
    write(whole, tensor(1, 40, 30), WriteMode.CREATE);
    DeltaTensors.at(new StorePath(whole, "t")).append("a", 0, more);
    assertThat(
            killEverywhere(
                store -> DeltaTensors.at(new StorePath(store, "t")).append("a", 0, more),
                read(whole)))
        .isGreaterThan(5);
  }

  @Test
  void a_delete_is_whole_or_not_at_all() {
    SparseTensor before = tensor(1, 40, 30);
    for (int requests = 0; requests < MOST_REQUESTS; requests++) {
      ObjectStore store = new MemoryObjectStore("d" + requests);
      write(store, before, WriteMode.CREATE);
      DyingStore dying = new DyingStore(store, requests);
      boolean acknowledged = false;
      try {
        acknowledged = DeltaTensors.at(new StorePath(dying, "t")).delete("a") >= 0;
      } catch (RuntimeException e) {
        assertThat(dying.isDead()).as("failed alive: " + e).isTrue();
      }
      DeltaTensors found = DeltaTensors.open(new StorePath(store, "t"));
      boolean gone = found.find("a").isEmpty();
      if (acknowledged) {
        assertThat(gone).as("acknowledged, killed before request " + requests).isTrue();
      } else if (!gone) {
        assertThat(read(store)).as("killed before request " + requests).isEqualTo(before);
      }
      if (!dying.isDead()) {
        assertThat(requests).isGreaterThan(3);
        return;
      }
    }
    throw new AssertionError("more than " + MOST_REQUESTS + " requests for one delete");
  }
}
