package io.arraymorph.optimizer.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.FaultyObjectStore;
import io.arraymorph.store.FaultyObjectStore.Effect;
import io.arraymorph.store.ForwardingObjectStore;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.RetryPolicy;
import io.arraymorph.store.RetryingObjectStore;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreOperation;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Stores that fail, hang, throttle or are slow while they are measured: bounded, and coded. */
class MeasuredStoresTest {
  private static final StoreProfile BASE = StoreProfiles.of("s3.wan");
  private static final StoreProbe BRIEF = new StoreProbe(Duration.ofSeconds(3), 8_000_000, 2_000);

  private final RecordingObjectStore store =
      new RecordingObjectStore(new MemoryObjectStore("measured"));
  private final FaultyObjectStore faulty = new FaultyObjectStore(store);

  @BeforeEach
  void write() {
    store.put("a/small", ByteBuffer.allocate(10), WriteCondition.NONE).join();
    store.put("a/large", ByteBuffer.allocate(1 << 20), WriteCondition.NONE).join();
    store.put("ab/larger", ByteBuffer.allocate(2 << 20), WriteCondition.NONE).join();
    store.clear();
  }

  @AfterEach
  void close() {
    faulty.close();
  }

  private static StoreProfile measure(ObjectStore from, boolean paper) {
    StorePath path = new StorePath(from, "a");
    return paper
        ? new PaperProcedure(BRIEF).measure(path, BASE, "mine", Optional.empty())
        : BRIEF.measure(path, BASE, "mine");
  }

  private static double seconds(Runnable measurement) {
    long start = System.nanoTime();
    measurement.run();
    return (System.nanoTime() - start) / 1e9;
  }

  private void assertFails(ObjectStore from, ErrorCode code) {
    for (boolean paper : new boolean[] {false, true}) {
      double taken =
          seconds(
              () ->
                  assertThatThrownBy(() -> measure(from, paper))
                      .isInstanceOfSatisfying(
                          ArrayMorphException.class, e -> assertThat(e.code()).isEqualTo(code)));
      assertThat(taken).isLessThan(8);
    }
  }

  @Test
  void requestsAreBoundedAndOnlyRead() {
    for (boolean paper : new boolean[] {false, true}) {
      store.clear();
      StoreProfile measured = measure(store, paper);
      assertThat(store.count(StoreOperation.GET)).isBetween(200L, BRIEF.maxRequests());
      assertThat(store.requests()).hasSizeLessThanOrEqualTo(2_001);
      assertThat(store.bytesRead()).isLessThanOrEqualTo(BRIEF.maxBytes());
      assertThat(store.bytesWritten()).isZero();
      assertThat(store.count(StoreOperation.DELETE)).isZero();
      assertThat(measured.provenance().text())
          .contains("in " + store.count(StoreOperation.GET) + " requests")
          .doesNotContain("again");
    }
  }

  @Test
  void objectsBesideAnArrayOfASimilarNameAreNotRead() {
    assertThat(measure(store, false).provenance().text())
        .contains("a/large")
        .doesNotContain("larger");
    StorePath itself = new StorePath(store, "ab/larger");
    assertThat(BRIEF.measure(itself, BASE, "mine").provenance().text()).contains("ab/larger");
  }

  @Test
  void aStoreThatNeverAnswersEndsWithTheTime() {
    faulty.inject(StoreOperation.GET, "large", new Effect.Hang(), Integer.MAX_VALUE);
    assertFails(faulty, ErrorCode.STORE_UNAVAILABLE);
    faulty.inject(StoreOperation.LIST, "", new Effect.Hang(), Integer.MAX_VALUE);
    assertFails(faulty, ErrorCode.STORE_UNAVAILABLE);
  }

  @Test
  void aStoreThatRefusesIsACodedError() {
    faulty.inject(
        StoreOperation.LIST, "", new Effect.Fail(StoreException.Kind.DENIED), Integer.MAX_VALUE);
    assertFails(faulty, ErrorCode.ACCESS_DENIED);
    faulty.heal();
    faulty.inject(
        StoreOperation.GET, "", new Effect.Fail(StoreException.Kind.NOT_FOUND), Integer.MAX_VALUE);
    assertFails(faulty, ErrorCode.OBJECT_NOT_FOUND);
  }

  /** Answers so many reads, and what comes after them in its own way. */
  private ObjectStore after(int reads, CompletableFuture<ObjectBytes> then) {
    AtomicLong sent = new AtomicLong();
    return new ForwardingObjectStore(store) {
      @Override
      public CompletableFuture<ObjectBytes> get(
          String key, ByteRange range, ReadCondition condition) {
        return sent.incrementAndGet() > reads ? then : super.get(key, range, condition);
      }
    };
  }

  @Test
  void aStoreThatFailsMidwayIsACodedError() {
    for (int reads : new int[] {1, 3, 40, 150}) {
      for (StoreException.Kind kind : StoreException.Kind.values()) {
        CompletableFuture<ObjectBytes> failure =
            CompletableFuture.failedFuture(
                new StoreException(kind, "a/large", "it broke down", null));
        assertFails(after(reads, failure), kind.code());
      }
    }
  }

  @Test
  void aStoreThatHangsMidwayGivesWhatWasMeasured() {
    StoreProfile measured = measure(after(400, new CompletableFuture<>()), false);
    assertThat(measured.provenance().text()).contains("first bytes");
    // Nothing was measured, so the base's stays.
    assertThat(measured.transport().bandwidth().maximum())
        .isEqualTo(BASE.transport().bandwidth().maximum());
  }

  @Test
  void aStoreThatThrottlesIsMeasuredAndTheProfileSaysSo() {
    faulty.inject(StoreOperation.GET, "", new Effect.Fail(StoreException.Kind.THROTTLED), 5);
    RetryPolicy policy = RetryPolicy.DEFAULT.withFirstPause(Duration.ofMillis(1));
    StoreProfile measured = measure(new RetryingObjectStore(faulty, policy), false);
    assertThat(measured.provenance().text()).contains("5 of them again");
  }

  @Test
  void aSlowNetworkGivesAProfileInTime() {
    long bytesPerSecond = 100_000;
    AtomicLong free = new AtomicLong(System.nanoTime());
    ObjectStore slow =
        new ForwardingObjectStore(store) {
          @Override
          public CompletableFuture<ObjectBytes> get(
              String key, ByteRange range, ReadCondition condition) {
            CompletableFuture<ObjectBytes> answer = super.get(key, range, condition);
            long takes = answer.join().bytes().remaining() * 1_000_000_000L / bytesPerSecond;
            long end = free.accumulateAndGet(takes, (f, t) -> Math.max(f, System.nanoTime()) + t);
            return answer.thenApplyAsync(
                found -> found,
                CompletableFuture.delayedExecutor(end - System.nanoTime(), TimeUnit.NANOSECONDS));
          }
        };
    for (boolean paper : new boolean[] {false, true}) {
      free.set(System.nanoTime());
      StoreProfile[] measured = new StoreProfile[1];
      assertThat(seconds(() -> measured[0] = measure(slow, paper))).isLessThan(8);
      assertThat(measured[0].transport().bandwidth().maximum())
          .isBetween(0.2 * bytesPerSecond, 3.0 * bytesPerSecond);
    }
  }
}
