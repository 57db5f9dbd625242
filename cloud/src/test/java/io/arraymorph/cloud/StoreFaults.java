package io.arraymorph.cloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.loopback.FaultProxy;
import io.arraymorph.loopback.FaultProxy.Effect;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.RetryPolicy;
import io.arraymorph.store.RetryingObjectStore;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreException.Kind;
import io.arraymorph.store.WriteCondition;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A bad network before a server: answers are right, or failures, and always come. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class StoreFaults {
  protected static final int LENGTH = 200_000;

  protected FaultProxy proxy;
  protected RetryingObjectStore store;

  /** The server without faults. */
  protected abstract URI server();

  /** A store on the server, reached through a proxy, without retries. */
  protected abstract ObjectStore open(URI endpoint, Map<String, String> more);

  /** The HTTP method of puts. */
  protected abstract String putMethod();

  /** Faults that one attempt meets, and the next one not. */
  protected List<Effect> passingFaults() {
    return List.of(Effect.FAIL, Effect.SLOW_DOWN, Effect.RESET_BODY, Effect.TRUNCATE);
  }

  @BeforeEach
  void openStore() throws IOException {
    proxy = FaultProxy.before(server());
    store = retrying(Map.of("arraymorph.store.timeout", "1"));
    store.put("o", ByteBuffer.wrap(content(1)), WriteCondition.NONE).join();
    proxy.clear();
  }

  @AfterEach
  void closeAll() throws IOException {
    store.close();
    proxy.close();
  }

  protected RetryingObjectStore retrying(Map<String, String> more) {
    RetryPolicy quick = RetryPolicy.DEFAULT.withFirstPause(Duration.ofMillis(2)).withAttempts(12);
    return new RetryingObjectStore(open(proxy.endpoint(), more), quick);
  }

  protected static byte[] content(int seed) {
    byte[] bytes = new byte[LENGTH];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static byte[] bytes(ObjectBytes answer) {
    byte[] bytes = new byte[answer.bytes().remaining()];
    answer.bytes().get(bytes);
    return bytes;
  }

  protected static Kind kind(CompletableFuture<?> request) {
    try {
      request.join();
      throw new AssertionError("succeeded");
    } catch (CompletionException e) {
      return ((StoreException) e.getCause()).kind();
    }
  }

  @Test
  void everyKindOfFaultIsRiddenOut() {
    for (Effect effect : Effect.values()) {
      if (effect != Effect.DENY) {
        proxy.inject(effect, "GET", 1);
        ObjectBytes whole = store.get("o", ByteRange.WHOLE, ReadCondition.NONE).join();
        assertThat(bytes(whole)).as("%s", effect).isEqualTo(content(1));
        proxy.inject(effect, "GET", 1);
        ObjectBytes range = store.get("o", ByteRange.of(77, 7777), ReadCondition.NONE).join();
        assertThat(bytes(range))
            .as("%s", effect)
            .isEqualTo(Arrays.copyOfRange(content(1), 77, 7777));
        proxy.inject(effect, putMethod(), 1);
        store.put("p", ByteBuffer.wrap(content(2)), WriteCondition.NONE).join();
        proxy.inject(effect, "GET", 1);
        assertThat(store.list("", "", "").join().objects()).hasSizeGreaterThanOrEqualTo(2);
        proxy.inject(effect, "DELETE", 1);
        store.delete("p", WriteCondition.NONE).join();
      }
    }
    // DELAY delays and no more; STALL, TRUNCATE and RESET_BODY need a body to strike in.
    assertThat(store.retries()).isBetween(5L * 3, 5L * 8);
  }

  @Test
  protected void storesUnderRandomFaultsNeverGiveWrongBytes() {
    store.close();
    store = retrying(Map.of("arraymorph.store.timeout", "20"));
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (Effect effect : passingFaults()) {
      proxy.inject(effect, "GET", 0.07, Integer.MAX_VALUE, random.nextLong());
    }
    List<CompletableFuture<ObjectBytes>> reads = new ArrayList<>();
    List<byte[]> expected = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      int start = random.nextInt(LENGTH);
      int end = start + 1 + random.nextInt(LENGTH - start);
      reads.add(store.get("o", ByteRange.of(start, end), ReadCondition.NONE));
      expected.add(Arrays.copyOfRange(content(1), start, end));
    }
    for (int i = 0; i < reads.size(); i++) {
      assertThat(bytes(reads.get(i).join()))
          .as("seed %d read %d", seed, i)
          .isEqualTo(expected.get(i));
    }
    assertThat(store.retries()).as("seed %d", seed).isGreaterThan(20);
  }

  @Test
  void deniedIsNotRetried() {
    proxy.inject(Effect.DENY, "GET", 1);
    assertThat(kind(store.get("o", ByteRange.WHOLE, ReadCondition.NONE))).isEqualTo(Kind.DENIED);
    assertThat(proxy.exchanges()).hasSize(1);
  }

  @Test
  void conditionalPutsWhoseAnswersAreLostHaveExactlyOneWinner() {
    for (int round = 0; round < 3; round++) {
      proxy.inject(Effect.LOSE, putMethod(), 0.5, 6, round);
      List<CompletableFuture<String>> puts = new ArrayList<>();
      for (int writer = 0; writer < 8; writer++) {
        // All write the same bytes: only the tag tells them apart.
        puts.add(store.put("race" + round, ByteBuffer.wrap(content(5)), WriteCondition.IF_ABSENT));
      }
      List<String> winners = new ArrayList<>();
      for (CompletableFuture<String> put : puts) {
        try {
          winners.add(put.join());
        } catch (CompletionException e) {
          assertThat(((StoreException) e.getCause()).kind()).isEqualTo(Kind.PRECONDITION_FAILED);
        }
      }
      assertThat(winners).containsExactly(store.head("race" + round).join().etag());
      store.delete("race" + round, WriteCondition.NONE).join();
    }
  }

  @Test
  void aPutWhoseEveryAnswerIsLostSucceedsIfItIsThere() {
    proxy.inject(Effect.LOSE, putMethod(), 12);
    String version =
        store.put("lost", ByteBuffer.wrap(content(3)), WriteCondition.IF_ABSENT).join();
    assertThat(store.head("lost").join().etag()).isEqualTo(version);
    store.delete("lost", WriteCondition.NONE).join();
  }

  @Test
  void cancellingFreesTheConnectionAtOnce() throws Exception {
    try (ObjectStore single =
        retrying(Map.of("arraymorph.store.connections", "1", "arraymorph.store.timeout", "300"))) {
      proxy.inject(Effect.STALL, "GET", 1);
      CompletableFuture<ObjectBytes> stalled = single.get("o", ByteRange.WHOLE, ReadCondition.NONE);
      while (proxy.exchanges().isEmpty()) {
        Thread.sleep(10);
      }
      assertThatThrownBy(() -> stalled.get(200, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      stalled.cancel(true);
      single.head("o").get(10, TimeUnit.SECONDS);
    }
  }
}
