package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.optimizer.plan.PlannerOptions;
import io.arraymorph.optimizer.profile.Refinement;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ForwardingObjectStore;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.RetryPolicy;
import io.arraymorph.store.RetryingObjectStore;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreException.Kind;
import io.arraymorph.store.StorePath;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many requests are sent at once, and which are sent twice. */
@Timeout(30)
class RequestQueueTest {
  private static final ByteRange RANGE = ByteRange.of(0, 10);
  private static final long MILLI = 1_000_000;

  /** What one test's readers found out about a store is no other test's business. */
  private static final AtomicInteger STORES = new AtomicInteger();

  private final HeldStore store = new HeldStore();
  private final ReadMetrics metrics = new ReadMetrics();
  private final AtomicLong clock = new AtomicLong();

  /** A store whose answers wait until the test gives them. */
  private static final class HeldStore extends ForwardingObjectStore {
    private final List<CompletableFuture<ObjectBytes>> held = new ArrayList<>();

    HeldStore() {
      super(new MemoryObjectStore("held-" + STORES.getAndIncrement()));
    }

    @Override
    public synchronized CompletableFuture<ObjectBytes> get(
        String key, ByteRange range, ReadCondition condition) {
      CompletableFuture<ObjectBytes> answer = new CompletableFuture<>();
      held.add(answer);
      notifyAll();
      return answer;
    }

    synchronized int sent() {
      return held.size();
    }

    synchronized CompletableFuture<ObjectBytes> request(int number) {
      return held.get(number);
    }

    void answer(int number) {
      request(number).complete(new ObjectBytes(ByteBuffer.allocate(10), 0, 10, "e"));
    }

    synchronized void awaitSent(int count) throws InterruptedException {
      while (held.size() < count) {
        wait();
      }
    }
  }

  private RequestQueue queue(int concurrency, double hedging) {
    ReadSettings settings = ReadSettings.DEFAULT.withConcurrency(concurrency).withHedging(hedging);
    return new RequestQueue(settings, metrics, clock::get);
  }

  private CompletableFuture<ObjectBytes> ask(RequestQueue queue) {
    return queue.get(new StorePath(store, "a"), RANGE, 0, () -> ReadCondition.NONE);
  }

  private void pass(Duration time) {
    clock.addAndGet(time.toNanos());
  }

  /** A second attempt is cancelled by the thread that sends it if it comes too late. */
  private static void assertCancelled(CompletableFuture<?> attempt) {
    assertThatThrownBy(() -> attempt.get(5, TimeUnit.SECONDS))
        .isInstanceOf(CancellationException.class);
  }

