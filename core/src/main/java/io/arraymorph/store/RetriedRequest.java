package io.arraymorph.store;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The future of a request that is made again while it fails transiently: one attempt at a time,
 * with pauses between them, within the policy and budget of its store.
 *
 * <p>Cancelling it cancels the attempt under way.
 */
final class RetriedRequest<T> extends CompletableFuture<T> {
  private final RetryPolicy policy;
  private final RetryBudget budget;
  private final String object;
  private final Supplier<CompletableFuture<T>> attempt;
  private final Settlement<T> settlement;
  private final RetryListener listener;
  private final String key;
  private final long started = System.nanoTime();
  private int failures;
  private volatile CompletableFuture<?> underWay = new CompletableFuture<>();

  /** What to do with the last failure, after attempts of which any may have had its effect. */
  @FunctionalInterface
  interface Settlement<T> {
    /** The outcome: the failure itself, or what an earlier attempt turns out to have done. */
    CompletableFuture<T> settle(StoreException failure);

    /** The outcome when no attempt is left and the last one failed transiently. */
    default CompletableFuture<T> exhausted(StoreException failure) {
      return CompletableFuture.failedFuture(failure);
    }

    /** Every failure stands. */
    static <T> Settlement<T> none() {
      return CompletableFuture::failedFuture;
    }
  }

  private RetriedRequest(
      RetryPolicy policy,
      RetryBudget budget,
      RetryListener listener,
      String uri,
      String key,
      Supplier<CompletableFuture<T>> attempt,
      Settlement<T> settlement) {
    this.policy = policy;
    this.budget = budget;
    this.listener = listener;
    this.object = uri + "/" + key;
    this.key = key;
    this.attempt = attempt;
    this.settlement = settlement;
  }

  static <T> CompletableFuture<T> start(
      RetryPolicy policy,
      RetryBudget budget,
      RetryListener listener,
      String uri,
      String key,
      Supplier<CompletableFuture<T>> attempt,
      Settlement<T> settlement) {
    RetriedRequest<T> request =
        new RetriedRequest<>(policy, budget, listener, uri, key, attempt, settlement);
    request.tryOnce();
    return request;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // both outcomes go into this future
  private void tryOnce() {
    if (isDone()) {
      return;
    }
    CompletableFuture<T> request = attempt.get();
    underWay = request;
    if (isDone()) {
      request.cancel(true);
      return;
    }
    CompletableFuture<T> timed = new CompletableFuture<>();
    request.whenComplete(
        (value, failure) -> {
          if (failure == null) {
            timed.complete(value);
          } else {
            timed.completeExceptionally(failure);
          }
        });
    Duration timeout = policy.attemptTimeout();
    timed
        .orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
        .whenComplete(
            (value, failure) -> {
              if (failure == null) {
                budget.succeeded();
                complete(value);
              } else if (failure instanceof TimeoutException) {
                request.cancel(true);
                failed(
                    new StoreException(
                        StoreException.Kind.UNAVAILABLE,
                        object,
                        "no answer within " + timeout.toMillis() + " ms",
                        failure));
              } else {
                failed(StoreException.of(failure, object));
              }
            });
  }

  private void failed(StoreException failure) {
    if (!failure.kind().isTransient()) {
      if (failures == 0) {
        completeExceptionally(failure);
        return;
      }
      end(settlement.settle(failure));
      return;
    }
    failures++;
    Duration pause = policy.pause(failures, failure);
    long elapsed = System.nanoTime() - started;
    String giveUp = null;
    if (failures == policy.attempts()) {
      giveUp = "after " + failures + " attempts";
    } else if (elapsed + pause.toNanos() > policy.deadline().toNanos()) {
      giveUp = "after " + TimeUnit.NANOSECONDS.toMillis(elapsed) + " ms";
    } else if (!budget.tryRetry()) {
      giveUp = "with the retry budget of the store used up";
    }
    if (giveUp != null) {
      end(
          settlement.exhausted(
              new StoreException(
                  failure.kind(),
                  object,
                  "gave up " + giveUp + ", at last: " + failure.detail(),
                  failure)));
      return;
    }
    listener.retrying(key, failure);
    CompletableFuture.delayedExecutor(pause.toNanos(), TimeUnit.NANOSECONDS, Runnable::run)
        .execute(this::tryOnce);
  }

  @SuppressWarnings("FutureReturnValueIgnored") // both outcomes go into this future
  private void end(CompletableFuture<T> settled) {
    underWay = settled;
    settled.whenComplete(
        (value, failure) -> {
          if (failure == null) {
            complete(value);
          } else {
            completeExceptionally(StoreException.of(failure, object));
          }
        });
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    underWay.cancel(mayInterruptIfRunning);
    return cancelled;
  }
}
