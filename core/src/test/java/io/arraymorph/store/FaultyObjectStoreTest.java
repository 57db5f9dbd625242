package io.arraymorph.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.store.StoreException.Kind;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class FaultyObjectStoreTest extends ObjectStoreContract {
  private final MemoryObjectStore memory = new MemoryObjectStore("test");

  @Override
  protected ObjectStore open() {
    return new FaultyObjectStore(memory);
  }

  @Override
  protected ObjectStore reopen() {
    return new FaultyObjectStore(new SharedObjectStore(memory));
  }

  @Test
  void failsAsOftenAsToldAndOnlyWhatMatches() {
    FaultyObjectStore faulty = (FaultyObjectStore) store;
    put("a/1", bytes("x"));
    put("b/1", bytes("x"));
    faulty.inject(StoreOperation.GET, "^a/", new FaultyObjectStore.Effect.Fail(Kind.THROTTLED), 2);
    for (int i = 0; i < 2; i++) {
      assertThat(failure(store.get("a/1", ByteRange.WHOLE, ReadCondition.NONE)).kind())
          .isEqualTo(Kind.THROTTLED);
    }
    get("a/1", ByteRange.WHOLE);
    get("b/1", ByteRange.WHOLE);
  }

  @Test
  void losesAnswersAfterTheDeed() {
    FaultyObjectStore faulty = (FaultyObjectStore) store;
    faulty.inject(StoreOperation.PUT, "", new FaultyObjectStore.Effect.LoseAnswer(), 1);
    assertThat(failure(store.put("o", ByteBuffer.wrap(bytes("x")), WriteCondition.NONE)).kind())
        .isEqualTo(Kind.UNAVAILABLE);
    assertThat(content(get("o", ByteRange.WHOLE))).isEqualTo(bytes("x"));
  }

  @Test
  void delaysCorruptsAndHangs() {
    FaultyObjectStore faulty = (FaultyObjectStore) store;
    put("o", bytes("abc"));
    faulty.inject(StoreOperation.GET, "", new FaultyObjectStore.Effect.Corrupt(), 1);
    assertThat(content(get("o", ByteRange.WHOLE))).isNotEqualTo(bytes("abc")).hasSize(3);
    Duration time = Duration.ofMillis(50);
    faulty.inject(StoreOperation.GET, "", new FaultyObjectStore.Effect.Delay(time), 1);
    long start = System.nanoTime();
    assertThat(content(get("o", ByteRange.WHOLE))).isEqualTo(bytes("abc"));
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(time.toNanos());
    faulty.inject(StoreOperation.GET, "", new FaultyObjectStore.Effect.Hang(), 1);
    CompletableFuture<ObjectBytes> hanging = store.get("o", ByteRange.WHOLE, ReadCondition.NONE);
    assertThat(hanging).isNotDone();
    hanging.cancel(true);
    faulty.heal();
  }
}
