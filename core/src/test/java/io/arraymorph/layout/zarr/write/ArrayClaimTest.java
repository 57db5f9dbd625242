package io.arraymorph.layout.zarr.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Shape;
import io.arraymorph.store.FaultyObjectStore;
import io.arraymorph.store.ForwardingObjectStore;
import io.arraymorph.store.LocalObjectStore;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreOperation;
import io.arraymorph.store.StorePath;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ArrayClaimTest {
  private static final ClaimPolicy QUICK = new ClaimPolicy(Duration.ofMillis(500), false);

  @TempDir Path directory;

  @Test
  void aHeldClaimIsRenewedAndNotTakenOver() throws InterruptedException {
    MemoryObjectStore store = new MemoryObjectStore("claims");
    StorePath target = new StorePath(store, "a");
    try (TargetClaim held = TargetClaim.take(target, "first", "save", QUICK)) {
      Thread.sleep(1200);
      assertThatThrownBy(() -> TargetClaim.take(target, "second", "save", QUICK))
          .isInstanceOfSatisfying(
              ArrayMorphException.class,
              failure -> assertThat(failure.code()).isEqualTo(ErrorCode.ARRAY_BEING_WRITTEN))
          .hasMessageContaining("first");
      assertThat(held.recovered()).isEmpty();
    }
    assertThat(GridWrites.keys(store)).isEmpty();
    TargetClaim.take(target, "second", "save", QUICK).close();
    store.close();
  }

  @Test
  void aClaimThatIsNotRenewedGoesStaleAndItsHolderStopsBefore() throws InterruptedException {
    MemoryObjectStore store = new MemoryObjectStore("claims");
    FaultyObjectStore faulty = new FaultyObjectStore(store);
    StorePath target = new StorePath(store, "a");
    TargetClaim paused = TargetClaim.take(new StorePath(faulty, "a"), "paused", "save", QUICK);
    faulty.inject(
        StoreOperation.PUT,
        "claim",
        new FaultyObjectStore.Effect.Fail(StoreException.Kind.UNAVAILABLE),
        1000);
    Thread.sleep(300);
    assertThatThrownBy(() -> paused.create(List.of("")))
        .hasMessageContaining("could not be renewed");
    Thread.sleep(400);
    faulty.heal();
    try (TargetClaim next = TargetClaim.take(target, "next", "save", QUICK)) {
      Thread.sleep(200);
      assertThatThrownBy(() -> paused.create(List.of("")))
          .hasMessageContaining("ARRAYMORPH_WRITE_FAILED")
          .hasMessageContaining("claim");
      paused.close();
      assertThat(GridWrites.keys(store)).contains("a/_arraymorph/claim.json");
      assertThat(next.exists()).isFalse();
    }
    assertThat(GridWrites.keys(store)).isEmpty();
    store.close();
  }

  @Test
  void lostAnswersDoNotLoseTheClaim() {
    MemoryObjectStore store = new MemoryObjectStore("claims");
    StorePath target = new StorePath(new RetryingOnce(store), "a");
    try (TargetClaim claim = TargetClaim.take(target, "first", "save", QUICK)) {
      assertThat(claim.exists()).isFalse();
    }
    assertThat(GridWrites.keys(store)).isEmpty();
    store.close();
  }

  @Test
  void claimsOfGroupsAboveAndArraysBelowAreSeen() {
    MemoryObjectStore store = new MemoryObjectStore("claims");
    StorePath group = new StorePath(store, "dir/g");
    StorePath member = group.resolve("v");
    try (TargetClaim above = TargetClaim.take(group, "above", "save", QUICK)) {
      assertThatThrownBy(() -> TargetClaim.take(member, "below", "save", QUICK))
          .hasMessageContaining("ARRAYMORPH_ARRAY_BEING_WRITTEN");
      assertThat(above.exists()).isFalse();
    }
    try (TargetClaim below = TargetClaim.take(member, "below", "save", QUICK)) {
      assertThatThrownBy(() -> TargetClaim.take(group, "above", "save", QUICK))
          .hasMessageContaining("ARRAYMORPH_ARRAY_BEING_WRITTEN");
      assertThat(below.exists()).isFalse();
    }
    assertThat(GridWrites.keys(store)).isEmpty();
    store.close();
  }

  @Test
  void ofWritersThatRaceEachSucceedsWhollyOrIsTold() throws Exception {
    MemoryObjectStore memory = new MemoryObjectStore("race");
    LocalObjectStore local = new LocalObjectStore(directory);
    for (ObjectStore store : List.of(memory, local)) {
      for (int round = 0; round < 15; round++) {
        race(new StorePath(store, "a" + round), round);
      }
    }
    memory.close();
    local.close();
  }

  private static void race(StorePath target, int round) throws Exception {
    int writers = 4;
    List<Map<String, Grid>> grids = new ArrayList<>();
    for (int i = 0; i < writers; i++) {
      grids.add(Map.of("", Grid.random(new Random(i), 10 + i, 9, Shape.of(3, 4), false)));
    }
    ExecutorService threads = Executors.newFixedThreadPool(writers);
    List<Future<Boolean>> results = new ArrayList<>();
    for (int i = 0; i < writers; i++) {
      Map<String, Grid> grid = grids.get(i);
      results.add(
          threads.submit(
              () -> {
                try {
                  GridWrites.save(target, grid, ClaimPolicy.DEFAULT);
                  return true;
                } catch (ArrayMorphException told) {
                  assertThat(told.code())
                      .isIn(ErrorCode.ARRAY_BEING_WRITTEN, ErrorCode.ARRAY_EXISTS);
                  return false;
                }
              }));
    }
    List<Map<String, Grid>> winners = new ArrayList<>();
    for (int i = 0; i < writers; i++) {
      if (results.get(i).get()) {
        winners.add(grids.get(i));
      }
    }
    threads.shutdown();
    Map<String, Grid> now = GridWrites.read(target);
    assertThat(winners)
        .describedAs("round %d", round)
        .isNotEmpty()
        .anyMatch(grid -> GridWrites.same(now, grid));
  }

  /** A store whose client sends every put of a claim twice, as after a lost answer. */
  private static final class RetryingOnce extends ForwardingObjectStore {
    RetryingOnce(ObjectStore store) {
      super(store);
    }

    @Override
    public java.util.concurrent.CompletableFuture<String> put(
        String key, java.nio.ByteBuffer bytes, io.arraymorph.store.WriteCondition condition) {
      java.nio.ByteBuffer again = bytes.duplicate();
      return super.put(key, bytes, condition).thenCompose(lost -> super.put(key, again, condition));
    }
  }
}
