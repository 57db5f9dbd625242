package io.arraymorph.lambda;

import io.arraymorph.slice.SliceRequest;
import io.arraymorph.slice.SliceRuns;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A read that was sent before its slice is worked on: one request that answers all that is needed
 * of an object. Small slices are read so, those of a call all at once.
 *
 * @param answer may fail; the slice then reads as if this had not been
 */
record EarlyRead(CompletableFuture<ObjectBytes> answer) {
  /** So little of each of the slices of a call is held in memory without a second thought. */
  static final long SMALL_BYTES = 64 << 10;

  /** The one range that a slice of stored bytes needs; empty if it needs more, or decodes. */
  static Optional<ByteRange> range(SliceRequest slice) {
    if (!(slice.part() instanceof SliceRequest.Runs)) {
      return Optional.empty();
    }
    long start = Long.MAX_VALUE;
    long end = 0;
    for (SliceRuns runs : ((SliceRequest.Runs) slice.part()).runs()) {
      start = Math.min(start, runs.start());
      end = Math.max(end, runs.end());
    }
    if (end <= start || end - start > SMALL_BYTES) {
      return Optional.empty();
    }
    return Optional.of(ByteRange.of(start, end));
  }
}
