package io.arraymorph.store;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A flat space of immutable-by-replacement objects, each a key and some bytes: a bucket, a
 * container, or a local directory.
 *
 * <p>The contract, enforced by {@code ObjectStoreContract} for every implementation:
 *
 * <ul>
 *   <li>Keys are relative to the store's root, use {@code /}, never start with it, and never
 *       contain empty, {@code .} or {@code ..} segments; others fail with INVALID_URI before any
 *       request.
 *   <li>Every call returns at once; the future completes on a thread of the store. Callers may
 *       cancel it, which aborts the request as soon as the store can.
 *   <li>Failures complete the future with a {@link StoreException}; its {@link StoreException.Kind}
 *       says what a caller can do. Not found (404) is never confused with denied (403).
 *   <li>Reads return exactly the bytes that exist in the range, never fewer, and the whole length
 *       of the object; a shortened or mismatched answer is a failure, not a result.
 *   <li>A put is atomic: readers see the old object, the new one, or none, never a part. Once its
 *       future completes, reads and lists that start later see it.
 *   <li>Conditional puts and deletes are decided by the store, atomically among all writers.
 * </ul>
 *
 * <p>Implementations are thread-safe. Transient failures are retried inside (see {@code
 * RetryingObjectStore}); callers do not retry.
 */
public interface ObjectStore extends AutoCloseable {

  /** The root as users write it, as {@code s3a://bucket}; no credentials, no trailing slash. */
  String uri();

  /**
   * Reads a range of an object.
   *
   * @param range what to read; a range that reaches beyond the end returns what exists, one that
   *     starts at or beyond the end of the object fails with kind RANGE_NOT_SATISFIABLE (reading a
   *     whole empty object is fine)
   * @param condition kind PRECONDITION_FAILED if the object's ETag differs
   */
  CompletableFuture<ObjectBytes> get(String key, ByteRange range, ReadCondition condition);

  /**
   * Opens objects whose bytes this process can read by itself; empty where they come from elsewhere
   * or must be seen by {@link #get}.
   */
  default Optional<ObjectOpener> opener() {
    return Optional.empty();
  }

  /** The size and ETag of an object. */
  CompletableFuture<ObjectStat> head(String key);

  /**
   * Lists one page of keys that start with a prefix, in ascending UTF-8 order.
   *
   * @param prefix any text, empty for all; with a delimiter usually ends in {@code /}
   * @param delimiter empty or {@code /}; with it, keys that have it after the prefix are rolled up
   *     into {@link ListPage#prefixes()}
   * @param continuation empty for the first page, else {@link ListPage#continuation()} of the last
   */
  CompletableFuture<ListPage> list(String prefix, String delimiter, String continuation);

  /** Writes an object; completes with its new ETag. The buffer must not change until completion. */
  CompletableFuture<String> put(String key, ByteBuffer bytes, WriteCondition condition);

  /**
   * Copies an object inside the store, server-side where the store can; completes with the ETag.
   */
  CompletableFuture<String> copy(String sourceKey, String targetKey, WriteCondition condition);

  /**
   * Deletes one object; deleting what does not exist succeeds unless the condition names an ETag.
   */
  CompletableFuture<Void> delete(String key, WriteCondition condition);

  /** Deletes many objects; what does not exist counts as deleted. Fails if any key could not be. */
  default CompletableFuture<Void> deleteAll(Collection<String> keys) {
    for (String key : keys) {
      if (!ObjectKeys.isValid(key)) {
        return delete(key, WriteCondition.NONE); // fails as INVALID before any request
      }
    }
    CompletableFuture<?>[] deletes =
        keys.stream()
            .map(key -> delete(key, WriteCondition.NONE))
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(deletes)
        .exceptionallyCompose(
            failure -> CompletableFuture.failedFuture(StoreException.of(failure, uri())));
  }

  /**
   * Signs a URL that reads one object, whether it exists or not.
   *
   * <p>Empty if this store or its credentials cannot sign for one object alone: files, memory, a
   * shared access signature, an account that may not sign. Mostly computed here, without a request.
   *
   * @param lifetime how long it works, from a second to {@link SignedUrl#LONGEST}; others throw
   *     {@link IllegalArgumentException}
   */
  default CompletableFuture<Optional<SignedUrl>> presign(String key, Duration lifetime) {
    SignedUrl.checkLifetime(lifetime);
    return CompletableFuture.completedFuture(Optional.empty());
  }

  /**
   * A view of this store that reports the retries of its own requests.
   *
   * <p>Views share connections, threads and retry budget with their store; closing a view does
   * nothing. A store that never retries is its own view.
   */
  default ObjectStore reportingRetriesTo(RetryListener listener) {
    return this;
  }

  /** Frees connections and threads; pending futures fail as cancelled. Idempotent. */
  @Override
  void close();
}
