package io.arraymorph.store;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A store whose transient failures are retried: with full jitter, within a number of attempts, a
 * deadline, and a budget that all requests share.
 *
 * <p>A conditional write may succeed and its answer be lost; the next attempt then fails on its own
 * work. So when a condition does not hold after a transient failure, the store is asked whose write
 * stands: by the tag that {@link TaggedWrites} left, else by comparing bytes. If it is this one's,
 * the write succeeded. The same is asked when all attempts failed; if the answer is not that the
 * write stands, the failure says that its outcome is unknown.
 *
 * <p>A conditional copy is a read and a conditional put, so it is bound to what one buffer holds. A
 * conditional delete that finds nothing after a transient failure succeeded. Thread-safe.
 */
public final class RetryingObjectStore implements ObjectStore {
  /** How often a write whose attempts all failed is looked for. */
  private static final int LOOKS = 3;

  private final ObjectStore store;
  private final RetryPolicy policy;
  private final RetryBudget budget;
  private final LongAdder retries;
  private final RetryListener listener;
  private final boolean view;

  /** Retries requests of a store; closing it closes the store. */
  public RetryingObjectStore(ObjectStore store, RetryPolicy policy) {
    this(
        store,
        policy,
        new RetryBudget(policy.budget(), System::nanoTime),
        new LongAdder(),
        RetryListener.NONE,
        false);
  }

  private RetryingObjectStore(
      ObjectStore store,
      RetryPolicy policy,
      RetryBudget budget,
      LongAdder retries,
      RetryListener listener,
      boolean view) {
    this.store = store;
    this.policy = policy;
    this.budget = budget;
    this.retries = retries;
    this.listener = listener;
    this.view = view;
  }

  /** How many retries were made so far, by all views of this store. */
  public long retries() {
    return retries.sum();
  }

  @Override
  public ObjectStore reportingRetriesTo(RetryListener other) {
    return new RetryingObjectStore(store, policy, budget, retries, other, true);
  }

  @Override
  public String uri() {
    return store.uri();
  }

  @Override
  public CompletableFuture<ObjectBytes> get(String key, ByteRange range, ReadCondition condition) {
    return retry(key, () -> store.get(key, range, condition));
  }

  @Override
  public CompletableFuture<ObjectStat> head(String key) {
    return retry(key, () -> store.head(key));
  }

  @Override
  public CompletableFuture<ListPage> list(String prefix, String delimiter, String continuation) {
    return retry(prefix, () -> store.list(prefix, delimiter, continuation));
  }

  @Override
  public CompletableFuture<String> put(String key, ByteBuffer bytes, WriteCondition condition) {
    if (condition instanceof WriteCondition.None) {
      return retry(key, () -> store.put(key, bytes, condition));
    }
    if (store instanceof TaggedWrites) {
      TaggedWrites tagged = (TaggedWrites) store;
      String tag = UUID.randomUUID().toString();
      return retry(
          key,
          () -> tagged.put(key, bytes, condition, tag),
          ifOurs(view -> view.retry(key, () -> tagged.findTagged(key, tag))));
    }
    ByteBuffer written = bytes.asReadOnlyBuffer();
    return retry(
        key, () -> store.put(key, bytes, condition), ifOurs(view -> view.findEqual(key, written)));
  }

  @Override
  public CompletableFuture<String> copy(
      String sourceKey, String targetKey, WriteCondition condition) {
    if (condition instanceof WriteCondition.None) {
      return retry(targetKey, () -> store.copy(sourceKey, targetKey, condition));
    }
    return get(sourceKey, ByteRange.WHOLE, ReadCondition.NONE)
        .thenCompose(source -> put(targetKey, source.bytes(), condition));
  }

  @Override
  public CompletableFuture<Void> delete(String key, WriteCondition condition) {
    if (condition instanceof WriteCondition.None) {
      return retry(key, () -> store.delete(key, condition));
    }
    return retry(key, () -> store.delete(key, condition), ifAbsent(key));
  }

  @Override
  public CompletableFuture<Void> deleteAll(Collection<String> keys) {
    List<String> copy = List.copyOf(keys);
    return retry(copy.isEmpty() ? "" : copy.get(0), () -> store.deleteAll(copy));
  }