  /** Twenty requests, of which all but the last were answered after 10 ms. */
  private List<CompletableFuture<ObjectBytes>> allButOneOf20(RequestQueue queue) {
    List<CompletableFuture<ObjectBytes>> answers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      answers.add(ask(queue));
    }
    pass(Duration.ofMillis(10));
    for (int i = 0; i < 19; i++) {
      store.answer(i);
    }
    return answers;
  }

  @Test
  void aStragglerIsSentAgainAndTheFirstAnswerCounts() throws Exception {
    RequestQueue queue = queue(32, 0.02);
    List<CompletableFuture<ObjectBytes>> answers = allButOneOf20(queue);
    pass(Duration.ofMillis(14)); // 24 ms in all: patience lasts 25 ms at least
    TimeUnit.MILLISECONDS.sleep(60);
    assertThat(store.sent()).isEqualTo(20);
    pass(Duration.ofMillis(2));
    store.awaitSent(21);
    store.answer(20);
    assertThat(answers.get(19).get(5, TimeUnit.SECONDS).bytes().remaining()).isEqualTo(10);
    assertCancelled(store.request(19));
    assertThat(metrics.hedges()).isEqualTo(1);
    assertThat(metrics.requests()).isEqualTo(21);
    assertThat(metrics.bytesRead()).isEqualTo(200);
  }

  @Test
  void theFirstAttemptMayStillWin() throws Exception {
    RequestQueue queue = queue(32, 0.02);
    List<CompletableFuture<ObjectBytes>> answers = allButOneOf20(queue);
    pass(Duration.ofSeconds(1));
    store.awaitSent(21);
    store.answer(19);
    answers.get(19).get(5, TimeUnit.SECONDS);
    assertCancelled(store.request(20));
  }

  @Test
  void aSecondAttemptThatFailsDoesNotFailTheRequest() throws Exception {
    RequestQueue queue = queue(32, 0.02);
    List<CompletableFuture<ObjectBytes>> answers = allButOneOf20(queue);
    pass(Duration.ofSeconds(1));
    store.awaitSent(21);
    store
        .request(20)
        .completeExceptionally(new StoreException(Kind.THROTTLED, "a", "slow down", null));
    assertThat(answers.get(19)).isNotDone();
    store.answer(19);
    answers.get(19).get(5, TimeUnit.SECONDS);
  }

  @Test
  void noMoreThanTheShareAndOneAreSentAgain() throws Exception {
    RequestQueue queue = queue(256, 0.02);
    for (int i = 0; i < 150; i++) {
      CompletableFuture<?> unused = ask(queue);
    }
    pass(Duration.ofMillis(10));
    int late = 0;
    for (int i = 0; i < 150; i++) {
      store.awaitSent(i + 1);
      if (i % 10 == 0) {
        late++;
      } else {
        store.answer(i);
      }
    }
    assertThat(late).isEqualTo(15);
    assertThat(store.sent()).isEqualTo(150);
    pass(Duration.ofMillis(500));
    store.awaitSent(154); // 1 + 2 % of 150
    TimeUnit.MILLISECONDS.sleep(60);
    assertThat(store.sent()).isEqualTo(154);
    pass(Duration.ofSeconds(2));
    store.awaitSent(156); // and one for each second
    TimeUnit.MILLISECONDS.sleep(60);
    assertThat(store.sent()).isEqualTo(156);
  }

  @Test
  void whoWaitsForWhatAllWaitForIsNotSentAgain() throws Exception {
    RequestQueue queue = queue(256, 1);
    for (int i = 0; i < 64; i++) {
      CompletableFuture<?> unused = ask(queue);
    }
    pass(Duration.ofMillis(10));
    for (int i = 0; i < 32; i++) {
      store.answer(i);
    }
    // The others take a hundred times as long, but nobody overtakes them.
    pass(Duration.ofSeconds(1));
    TimeUnit.MILLISECONDS.sleep(100);
    assertThat(store.sent()).isEqualTo(64);
    assertThat(metrics.hedges()).isZero();
  }

  @Test
  void nothingIsSentAgainWithoutHedging() throws Exception {
    RequestQueue queue = queue(32, 0);
    allButOneOf20(queue);
    pass(Duration.ofSeconds(10));
    TimeUnit.MILLISECONDS.sleep(60);
    assertThat(store.sent()).isEqualTo(20);
  }

  @Test
  void cancellingEndsBothAttempts() throws Exception {
    RequestQueue queue = queue(32, 0.02);
    List<CompletableFuture<ObjectBytes>> answers = allButOneOf20(queue);
    pass(Duration.ofSeconds(1));
    store.awaitSent(21);
    queue.cancel();
    assertCancelled(store.request(19));
    assertCancelled(store.request(20));
    assertThatThrownBy(() -> answers.get(19).get(5, TimeUnit.SECONDS)).isNotNull();
  }

  @Test
  void aStoreThatAsksToSlowDownGetsHalfAsManyRequestsAtOnce() throws Exception {
    RetryPolicy quick = RetryPolicy.DEFAULT.withFirstPause(Duration.ofMillis(1));
    RetryingObjectStore retrying = new RetryingObjectStore(store, quick);
    RequestQueue queue = queue(8, 0);
    for (int i = 0; i < 100; i++) {
      CompletableFuture<?> unused =
          queue.get(new StorePath(retrying, "a"), RANGE, 0, () -> ReadCondition.NONE);
    }
    assertThat(store.sent()).isEqualTo(8);
    for (int i = 0; i < 8; i++) {
      store
          .request(i)
          .completeExceptionally(new StoreException(Kind.THROTTLED, "a", "slow down", null));
    }
    store.awaitSent(16); // each of the eight once more, and nothing else
    for (int i = 8; i < 16; i++) {
      store.answer(i);
    }
    // Half of 8, and one more for each four to six answers.
    store.awaitSent(16 + 5);
    assertThat(store.sent()).isEqualTo(16 + 5);
    for (int i = 16; i < 16 + 40; i++) {
      store.awaitSent(i + 1);
      store.answer(i);
    }
    store.awaitSent(16 + 40 + 8);
    assertThat(store.sent()).isEqualTo(16 + 40 + 8);
    assertThat(metrics.retries()).isEqualTo(8);
  }

  @Test
  void aRefusalNowAndThenSlowsNothingDown() {
    ConcurrencyLimit limit = new ConcurrencyLimit(64, 64, clock::get);
    for (int i = 0; i < 10_000; i++) {
      pass(Duration.ofMillis(10));
      if (i % 50 == 0) {
        limit.throttled();
      } else {
        limit.answered(MILLI, true);
      }
      assertThat(limit.slots()).isEqualTo(64);
    }
  }

  @Test
  void aStoreThatKeepsRefusingIsAskedLessAndLessButNeverNothing() {
    ConcurrencyLimit limit = new ConcurrencyLimit(64, 64, clock::get);
    for (int i = 0; i < 1000; i++) {
      pass(Duration.ofMillis(50));
      limit.throttled();
    }
    assertThat(limit.slots()).isEqualTo(1);
    for (int i = 0; i < 64 * 64; i++) {
      limit.answered(MILLI, true);
    }
    assertThat(limit.slots()).isEqualTo(64);
  }

  /** A limit after a round of answers that took so long each, beside one of 10 ms. */
  private int slotsAfter(ConcurrencyLimit limit, long millis, boolean waiting) {
    limit.answered(10 * MILLI, false);
    for (int i = limit.slots(); i > 0; i--) {
      limit.answered(millis * MILLI, waiting);
    }
    return limit.slots();
  }

  @Test
  void moreAreSentWhileThatHidesLatency() {
    assertThat(slotsAfter(new ConcurrencyLimit(64, 256, clock::get), 15, true)).isEqualTo(128);
    assertThat(slotsAfter(new ConcurrencyLimit(200, 256, clock::get), 15, true)).isEqualTo(256);
    assertThat(slotsAfter(new ConcurrencyLimit(64, 16, clock::get), 15, true)).isEqualTo(16);
    // Nothing waits, or answers wait for each other.
    assertThat(slotsAfter(new ConcurrencyLimit(64, 256, clock::get), 15, false)).isEqualTo(64);
    assertThat(slotsAfter(new ConcurrencyLimit(64, 256, clock::get), 25, true)).isEqualTo(64);
    assertThat(slotsAfter(new ConcurrencyLimit(200, 256, clock::get), 25, true)).isEqualTo(200);
    assertThat(slotsAfter(new ConcurrencyLimit(200, 256, clock::get), 45, true)).isEqualTo(64);
    assertThat(slotsAfter(new ConcurrencyLimit(64, 256, clock::get), 45, true)).isEqualTo(64);
  }

  @Test
  void afterARefusalMoreAreSentSlowly() {
    ConcurrencyLimit limit = new ConcurrencyLimit(64, 256, clock::get);
    for (int i = 0; i < 4; i++) {
      limit.throttled();
    }
    assertThat(limit.slots()).isEqualTo(32);
    for (int round = 0; round < 10; round++) {
      slotsAfter(limit, 15, true);
    }
    assertThat(limit.slots()).isBetween(40, 43);
  }

  @Test
  void aReaderBeginsWhereTheLastOneLeftOffAShortWhileAgo() throws Exception {
    RequestQueue first = queue(256, 0);
    for (int i = 0; i < 300; i++) {
      CompletableFuture<?> unused = ask(first);
    }
    assertThat(store.sent()).isEqualTo(64);
    pass(Duration.ofMillis(10));
    for (int i = 0; i < 64; i++) {
      store.answer(i);
    }
    store.awaitSent(64 + 128);
    assertThat(store.sent()).isEqualTo(64 + 128);
    for (int seconds : new int[] {5, 15}) {
      pass(Duration.ofSeconds(seconds));
      int before = store.sent();
      RequestQueue next = queue(256, 0);
      for (int i = 0; i < 200; i++) {
        CompletableFuture<?> unused = ask(next);
      }
      assertThat(store.sent() - before).isEqualTo(seconds < 10 ? 128 : 64);
    }
  }

  /** A queue for a store whose profile says that so many requests at once hide its latency. */
  private RequestQueue profiled(int inProfile, int most) {
    StoreProfile base = StoreProfiles.of("s3.wan");
    StoreProfile profile =
        base.withTransport(base.transport().withConcurrency(inProfile)).withName("profiled");
    PlannerOptions options =
        new PlannerOptions(
            PlannerOptions.Method.AUTO, Optional.of(profile), 0, 1, false, Refinement.OFF);
    ReadSettings settings =
        ReadSettings.DEFAULT
            .withPlanner(options.planner().withConcurrency(most))
            .withConcurrency(most)
            .withHedging(0);
    return new RequestQueue(settings, metrics, clock::get);
  }

  @Test
  void aReaderBeginsWithAsManyRequestsAsTheProfileSays() throws Exception {
    int[][] cases = {{200, 256, 200}, {200, 100, 100}, {16, 256, 64}};
    for (int[] numbers : cases) {
      int before = store.sent();
      RequestQueue queue = profiled(numbers[0], numbers[1]);
      for (int i = 0; i < 300; i++) {
        CompletableFuture<?> unused = ask(queue);
      }
      assertThat(store.sent() - before).isEqualTo(numbers[2]);
      queue.cancel();
    }
  }

  @Test
  void aStoreThatRefusesGetsFewerThanItsProfileSays() throws Exception {
    RetryPolicy quick = RetryPolicy.DEFAULT.withFirstPause(Duration.ofMillis(1));
    RetryingObjectStore retrying = new RetryingObjectStore(store, quick);
    RequestQueue queue = profiled(200, 256);
    for (int i = 0; i < 1000; i++) {
      CompletableFuture<?> unused =
          queue.get(new StorePath(retrying, "a"), RANGE, 0, () -> ReadCondition.NONE);
    }
    assertThat(store.sent()).isEqualTo(200);
    for (int i = 0; i < 200; i++) {
      store
          .request(i)
          .completeExceptionally(new StoreException(Kind.THROTTLED, "a", "slow down", null));
    }
    store.awaitSent(400); // each once more, and nothing else
    for (int i = 200; i < 300; i++) {
      store.answer(i);
    }
    TimeUnit.MILLISECONDS.sleep(60);
    assertThat(store.sent()).isEqualTo(400); // a hundred are under way, half of what it was
  }
}
