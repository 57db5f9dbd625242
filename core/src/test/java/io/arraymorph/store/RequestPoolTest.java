package io.arraymorph.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RequestPoolTest {
  private final RequestPool pool = new RequestPool("test", 2);

  @AfterEach
  void close() {
    pool.close();
  }

  /** A request whose answer must not come before something hangs on it. */
  private <T> CompletableFuture<T> submitHeld(CountDownLatch release, T value) {
    return pool.submit(
        "held",
        () -> {
          release.await();
          return value;
        });
  }

  private CompletableFuture<Thread> submitThread() {
    return pool.submit("thread", Thread::currentThread);
  }

  private static <T> T get(CompletableFuture<T> answer) throws Exception {
    return answer.get(20, TimeUnit.SECONDS);
  }

  @Test
  void theThreadThatBringsAnAnswerRunsTheRequestThatIsSentInTurn() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    List<CompletableFuture<Thread>> sent = Collections.synchronizedList(new ArrayList<>());
    CompletableFuture<Thread> first =
        submitHeld(release, null)
            .thenApply(
                ignored -> {
                  RequestPool.inTurn(() -> sent.add(submitThread()));
                  return Thread.currentThread();
                });
    release.countDown();
    Thread bringer = get(first);
    assertThat(get(sent.get(0))).isSameAs(bringer);
  }

  @Test
  void aLongChainInTurnNeedsNoStack() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CompletableFuture<Integer> end = new CompletableFuture<>();
    CompletableFuture<?> first = submitHeld(release, 0).thenAccept(zero -> step(zero, end));
    release.countDown();
    get(first);
    assertThat(get(end)).isEqualTo(100_000);
  }

  private void step(int number, CompletableFuture<Integer> end) {
    if (number == 100_000) {
      end.complete(number);
      return;
    }
    RequestPool.inTurn(
        () -> {
          CompletableFuture<?> unused =
              pool.submit("step", () -> number + 1).thenAccept(next -> step(next, end));
        });
  }

  @Test
  void whatIsNotSentInTurnMayBeWaitedFor() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CompletableFuture<Boolean> other =
        submitHeld(release, null)
            .thenApply(ignored -> submitThread().join() != Thread.currentThread());
    release.countDown();
    assertThat(get(other)).isTrue();
  }

  @Test
  void onlyTheFirstRequestStaysWithTheThread() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    List<CompletableFuture<Thread>> sent = Collections.synchronizedList(new ArrayList<>());
    CompletableFuture<Boolean> second =
        submitHeld(release, null)
            .thenApply(
                ignored -> {
                  RequestPool.inTurn(
                      () -> {
                        sent.add(submitThread());
                        sent.add(submitThread());
                      });
                  return sent.get(1).join() != Thread.currentThread();
                });
    release.countDown();
    assertThat(get(second)).isTrue();
    assertThat(get(sent.get(0))).isNotNull();
  }

  @Test
  void whoeverWaitsForAThreadComesBeforeWhatIsSentInTurn() throws Exception {
    RequestPool single = new RequestPool("single", 1);
    try (single) {
      CountDownLatch release = new CountDownLatch(1);
      List<String> order = Collections.synchronizedList(new ArrayList<>());
      List<CompletableFuture<?>> sent = Collections.synchronizedList(new ArrayList<>());
      CompletableFuture<?> first =
          single
              .submit(
                  "first",
                  () -> {
                    release.await();
                    return null;
                  })
              .thenRun(
                  () ->
                      RequestPool.inTurn(
                          () -> sent.add(single.submit("turn", () -> order.add("in turn")))));
      CompletableFuture<?> waiting = single.submit("waits", () -> order.add("waiting"));
      release.countDown();
      get(first);
      get(waiting);
      get(sent.get(0));
      assertThat(order).containsExactly("waiting", "in turn");
    }
  }

  @Test
  void whatIsTakenOnCanBeCancelledAndFailsWhenThePoolIsClosed() throws Exception {
    for (boolean close : new boolean[] {false, true}) {
      RequestPool one = new RequestPool("one", 1);
      CountDownLatch release = new CountDownLatch(1);
      List<String> ran = Collections.synchronizedList(new ArrayList<>());
      List<CompletableFuture<?>> sent = Collections.synchronizedList(new ArrayList<>());
      CompletableFuture<?> first =
          one.submit(
                  "first",
                  () -> {
                    release.await();
                    return null;
                  })
              .thenRun(
                  () -> {
                    RequestPool.inTurn(
                        () -> sent.add(one.submit("taken on", () -> ran.add("taken on"))));
                    if (close) {
                      one.close();
                    } else {
                      sent.get(0).cancel(true);
                    }
                  });
      release.countDown();
      get(first);
      assertThatThrownBy(() -> get(sent.get(0)))
          .satisfies(
              failure ->
                  assertThat(close ? failure.getCause() : failure)
                      .isInstanceOf(close ? StoreException.class : CancellationException.class));
      one.close();
      assertThat(ran).isEmpty();
    }
  }
}
