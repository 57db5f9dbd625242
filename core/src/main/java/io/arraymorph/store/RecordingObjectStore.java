package io.arraymorph.store;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.ToLongFunction;

/**
 * A store that writes down every request made through it.
 *
 * <p>A request is recorded when it ends, before its future completes; a cancelled one is not.
 * Thread-safe.
 */
public final class RecordingObjectStore extends ForwardingObjectStore {
  private final ConcurrentLinkedQueue<Request> requests = new ConcurrentLinkedQueue<>();

  /**
   * One request that ended.
   *
   * @param key of the object; the prefix of a listing; the first key of {@code deleteAll}
   * @param range what was asked for; WHOLE for everything but reads
   * @param bytes of content that a read returned or a put sent; 0 if it failed
   * @param failure empty if it succeeded
   */
  public record Request(
      StoreOperation operation,
      String key,
      ByteRange range,
      long bytes,
      Optional<StoreException.Kind> failure) {}

  /** A view of a store; closing it closes the store. */
  public RecordingObjectStore(ObjectStore store) {
    super(store);
  }

  /** All requests so far, in the order in which they ended. */
  public List<Request> requests() {
    return List.copyOf(requests);
  }

  /** The requests of one operation. */
  public List<Request> requests(StoreOperation operation) {
    return requests.stream().filter(r -> r.operation == operation).toList();
  }

  /** The number of requests of one operation. */
  public long count(StoreOperation operation) {
    return requests.stream().filter(r -> r.operation == operation).count();
  }

  /** The bytes of content that reads returned. */
  public long bytesRead() {
    return bytes(StoreOperation.GET);
  }

  /** The bytes of content that puts sent. */
  public long bytesWritten() {
    return bytes(StoreOperation.PUT);
  }

  /** Forgets all requests. */
  public void clear() {
    requests.clear();
  }

  @Override
  public CompletableFuture<ObjectBytes> get(String key, ByteRange range, ReadCondition condition) {
    return record(
        StoreOperation.GET,
        key,
        range,
        store().get(key, range, condition),
        answer -> answer.bytes().remaining());
  }

  @Override
  public CompletableFuture<ObjectStat> head(String key) {
    return record(StoreOperation.HEAD, key, ByteRange.WHOLE, store().head(key), answer -> 0);
  }

  @Override
  public CompletableFuture<ListPage> list(String prefix, String delimiter, String continuation) {
    return record(
        StoreOperation.LIST,
        prefix,
        ByteRange.WHOLE,
        store().list(prefix, delimiter, continuation),
        answer -> 0);
  }

  @Override
  public CompletableFuture<String> put(String key, ByteBuffer bytes, WriteCondition condition) {
    long length = bytes.remaining();
    return record(
        StoreOperation.PUT,
        key,
        ByteRange.WHOLE,
        store().put(key, bytes, condition),
        answer -> length);
  }

  @Override
  public CompletableFuture<String> copy(
      String sourceKey, String targetKey, WriteCondition condition) {
    return record(
        StoreOperation.COPY,
        targetKey,
        ByteRange.WHOLE,
        store().copy(sourceKey, targetKey, condition),
        answer -> 0);
  }

  @Override
  public CompletableFuture<Void> delete(String key, WriteCondition condition) {
    return record(
        StoreOperation.DELETE, key, ByteRange.WHOLE, store().delete(key, condition), answer -> 0);
  }

  @Override
  public CompletableFuture<Void> deleteAll(Collection<String> keys) {
    String first = keys.isEmpty() ? "" : keys.iterator().next();
    return record(
        StoreOperation.DELETE, first, ByteRange.WHOLE, store().deleteAll(keys), answer -> 0);
  }

  private long bytes(StoreOperation operation) {
    return requests.stream().filter(r -> r.operation == operation).mapToLong(Request::bytes).sum();
  }

  private <T> CompletableFuture<T> record(
      StoreOperation operation,
      String key,
      ByteRange range,
      CompletableFuture<T> request,
      ToLongFunction<T> bytes) {
    return LinkedFuture.of(
        request,
        (answer, failure) -> {
          if (failure == null) {
            requests.add(
                new Request(operation, key, range, bytes.applyAsLong(answer), Optional.empty()));
            return answer;
          }
          StoreException known = StoreException.of(failure, store().uri() + "/" + key);
          requests.add(new Request(operation, key, range, 0, Optional.of(known.kind())));
          throw known;
        });
  }
}
