package io.arraymorph.store;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * A store whose transient failures are retried: with full jitter, within a number of attempts, a
 * deadline, and a budget that all requests share.
 *
 * <p>A conditional write may succeed and its answer be lost; the next attempt then fails on its own
 * work. So when a condition does not hold after a transient failure, the store is asked whose write
 * stands: by the tag that {@link TaggedWrites} left, else by comparing bytes. If it is this one's,
 * the write succeeded.
 *
 * <p>A conditional copy is a read and a conditional put, so it is bound to what one buffer holds. A
 * conditional delete that finds nothing after a transient failure succeeded. Thread-safe.
 */
public final class RetryingObjectStore implements ObjectStore {
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
          ifOurs(() -> retry(key, () -> tagged.findTagged(key, tag))));
    }
    ByteBuffer written = bytes.asReadOnlyBuffer();
    return retry(
        key, () -> store.put(key, bytes, condition), ifOurs(() -> findEqual(key, written)));
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

  /** A condition that does not hold because our own earlier attempt succeeded is a success. */
  private static RetriedRequest.Settlement<String> ifOurs(
      Supplier<CompletableFuture<Optional<String>>> find) {
    return failure -> {
      if (failure.kind() != StoreException.Kind.PRECONDITION_FAILED) {
        return CompletableFuture.failedFuture(failure);
      }
      return find.get()
          .thenCompose(
              ours ->
                  ours.map(CompletableFuture::completedFuture)
                      .orElseGet(() -> CompletableFuture.failedFuture(failure)));
    };
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
    return failure -> {
      if (failure.kind() != StoreException.Kind.PRECONDITION_FAILED) {
        return CompletableFuture.failedFuture(failure);
      }
      return head(key)
          .thenApply(found -> false)
          .exceptionallyCompose(thrown -> absentAs(true, thrown))
          .thenCompose(
              absent ->
                  absent
                      ? CompletableFuture.completedFuture(null)
                      : CompletableFuture.failedFuture(failure));
    };
  }

  private <T> CompletableFuture<T> absentAs(T value, Throwable thrown) {
    StoreException failure = StoreException.of(thrown, uri());
    return failure.kind() == StoreException.Kind.NOT_FOUND
        ? CompletableFuture.completedFuture(value)
        : CompletableFuture.failedFuture(failure);
  }
}