  @Override
  public CompletableFuture<Optional<SignedUrl>> presign(String key, Duration lifetime) {
    return retry(key, () -> store.presign(key, lifetime));
  }

  @Override
  public void close() {
    if (!view) {
      store.close();
    }
  }

  @Override
  public String toString() {
    return store.toString();
  }

  private <T> CompletableFuture<T> retry(String key, Supplier<CompletableFuture<T>> attempt) {
    return retry(key, attempt, RetriedRequest.Settlement.none());
  }

  private <T> CompletableFuture<T> retry(
      String key, Supplier<CompletableFuture<T>> attempt, RetriedRequest.Settlement<T> settlement) {
    RetryListener counting =
        (retried, failure) -> {
          retries.increment();
          listener.retrying(retried, failure);
        };
    return RetriedRequest.start(policy, budget, counting, uri(), key, attempt, settlement);
  }

  /** A write that an earlier attempt made is a success, whatever the last one was told. */
  private RetriedRequest.Settlement<String> ifOurs(
      Function<RetryingObjectStore, CompletableFuture<Optional<String>>> find) {
    return new RetriedRequest.Settlement<>() {
      @Override
      public CompletableFuture<String> settle(StoreException failure) {
        if (failure.kind() != StoreException.Kind.PRECONDITION_FAILED) {
          return CompletableFuture.failedFuture(failure);
        }
        return find.apply(RetryingObjectStore.this)
            .thenCompose(
                ours ->
                    ours.map(CompletableFuture::completedFuture)
                        .orElseGet(() -> CompletableFuture.failedFuture(failure)));
      }

      @Override
      public CompletableFuture<String> exhausted(StoreException failure) {
        return find.apply(withAttempts(LOOKS))
            .exceptionallyCompose(
                thrown ->
                    CompletableFuture.failedFuture(
                        unknown(failure, "the object could not be read back")))
            .thenCompose(
                ours ->
                    ours.map(CompletableFuture::completedFuture)
                        .orElseGet(
                            () ->
                                CompletableFuture.failedFuture(
                                    unknown(failure, "the object read back is not it, yet"))));
      }
    };
  }

  /** This store with fewer attempts, for a question asked in bad weather. */
  private RetryingObjectStore withAttempts(int attempts) {
    RetryPolicy fewer = policy.withAttempts(Math.min(attempts, policy.attempts()));
    return new RetryingObjectStore(store, fewer, budget, retries, listener, true);
  }

  private static StoreException unknown(StoreException failure, String why) {
    return new StoreException(
        failure.kind(),
        failure.object(),
        failure.detail() + "; whether the write took place is unknown: " + why,
        failure);
  }

  private CompletableFuture<Optional<String>> findEqual(String key, ByteBuffer written) {
    return get(key, ByteRange.WHOLE, ReadCondition.NONE)
        .thenApply(
            found ->
                found.bytes().equals(written)
                    ? Optional.of(found.etag())
                    : Optional.<String>empty())
        .exceptionallyCompose(thrown -> absentAs(Optional.empty(), thrown));
  }

  private RetriedRequest.Settlement<Void> ifAbsent(String key) {
    return new RetriedRequest.Settlement<>() {
      @Override
      public CompletableFuture<Void> settle(StoreException failure) {
        if (failure.kind() != StoreException.Kind.PRECONDITION_FAILED) {
          return CompletableFuture.failedFuture(failure);
        }
        return isAbsent(key)
            .thenCompose(
                absent ->
                    absent
                        ? CompletableFuture.completedFuture(null)
                        : CompletableFuture.failedFuture(failure));
      }

      @Override
      public CompletableFuture<Void> exhausted(StoreException failure) {
        return CompletableFuture.failedFuture(unknown(failure, "no attempt was answered"));
      }
    };
  }

  private CompletableFuture<Boolean> isAbsent(String key) {
    return head(key)
        .thenApply(found -> false)
        .exceptionallyCompose(thrown -> absentAs(true, thrown));
  }

  private <T> CompletableFuture<T> absentAs(T value, Throwable thrown) {
    StoreException failure = StoreException.of(thrown, uri());
    return failure.kind() == StoreException.Kind.NOT_FOUND
        ? CompletableFuture.completedFuture(value)
        : CompletableFuture.failedFuture(failure);
  }
}
