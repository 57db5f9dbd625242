package io.arraymorph.optimizer.execute;

import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.store.StorePath;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A function beside a store that answers only the bytes asked for. Thread-safe.
 *
 * <p>Whatever it fails with, the same bytes are then read from the store itself; so it must fail
 * rather than answer anything else than asked.
 */
@FunctionalInterface
public interface SliceFunction {

  /**
   * What it answers.
   *
   * @param bytes of run after run
   * @param etag the version of the object they are of
   * @param objectBytes the length of the object
   */
  record Answer(ByteBuffer bytes, String etag, long objectBytes) {}

  /**
   * Bytes of an object.
   *
   * @param etag the version that must be read, if one is pinned
   * @param runs ascending and disjoint
   */
  CompletableFuture<Answer> slice(StorePath object, Optional<String> etag, List<ByteRuns> runs);
}
