package io.arraymorph.cloud.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.loopback.FaultProxy;
import io.arraymorph.loopback.FaultProxy.Effect;
import io.arraymorph.loopback.S3TestServer;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.RetryPolicy;
import io.arraymorph.store.RetryingObjectStore;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreException.Kind;
import io.arraymorph.store.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A bad network before a real server: answers are right, or failures, and always come. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class S3FaultsTest {
  private static final int LENGTH = 200_000;

  @TempDir static Path directory;
  private static S3TestServer server;
  private static int buckets;

  private FaultProxy proxy;
  private RetryingObjectStore store;
  private String bucket;

  @BeforeAll
  static void startServer() throws IOException {
    server = S3TestServer.start(directory);
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void openStore() throws IOException {
    bucket = "faults-" + buckets++;
    Files.createDirectory(directory.resolve(bucket));
    proxy = FaultProxy.before(server.endpoint());
    store = store(Map.of("arraymorph.store.timeout", "1"));
  }

  @AfterEach
  void closeAll() throws IOException {
    store.close();
    proxy.close();
  }

  private RetryingObjectStore store(Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(S3TestServer.settings(proxy.endpoint()));
    settings.putAll(more);
    S3Settings s3 = S3Settings.of(bucket, StoreConfig.of(settings));
    RetryPolicy quick = RetryPolicy.DEFAULT.withFirstPause(Duration.ofMillis(2)).withAttempts(12);
    return new RetryingObjectStore(new S3ObjectStore("s3a://" + bucket, bucket, s3), quick);
  }

  private static byte[] content(int seed) {
    byte[] bytes = new byte[LENGTH];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static byte[] bytes(ObjectBytes answer) {
    byte[] bytes = new byte[answer.bytes().remaining()];
    answer.bytes().get(bytes);
    return bytes;
  }

  /** Puts past the proxy. */
  private void putDirectly(String key, byte[] bytes) {
    try (ObjectStore direct = store(Map.of("fs.s3a.endpoint", server.endpoint().toString()))) {
      direct.put(key, ByteBuffer.wrap(bytes), WriteCondition.NONE).join();
    }
  }

  private static Kind kind(CompletableFuture<?> request) {
    try {
      request.join();
      throw new AssertionError("succeeded");
    } catch (CompletionException e) {
      return ((StoreException) e.getCause()).kind();
    }
  }

  @Test
  void requestsAndBytesAreExactlyThoseAskedFor() {
    store.put("o", ByteBuffer.wrap(content(1)), WriteCondition.NONE).join();
    proxy.clear();
    store.get("o", ByteRange.of(1000, 1500), ReadCondition.NONE).join();
    store.get("o", ByteRange.WHOLE, ReadCondition.NONE).join();
    store.get("o", new ByteRange.Suffix(100), ReadCondition.NONE).join();
    assertThat(proxy.exchanges())
        .extracting(FaultProxy.Exchange::range)
        .containsExactly("bytes=1000-1499", "", "bytes=-100");
    assertThat(proxy.bytes("GET")).isEqualTo(500 + LENGTH + 100);
    store.head("o").join();
    store.list("", "/", "").join();
    assertThat(proxy.exchanges()).hasSize(5);
  }

  @Test
  void everyKindOfFaultIsRiddenOut() throws IOException {
    putDirectly("o", content(1));
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
        proxy.inject(effect, "PUT", 1);
        store.put("p", ByteBuffer.wrap(content(2)), WriteCondition.NONE).join();
        proxy.inject(effect, "GET", 1);
        assertThat(store.list("", "", "").join().objects()).hasSize(2);
        proxy.inject(effect, "DELETE", 1);
        store.delete("p", WriteCondition.NONE).join();
      }
    }
    // DELAY delays and no more; STALL, TRUNCATE and RESET_BODY need a body to strike in.
    assertThat(store.retries()).isBetween(5L * 4, 5L * 8);
  }

  @Test
  void storesUnderRandomFaultsNeverGiveWrongBytes() throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    int objects = 8;
    for (int i = 0; i < objects; i++) {
      putDirectly("o" + i, content(i));
    }
    List<Effect> effects =
        List.of(
            Effect.FAIL,
            Effect.SLOW_DOWN,
            Effect.RESET,
            Effect.LOSE,
            Effect.RESET_BODY,
            Effect.TRUNCATE);
    for (Effect effect : effects) {
      proxy.inject(effect, "GET", 0.07, Integer.MAX_VALUE, random.nextLong());
    }
    List<CompletableFuture<ObjectBytes>> reads = new ArrayList<>();
    List<byte[]> expected = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      int object = random.nextInt(objects);
      int start = random.nextInt(LENGTH);
      int end = start + 1 + random.nextInt(LENGTH - start);
      reads.add(store.get("o" + object, ByteRange.of(start, end), ReadCondition.NONE));
      expected.add(Arrays.copyOfRange(content(object), start, end));
    }
    for (int i = 0; i < reads.size(); i++) {
      assertThat(bytes(reads.get(i).join()))
          .as("seed %d read %d", seed, i)
          .isEqualTo(expected.get(i));
    }
    long faults = proxy.exchanges().stream().filter(e -> e.fault() != null).count();
    assertThat(faults).as("seed %d", seed).isGreaterThan(50);
    assertThat(store.retries()).as("seed %d", seed).isEqualTo(faults);
  }

  @Test
  void deniedIsNotRetried() throws IOException {
    putDirectly("o", content(1));
    proxy.inject(Effect.DENY, "GET", 1);
    assertThat(kind(store.get("o", ByteRange.WHOLE, ReadCondition.NONE))).isEqualTo(Kind.DENIED);
    assertThat(proxy.exchanges()).hasSize(1);
  }

  @Test
  void endlessTroubleEndsInAFailure() throws IOException {
    putDirectly("o", content(1));
    proxy.inject(Effect.TRUNCATE, "GET", Integer.MAX_VALUE);
    assertThat(kind(store.get("o", ByteRange.WHOLE, ReadCondition.NONE)))
        .isIn(Kind.UNAVAILABLE, Kind.PROTOCOL);
    assertThat(proxy.exchanges()).hasSize(12);
  }

  @Test
  void conditionalPutsWhoseAnswersAreLostHaveExactlyOneWinner() {
    for (int round = 0; round < 3; round++) {
      proxy.inject(Effect.LOSE, "PUT", 0.5, 6, round);
      List<CompletableFuture<String>> puts = new ArrayList<>();
      for (int writer = 0; writer < 8; writer++) {
        // All write the same bytes: only the tag tells them apart.
        ByteBuffer same = ByteBuffer.wrap("same".getBytes(StandardCharsets.UTF_8));
        puts.add(store.put("race" + round, same, WriteCondition.IF_ABSENT));
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
    }
  }

  @Test
  void aLargeConditionalPutWhoseAnswerIsLostSucceeds() {
    byte[] large = new byte[S3ObjectStore.MULTIPART_BYTES + 1];
    new Random(1).nextBytes(large);
    store.close();
    store = store(Map.of("arraymorph.store.timeout", "30"));
    proxy.inject(Effect.LOSE, "POST .*uploadId", 1);
    proxy.inject(Effect.SLOW_DOWN, "PUT .*partNumber=2", 1);
    String etag = store.put("large", ByteBuffer.wrap(large), WriteCondition.IF_ABSENT).join();
    ObjectBytes read = store.get("large", ByteRange.WHOLE, ReadCondition.NONE).join();
    assertThat(read.etag()).isEqualTo(etag);
    assertThat(read.bytes()).isEqualTo(ByteBuffer.wrap(large));
    assertThat(store.retries()).isEqualTo(2);
    assertThat(proxy.count("DELETE")).as("aborted uploads").isEqualTo(3);
  }

  @Test
  void aServerThatIsGoneIsAnErrorInTime() throws IOException {
    proxy.close();
    assertThat(kind(store.head("o"))).isEqualTo(Kind.UNAVAILABLE);
    assertThat(store.retries()).isEqualTo(11);
  }

  @Test
  void cancellingFreesTheConnectionAtOnce() throws Exception {
    putDirectly("o", content(1));
    try (ObjectStore single =
        store(Map.of("arraymorph.store.connections", "1", "arraymorph.store.timeout", "300"))) {
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
