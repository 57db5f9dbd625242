package io.arraymorph.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.ErrorCode;
import io.arraymorph.store.FaultyObjectStore.Effect;
import io.arraymorph.store.StoreException.Kind;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RetryingObjectStoreTest extends ObjectStoreContract {
  private static final RetryPolicy QUICK =
      new RetryPolicy(
          4,
          Duration.ofMillis(1),
          Duration.ofMillis(20),
          Duration.ofSeconds(10),
          Duration.ofSeconds(60),
          1000);

  private final MemoryObjectStore memory = new MemoryObjectStore("test");
  private final RecordingObjectStore recording = new RecordingObjectStore(memory);
  private final FaultyObjectStore faulty = new FaultyObjectStore(recording);

  @Override
  protected ObjectStore open() {
    return new RetryingObjectStore(faulty, QUICK);
  }

  @Override
  protected ObjectStore reopen() {
    return new RetryingObjectStore(new SharedObjectStore(memory), QUICK);
  }

  private RetryingObjectStore retrying() {
    return (RetryingObjectStore) store;
  }

  @Test
  void transientFailuresAreRetriedAndCounted() {
    put("o", bytes("x"));
    for (Kind kind : List.of(Kind.THROTTLED, Kind.UNAVAILABLE, Kind.PROTOCOL)) {
      faulty.inject(StoreOperation.GET, "", new Effect.Fail(kind), 1);
    }
    List<Kind> seen = new ArrayList<>();
    ObjectStore view = store.reportingRetriesTo((key, failure) -> seen.add(failure.kind()));
    view.get("o", ByteRange.WHOLE, ReadCondition.NONE).join();
    assertThat(seen).containsExactly(Kind.THROTTLED, Kind.UNAVAILABLE, Kind.PROTOCOL);
    assertThat(retrying().retries()).isEqualTo(3);
    view.close();
    assertThat(content(get("o", ByteRange.WHOLE))).isEqualTo(bytes("x"));
  }

  @Test
  void otherFailuresAreNot() {
    put("o", bytes("x"));
    for (Kind kind : Kind.values()) {
      if (!kind.isTransient()) {
        faulty.inject(StoreOperation.GET, "", new Effect.Fail(kind), 1);
        assertThat(failure(store.get("o", ByteRange.WHOLE, ReadCondition.NONE)).kind())
            .isEqualTo(kind);
      }
    }
    assertThat(retrying().retries()).isZero();
  }

  @Test
  void givesUpAfterItsAttemptsAndSaysSo() {
    faulty.inject(StoreOperation.PUT, "", new Effect.Fail(Kind.THROTTLED), 100);
    StoreException failure =
        failure(store.put("o", ByteBuffer.wrap(bytes("x")), WriteCondition.NONE));
    assertThat(failure.kind()).isEqualTo(Kind.THROTTLED);
    assertThat(failure).hasMessageContaining("4 attempts").hasMessageContaining("injected fault");
    assertThat(failure.toUser().code()).isEqualTo(ErrorCode.STORE_UNAVAILABLE);
    assertThat(retrying().retries()).isEqualTo(3);
    assertThat(recording.requests()).isEmpty();
  }

  @Test
  void aConditionalPutWhoseAnswerWasLostSucceeded() {
    faulty.inject(StoreOperation.PUT, "", new Effect.LoseAnswer(), 1);
    String first = store.put("o", ByteBuffer.wrap(bytes("first")), WriteCondition.IF_ABSENT).join();
    assertThat(store.head("o").join().etag()).isEqualTo(first);
    faulty.inject(StoreOperation.PUT, "", new Effect.LoseAnswer(), 2);
    String second =
        store.put("o", ByteBuffer.wrap(bytes("second")), WriteCondition.ifMatch(first)).join();
    assertThat(store.head("o").join().etag()).isEqualTo(second).isNotEqualTo(first);
    assertThat(content(get("o", ByteRange.WHOLE))).isEqualTo(bytes("second"));
  }

  @Test
  void aConditionalPutNoneOfWhoseAnswersCameSucceededIfItIsThere() {
    String before = put("o", bytes("before"));
    for (WriteCondition condition :
        List.of(WriteCondition.IF_ABSENT, WriteCondition.ifMatch(before))) {
      String key = condition instanceof WriteCondition.IfAbsent ? "new" : "o";
      faulty.inject(StoreOperation.PUT, "", new Effect.LoseAnswer(), 4);
      String etag = store.put(key, ByteBuffer.wrap(bytes("ours")), condition).join();
      assertThat(etag).isEqualTo(store.head(key).join().etag());
      assertThat(content(get(key, ByteRange.WHOLE))).isEqualTo(bytes("ours"));
    }
  }

  @Test
  void aConditionalWriteWhoseOutcomeIsUnknownSaysSo() {
    faulty.inject(StoreOperation.PUT, "", new Effect.Fail(Kind.UNAVAILABLE), 4);
    StoreException absent =
        failure(store.put("o", ByteBuffer.wrap(bytes("x")), WriteCondition.IF_ABSENT));
    assertThat(absent.kind()).isEqualTo(Kind.UNAVAILABLE);
    assertThat(absent)
        .hasMessageContaining("gave up after 4 attempts")
        .hasMessageContaining("unknown: the object read back is not it");
    faulty.inject(StoreOperation.PUT, "", new Effect.LoseAnswer(), 4);
    faulty.inject(StoreOperation.GET, "", new Effect.Fail(Kind.THROTTLED), 3);
    StoreException dark =
        failure(store.put("o", ByteBuffer.wrap(bytes("x")), WriteCondition.IF_ABSENT));
    assertThat(dark).hasMessageContaining("unknown: the object could not be read back");
    String etag = store.head("o").join().etag();
    faulty.inject(StoreOperation.DELETE, "", new Effect.LoseAnswer(), 4);
    assertThat(failure(store.delete("o", WriteCondition.ifMatch(etag))))
        .hasMessageContaining("unknown");
    // What the last writer decides anyway is no riddle.
    faulty.inject(StoreOperation.PUT, "", new Effect.Fail(Kind.UNAVAILABLE), 4);
    StoreException plain =
        failure(store.put("o", ByteBuffer.wrap(bytes("x")), WriteCondition.NONE));
    assertThat(plain.getMessage()).doesNotContain("unknown");
  }

  @Test
  void aConditionalPutThatSomebodyElseWonStillFails() {
    put("o", bytes("theirs"));
    faulty.inject(StoreOperation.PUT, "", new Effect.Fail(Kind.UNAVAILABLE), 1);
    assertThat(
            failure(store.put("o", ByteBuffer.wrap(bytes("ours")), WriteCondition.IF_ABSENT))
                .kind())
        .isEqualTo(Kind.PRECONDITION_FAILED);
    assertThat(content(get("o", ByteRange.WHOLE))).isEqualTo(bytes("theirs"));
  }

  @Test
  void aConditionalCopyOrDeleteWhoseAnswerWasLostSucceeded() {
    put("source", bytes("x"));
    faulty.inject(StoreOperation.PUT, "target", new Effect.LoseAnswer(), 1);
    String etag = store.copy("source", "target", WriteCondition.IF_ABSENT).join();
    assertThat(content(get("target", ByteRange.WHOLE))).isEqualTo(bytes("x"));
    faulty.inject(StoreOperation.DELETE, "target", new Effect.LoseAnswer(), 1);
    store.delete("target", WriteCondition.ifMatch(etag)).join();
    assertThat(listKeys("")).containsExactly("source");
    assertThat(retrying().retries()).isEqualTo(2);
  }

  @Test
  void anAttemptWithoutAnswerIsAbandoned() {
    RetryPolicy impatient =
        new RetryPolicy(
            3,
            Duration.ofMillis(1),
            Duration.ofMillis(1),
            Duration.ofMillis(50),
            Duration.ofSeconds(60),
            100);
    put("o", bytes("x"));
    ObjectStore quick = new RetryingObjectStore(faulty, impatient);
    faulty.inject(StoreOperation.GET, "", new Effect.Hang(), 2);
    quick.get("o", ByteRange.WHOLE, ReadCondition.NONE).join();
    faulty.inject(StoreOperation.GET, "", new Effect.Hang(), 3);
    assertThat(failure(quick.get("o", ByteRange.WHOLE, ReadCondition.NONE)))
        .hasMessageContaining("no answer within 50 ms");
  }

  @Test
  void noAttemptBeginsAfterTheDeadline() {
    RetryPolicy endless =
        new RetryPolicy(
            1_000_000,
            Duration.ofMillis(1),
            Duration.ofMillis(5),
            Duration.ofSeconds(10),
            Duration.ofMillis(100),
            1_000_000);
    faulty.inject(StoreOperation.HEAD, "", new Effect.Fail(Kind.UNAVAILABLE), 1_000_000);
    long start = System.nanoTime();
    assertThat(failure(new RetryingObjectStore(faulty, endless).head("o")).kind())
        .isEqualTo(Kind.UNAVAILABLE);
    assertThat(System.nanoTime() - start).isLessThan(Duration.ofSeconds(5).toNanos());
  }

  @Test
  void allRequestsShareOneBudget() {
    RetryPolicy poor =
        new RetryPolicy(
            100,
            Duration.ofNanos(1),
            Duration.ofNanos(1),
            Duration.ofSeconds(10),
            Duration.ofSeconds(60),
            5);
    RetryingObjectStore poorStore = new RetryingObjectStore(faulty, poor);
    faulty.inject(StoreOperation.HEAD, "", new Effect.Fail(Kind.UNAVAILABLE), 1_000_000);
    for (int i = 0; i < 3; i++) {
      assertThat(failure(poorStore.head("o"))).hasMessageContaining("budget");
    }
    assertThat(poorStore.retries()).isBetween(5L, 20L);
  }

  @Test
  void theBudgetIsRefilledBySuccessAndTime() {
    AtomicLong clock = new AtomicLong();
    RetryBudget budget = new RetryBudget(2, clock::get);
    assertThat(budget.tryRetry()).isTrue();
    assertThat(budget.tryRetry()).isTrue();
    assertThat(budget.tryRetry()).isFalse();
    for (int i = 0; i < 5; i++) {
      budget.succeeded();
    }
    assertThat(budget.tryRetry()).isTrue();
    assertThat(budget.tryRetry()).isFalse();
    clock.addAndGet(Duration.ofMillis(110).toNanos());
    assertThat(budget.tryRetry()).isTrue();
    assertThat(budget.tryRetry()).isFalse();
  }

  @Test
  void pausesAreJitteredAndObeyRetryAfter() {
    RetryPolicy policy = RetryPolicy.DEFAULT;
    StoreException plain = new StoreException(Kind.THROTTLED, "o", "slow down", null);
    StoreException asking =
        new StoreException(Kind.THROTTLED, "o", "slow down", Duration.ofSeconds(3), null);
    double sum = 0;
    for (int i = 0; i < 1000; i++) {
      Duration third = policy.pause(3, plain);
      assertThat(third).isBetween(Duration.ZERO, Duration.ofMillis(400));
      sum += third.toMillis();
      assertThat(policy.pause(60, plain)).isBetween(Duration.ZERO, Duration.ofSeconds(20));
      assertThat(policy.pause(1, asking)).isBetween(Duration.ofSeconds(3), Duration.ofMillis(3100));
    }
    assertThat(sum / 1000).isBetween(150.0, 250.0);
  }

  @Test
  void cancellingStopsTheAttemptAndTheRetries() throws Exception {
    put("o", bytes("x"));
    faulty.inject(StoreOperation.GET, "", new Effect.Hang(), 1);
    CompletableFuture<ObjectBytes> request = store.get("o", ByteRange.WHOLE, ReadCondition.NONE);
    request.cancel(true);
    assertThat(request).isCancelled();
    recording.clear();
    Thread.sleep(50);
    assertThat(recording.requests()).isEmpty();
  }
}
