package io.arraymorph.store;

import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

/**
 * The future of a decorated request: follows the future of the request underneath, and cancels it
 * when it is cancelled itself (a plain {@code thenApply} would not).
 */
final class LinkedFuture<T> extends CompletableFuture<T> {
  private final CompletableFuture<?> request;

  private LinkedFuture(CompletableFuture<?> request) {
    this.request = request;
  }

  /** The outcome of a request after {@code step} saw it: a value, or a throw to fail with. */
  @SuppressWarnings("FutureReturnValueIgnored") // the step's failure goes into the linked future
  static <S, T> CompletableFuture<T> of(
      CompletableFuture<S> request, BiFunction<S, Throwable, T> step) {
    LinkedFuture<T> linked = new LinkedFuture<>(request);
    request.whenComplete(
        (value, failure) -> {
          try {
            linked.complete(step.apply(value, failure));
          } catch (Throwable thrown) {
            linked.completeExceptionally(thrown);
          }
        });
    return linked;
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    request.cancel(mayInterruptIfRunning);
    return cancelled;
  }
}
