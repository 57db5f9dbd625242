package io.arraymorph.optimizer.execute;

import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
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
 * rather than answer anything else than asked. Cancelling its futures aborts calls.
 */
@FunctionalInterface
public interface SliceFunction {

  /**
   * What it answers.
   *
   * @param bytes of run after run, or box after box
   * @param etag the version of the object they are of
   * @param objectBytes the length of the object
   */
  record Answer(ByteBuffer bytes, String etag, long objectBytes) {}

  /**
   * What is asked for of one object: stored bytes, or elements of a chunk.
   *
   * @param object which
   * @param etag the version that must be read, if one is pinned
   * @param runs of stored bytes, ascending and disjoint; empty if elements are asked for
   * @param decoded the elements
   * @param bytes that the answer must have
   * @param spanBytes about what must be read for it
   */
  record Slice(
      StorePath object,
      Optional<String> etag,
      List<ByteRuns> runs,
      Optional<Decoded> decoded,
      long bytes,
      long spanBytes) {}

  /**
   * Elements of a chunk, packed, box after box, little-endian.
   *
   * @param metadata of the array, as {@code ZarrArray.metadataText()} gives it
   * @param chunkShape nominal shape of the stored chunk
   * @param boxes relative to the chunk
   */
  record Decoded(String metadata, Shape chunkShape, List<Hyperslab> boxes) {}

  /** One slice. */
  default CompletableFuture<Answer> slice(Slice slice) {
    return slice.decoded().isPresent()
        ? sliceDecoded(
            slice.object(),
            slice.etag(),
            slice.decoded().get().metadata(),
            slice.decoded().get().chunkShape(),
            slice.decoded().get().boxes(),
            slice.bytes())
        : slice(slice.object(), slice.etag(), slice.runs());
  }

  /** The most slices that {@link #sliceAll} takes; 1 if each needs a call of its own. */
  default int mostTogether() {
    return 1;
  }

  /** Several slices in one call; empty where an object does not exist. */
  default CompletableFuture<List<Optional<Answer>>> sliceAll(List<Slice> slices) {
    return CompletableFuture.failedFuture(
        new UnsupportedOperationException("this function answers one slice a call"));
  }

  /**
   * Bytes of an object.
   *
   * @param etag the version that must be read, if one is pinned
   * @param runs ascending and disjoint
   * @return fails with {@code StoreException} of kind NOT_FOUND or PRECONDITION_FAILED if that is
   *     what the store said
   */
  CompletableFuture<Answer> slice(StorePath object, Optional<String> etag, List<ByteRuns> runs);

  /**
   * Decoded elements of a chunk, packed, box after box, little-endian.
   *
   * @param metadata of the array, as {@code ZarrArray.metadataText()} gives it
   * @param chunkShape nominal shape of the stored chunk
   * @param boxes relative to the chunk
   * @param bytes that the answer must have
   */
  default CompletableFuture<Answer> sliceDecoded(
      StorePath object,
      Optional<String> etag,
      String metadata,
      Shape chunkShape,
      List<Hyperslab> boxes,
      long bytes) {
    return CompletableFuture.failedFuture(
        new UnsupportedOperationException("this function decodes nothing"));
  }

  /** True if it can answer {@link #sliceDecoded}. */
  default boolean decodes() {
    return false;
  }

  /** Knows whether it is worth calling; asked once by each reader. */
  default CircuitBreaker breaker() {
    return new CircuitBreaker(System::nanoTime);
  }

  /** True if a call that fails shall fail the read. */
  default boolean isRequired() {
    return false;
  }
}
