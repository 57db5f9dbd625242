package io.arraymorph.store;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Puts that leave a mark of who made them: what a store offers so that a retried conditional put
 * can tell its own earlier attempt, whose answer was lost, from somebody else's.
 */
public interface TaggedWrites {

  /**
   * Writes an object as {@link ObjectStore#put} does and marks it.
   *
   * @param tag unique to this put and the same for all its attempts; ASCII letters, digits and
   *     hyphens
   */
  CompletableFuture<String> put(String key, ByteBuffer bytes, WriteCondition condition, String tag);

  /** The ETag of the object if it exists and bears this tag. */
  CompletableFuture<Optional<String>> findTagged(String key, String tag);
}
