package io.arraymorph.store;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * A store whose requests fail on purpose: the local stand-in for a bad day of a cloud.
 *
 * <p>Faults are tried in the order in which they were injected; the first that applies is used up
 * by one. Thread-safe.
 */
public final class FaultyObjectStore extends ForwardingObjectStore {
  private final List<Fault> faults = new ArrayList<>();

  /** What goes wrong with a request. */
  public sealed interface Effect {
    /** The store refuses, and nothing happens. */
    record Fail(StoreException.Kind kind) implements Effect {}

    /** The store does it, but the answer is lost: kind UNAVAILABLE. */
    record LoseAnswer() implements Effect {}

    /** The store does it after a while. */
    record Delay(Duration time) implements Effect {}

    /** A read returns bytes of which the first is wrong; other requests are left alone. */
    record Corrupt() implements Effect {}

    /** No answer, ever. */
    record Hang() implements Effect {}
  }

  /** An effect for requests of one operation on keys that match, a number of times. */
  private static final class Fault {
    private final StoreOperation operation;
    private final Pattern keys;
    private final Effect effect;
    private int rest;

    Fault(StoreOperation operation, Pattern keys, Effect effect, int times) {
      this.operation = operation;
      this.keys = keys;
      this.effect = effect;
      this.rest = times;
    }
  }

  /** A view of a store, without faults yet; closing it closes the store. */
  public FaultyObjectStore(ObjectStore store) {
    super(store);
  }

  /**
   * Adds a fault.
   *
   * @param keys regular expression found in the key (prefix of a listing, target of a copy, first
   *     of many deleted)
   * @param times how many requests it hits
   */
  public void inject(StoreOperation operation, String keys, Effect effect, int times) {
    synchronized (faults) {
      faults.add(new Fault(operation, Pattern.compile(keys), effect, times));
    }
  }

  /** Removes all faults. */
  public void heal() {
    synchronized (faults) {
      faults.clear();
    }
  }

  @Override
  public CompletableFuture<ObjectBytes> get(String key, ByteRange range, ReadCondition condition) {
    Effect effect = next(StoreOperation.GET, key);
    CompletableFuture<ObjectBytes> answer =
        suffer(effect, key, () -> store().get(key, range, condition));
    return effect instanceof Effect.Corrupt ? answer.thenApply(FaultyObjectStore::corrupt) : answer;
  }

  @Override
  public CompletableFuture<ObjectStat> head(String key) {
    return suffer(next(StoreOperation.HEAD, key), key, () -> store().head(key));
  }

  @Override
  public CompletableFuture<ListPage> list(String prefix, String delimiter, String continuation) {
    return suffer(
        next(StoreOperation.LIST, prefix),
        prefix,
        () -> store().list(prefix, delimiter, continuation));
  }

  @Override
  public CompletableFuture<String> put(String key, ByteBuffer bytes, WriteCondition condition) {
    return suffer(next(StoreOperation.PUT, key), key, () -> store().put(key, bytes, condition));
  }

  @Override
  public CompletableFuture<String> copy(
      String sourceKey, String targetKey, WriteCondition condition) {
    return suffer(
        next(StoreOperation.COPY, targetKey),
        targetKey,
        () -> store().copy(sourceKey, targetKey, condition));
  }

  @Override
  public CompletableFuture<Void> delete(String key, WriteCondition condition) {
    return suffer(next(StoreOperation.DELETE, key), key, () -> store().delete(key, condition));
  }

  @Override
  public CompletableFuture<Void> deleteAll(Collection<String> keys) {
    String first = keys.isEmpty() ? "" : keys.iterator().next();
    return suffer(next(StoreOperation.DELETE, first), first, () -> store().deleteAll(keys));
  }

  private Effect next(StoreOperation operation, String key) {
    synchronized (faults) {
      for (Fault fault : faults) {
        if (fault.rest > 0 && fault.operation == operation && fault.keys.matcher(key).find()) {
          fault.rest--;
          return fault.effect;
        }
      }
    }
    return null;
  }

  private <T> CompletableFuture<T> suffer(
      Effect effect, String key, Supplier<CompletableFuture<T>> request) {
    String object = store().uri() + "/" + key;
    if (effect instanceof Effect.Fail) {
      return CompletableFuture.failedFuture(
          new StoreException(((Effect.Fail) effect).kind(), object, "injected fault", null));
    }
    if (effect instanceof Effect.LoseAnswer) {
      return LinkedFuture.of(
          request.get(),
          (answer, failure) -> {
            throw new StoreException(
                StoreException.Kind.UNAVAILABLE, object, "injected fault: answer lost", failure);
          });
    }
    if (effect instanceof Effect.Delay) {
      long nanos = ((Effect.Delay) effect).time().toNanos();
      Executor later = CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS);
      return CompletableFuture.runAsync(() -> {}, later).thenCompose(waited -> request.get());
    }
    return effect instanceof Effect.Hang ? new CompletableFuture<>() : request.get();
  }

  private static ObjectBytes corrupt(ObjectBytes answer) {
    ByteBuffer bytes = answer.bytes();
    if (bytes.hasRemaining()) {
      bytes.put(bytes.position(), (byte) ~bytes.get(bytes.position()));
    }
    return answer;
  }
}
