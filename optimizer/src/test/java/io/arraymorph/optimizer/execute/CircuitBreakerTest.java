package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When calls of a function that fails stop, and what lets them through again. */
class CircuitBreakerTest {
  private static final long PAUSE = Duration.ofSeconds(30).toNanos();
  private static final SliceFunction.Answer ONE_BYTE =
      new SliceFunction.Answer(ByteBuffer.allocate(1), "v", 1);

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1000);
  private final CircuitBreaker breaker = new CircuitBreaker(now::get);
  private final ReadMetrics metrics = new ReadMetrics();
  private final AtomicInteger sent = new AtomicInteger();

  private FunctionCalls calls(int concurrency, boolean required) {
    SliceFunction function =
        new SliceFunction() {
          @Override
          public CompletableFuture<Answer> slice(
              StorePath object, Optional<String> etag, List<ByteRuns> runs) {
            throw new IllegalStateException("not asked for");
          }

          @Override
          public boolean isRequired() {
            return required;
          }
        };
    return new FunctionCalls(function, breaker, concurrency, metrics);
  }

  private CompletableFuture<SliceFunction.Answer> send(
      FunctionCalls calls, CompletableFuture<SliceFunction.Answer> answer) {
    return calls.call(
        () -> {
          sent.incrementAndGet();
          return answer;
        },
        1,
        Duration.ofSeconds(20));
  }

  private void fail(FunctionCalls calls, int times) {
    for (int i = 0; i < times; i++) {
      assertThat(send(calls, CompletableFuture.failedFuture(new IllegalStateException("down"))))
          .isCompletedExceptionally();
    }
  }

  private void work(FunctionCalls calls) {
    assertThat(send(calls, CompletableFuture.completedFuture(ONE_BYTE)))
        .isCompletedWithValue(ONE_BYTE);
  }

  @Test
  void onlyFailuresInARowCount() {
    FunctionCalls calls = calls(4, false);
    for (int i = 0; i < 5; i++) {
      fail(calls, 4);
      work(calls);
    }
    assertThat(breaker.isClosed()).isTrue();
    fail(calls, 5);
    assertThat(breaker.isClosed()).isFalse();
    // Nothing is sent, and what is not sent is no failure of the function.
    fail(calls, 3);
    assertThat(sent).hasValue(30);
    assertThat(metrics.sliceFunctionRequests()).isEqualTo(30);
    assertThat(metrics.sliceFunctionFailures()).isEqualTo(25);
  }

  @Test
  void afterThePauseOneCallIsTried() {
    FunctionCalls calls = calls(8, false);
    fail(calls, 5);
    now.addAndGet(PAUSE - 1);
    assertThat(breaker.isClosed()).isFalse();
    now.addAndGet(1);
    assertThat(breaker.isClosed()).isTrue();
    CompletableFuture<SliceFunction.Answer> probe = new CompletableFuture<>();
    CompletableFuture<SliceFunction.Answer> tried = send(calls, probe);
    assertThat(sent).hasValue(6);
    // While it is under way all others go without.
    assertThat(breaker.isClosed()).isFalse();
    fail(calls, 3);
    assertThat(sent).hasValue(6);
    probe.complete(ONE_BYTE);
    assertThat(tried).isCompletedWithValue(ONE_BYTE);
    assertThat(breaker.isClosed()).isTrue();
    // It takes five failures again.
    fail(calls, 4);
    assertThat(breaker.isClosed()).isTrue();
    fail(calls, 1);
    assertThat(breaker.isClosed()).isFalse();
  }

  @Test
  void aTriedCallThatFailsPausesAgain() {
    FunctionCalls calls = calls(8, false);
    fail(calls, 5);
    for (int i = 1; i <= 3; i++) {
      now.addAndGet(PAUSE);
      fail(calls, 4);
      assertThat(sent).hasValue(5 + i);
      now.addAndGet(PAUSE - 1);
      assertThat(breaker.isClosed()).isFalse();
      now.addAndGet(1 - PAUSE);
    }
  }

  @Test
  void aTriedCallThatNobodyWaitsForIsFollowedByAnother() {
    FunctionCalls calls = calls(8, false);
    fail(calls, 5);
    now.addAndGet(PAUSE);
    assertThat(send(calls, new CompletableFuture<>()).cancel(true)).isTrue();
    assertThat(breaker.isClosed()).isTrue();
    work(calls);
    assertThat(breaker.isClosed()).isTrue();
    assertThat(sent).hasValue(7);
    // And so is one of whose end nobody hears.
    fail(calls, 5);
    now.addAndGet(PAUSE);
    CompletableFuture<SliceFunction.Answer> lost = send(calls, new CompletableFuture<>());
    assertThat(breaker.isClosed()).isFalse();
    now.addAndGet(PAUSE);
    assertThat(breaker.isClosed()).isTrue();
    lost.cancel(true);
  }

  @Test
  void whatTheStoreSaidIsAnAnswer() {
    FunctionCalls calls = calls(8, false);
    fail(calls, 5);
    now.addAndGet(PAUSE);
    StoreException absent = new StoreException(StoreException.Kind.NOT_FOUND, "x", "none", null);
    assertThat(send(calls, CompletableFuture.failedFuture(absent))).isCompletedExceptionally();
    assertThat(breaker.isClosed()).isTrue();
    fail(calls, 4);
    assertThat(breaker.isClosed()).isTrue();
  }

  @Test
  void anAnswerToACallOfBeforeEndsNoPause() {
    FunctionCalls calls = calls(8, false);
    CompletableFuture<SliceFunction.Answer> early = new CompletableFuture<>();
    CompletableFuture<SliceFunction.Answer> late = new CompletableFuture<>();
    CompletableFuture<SliceFunction.Answer> earlyCall = send(calls, early);
    CompletableFuture<SliceFunction.Answer> lateCall = send(calls, late);
    fail(calls, 5);
    early.complete(ONE_BYTE);
    assertThat(earlyCall).isCompletedWithValue(ONE_BYTE);
    assertThat(breaker.isClosed()).isFalse();
    // Nor does its failure make it longer.
    now.addAndGet(PAUSE - 1);
    late.completeExceptionally(new IllegalStateException("down"));
    assertThat(lateCall).isCompletedExceptionally();
    now.addAndGet(1);
    assertThat(breaker.isClosed()).isTrue();
  }

  @Test
  void callsThatWaitForTheirTurnAreNotSentDuringAPause() {
    FunctionCalls calls = calls(2, false);
    List<CompletableFuture<SliceFunction.Answer>> hanging = new ArrayList<>();
    List<CompletableFuture<SliceFunction.Answer>> all = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      all.add(
          calls.call(
              () -> {
                sent.incrementAndGet();
                CompletableFuture<SliceFunction.Answer> one = new CompletableFuture<>();
                hanging.add(one);
                return one;
              },
              1,
              Duration.ofSeconds(20)));
    }
    for (int i = 0; i < 5; i++) {
      hanging.get(i).completeExceptionally(new IllegalStateException("down"));
    }
    // Two at once: the sixth was sent before the fifth had failed.
    assertThat(sent).hasValue(6);
    hanging.get(5).completeExceptionally(new IllegalStateException("down"));
    assertThat(sent).hasValue(6);
    assertThat(all).allMatch(CompletableFuture::isCompletedExceptionally);
    assertThat(metrics.sliceFunctionRequests()).isEqualTo(6);
  }

  @Test
  void aFunctionThatIsRequiredIsAlwaysCalled() {
    FunctionCalls calls = calls(4, true);
    fail(calls, 12);
    assertThat(sent).hasValue(12);
    assertThat(calls.isAvailable()).isTrue();
    work(calls);
  }
}
