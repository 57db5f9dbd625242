package io.arraymorph.cloud;

import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ListPage;
import io.arraymorph.store.ObjectKeys;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.RequestPool;
import io.arraymorph.store.SignedUrl;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreException.Kind;
import io.arraymorph.store.TaggedWrites;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/**
 * A bucket or container of a cloud's store: checks keys, runs each request as one attempt on a
 * thread of the store and says failures in one way; {@code RetryingObjectStore} makes the other
 * attempts. What the service is asked is up to the subclass. Thread-safe.
 */
public abstract class BucketStore implements ObjectStore, TaggedWrites {
  private final String uri;
  private final String tagName;
  private final RequestPool pool;

  /**
   * @param uri the root as users write it
   * @param threads the name of the store's threads
   * @param connections most requests at a time
   * @param tagName of the object's metadata that hold the tag of the write
   */
  protected BucketStore(String uri, String threads, int connections, String tagName) {
    this.uri = uri;
    this.tagName = tagName;
    this.pool = new RequestPool(threads, connections);
  }

  /** What a service says of a stored object: its version and what was put with it. */
  public record Stored(String etag, Map<String, String> metadata) {}

  /**
   * What an exception of the service's client means for an object, named by its URI; any other
   * exception as it is.
   */
  protected abstract RuntimeException failure(String object, RuntimeException thrown);

  /** One page of a listing; blocks. The prefix and the delimiter are valid. */
  protected abstract ListPage page(String prefix, String delimiter, String continuation)
      throws Exception;

  /** Puts an object with metadata of its own. */
  protected abstract CompletableFuture<String> put(
      String key, ByteBuffer bytes, WriteCondition condition, Map<String, String> metadata);

  /** The object as it is now, or NOT_FOUND; blocks. */
  protected abstract Stored stored(String key) throws Exception;

  /** Deletes an object, if it has that version where one is asked for; blocks. */
  protected abstract void remove(String key, WriteCondition condition) throws Exception;

  /** A URL by which anybody can read an object for a while; blocks. */
  protected abstract Optional<SignedUrl> sign(String key, Duration lifetime) throws Exception;

  @Override
  public final String uri() {
    return uri;
  }

  @Override
  public final CompletableFuture<ListPage> list(
      String prefix, String delimiter, String continuation) {
    return run(
        prefix,
        () -> {
          ObjectKeys.checkDelimiter(uri, delimiter);
          return ObjectKeys.canStart(prefix)
              ? page(prefix, delimiter, continuation)
              : new ListPage(List.of(), List.of(), "");
        });
  }

  @Override
  public final CompletableFuture<String> put(
      String key, ByteBuffer bytes, WriteCondition condition) {
    return put(key, bytes, condition, Map.of());
  }

  @Override
  public final CompletableFuture<String> put(
      String key, ByteBuffer bytes, WriteCondition condition, String tag) {
    return put(key, bytes, condition, Map.of(tagName, tag));
  }

  @Override
  public final CompletableFuture<Optional<String>> findTagged(String key, String tag) {
    return submit(
        key,
        () -> {
          try {
            Stored found = stored(key);
            return tag.equals(found.metadata().get(tagName))
                ? Optional.of(found.etag())
                : Optional.empty();
          } catch (RuntimeException e) {
            RuntimeException failure = failure(object(key), e);
            if (failure instanceof StoreException
                && ((StoreException) failure).kind() == Kind.NOT_FOUND) {
              return Optional.empty();
            }
            throw failure;
          }
        });
  }

  @Override
  public final CompletableFuture<Void> delete(String key, WriteCondition condition) {
    return submit(
        key,
        () -> {
          if (condition instanceof WriteCondition.IfAbsent) {
            throw new StoreException(
                Kind.INVALID, object(key), "cannot be deleted if absent", null);
          }
          remove(key, condition);
          return null;
        });
  }

  @Override
  public final CompletableFuture<Optional<SignedUrl>> presign(String key, Duration lifetime) {
    SignedUrl.checkLifetime(lifetime);
    return submit(key, () -> sign(key, lifetime));
  }

  /** A copy that reads and writes, for conditions that the service's own copy does not know. */
  protected final CompletableFuture<String> copyByReading(
      String sourceKey, String targetKey, WriteCondition condition) {
    String tag = UUID.randomUUID().toString();
    return get(sourceKey, ByteRange.WHOLE, ReadCondition.NONE)
        .thenCompose(source -> put(targetKey, source.bytes(), condition, tag));
  }

  /** Runs one request about a valid key on a thread of the store. */
  protected final <T> CompletableFuture<T> submit(String key, Callable<T> call) {
    return run(
        key,
        () -> {
          checkKey(key);
          return call.call();
        });
  }

  /** Throws INVALID for what is no key. */
  protected final void checkKey(String key) {
    ObjectKeys.check(uri, key);
  }

  /** Runs one request about whatever the key stands for on a thread of the store. */
  protected final <T> CompletableFuture<T> run(String key, Callable<T> call) {
    return pool.submit(
        object(key),
        () -> {
          try {
            return call.call();
          } catch (RuntimeException e) {
            throw failure(object(key), e);
          }
        });
  }

  /** The threads of the store, for what blocks. */
  protected final RequestPool threads() {
    return pool;
  }

  /** True once the store was closed. */
  protected final boolean isClosed() {
    return pool.isClosed();
  }

  /** The URI of an object, for errors. */
  protected final String object(String key) {
    return key.isEmpty() ? uri : uri + "/" + key;
  }

  @Override
  public void close() {
    pool.close();
  }

  @Override
  public final String toString() {
    return uri;
  }
}
