package io.arraymorph.optimizer.execute;

import io.arraymorph.optimizer.cost.SharedSlices;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.optimizer.plan.PlannerOptions;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * How a reader reads.
 *
 * @param planner chooses the requests
 * @param missing what an absent chunk means
 * @param concurrency the most requests under way at once per stream, at least 1; a stream begins
 *     with 64 and has more where that hides latency
 * @param windowChunks the most chunk selections under way per stream, and the most requests read
 *     ahead, at least 1
 * @param windowBytes about how many bytes (encoded and decoded) a stream may hold ahead of its
 *     consumer; one request that needs more is still read, alone. Of objects that are read whole
 *     although parts of them are needed (always by planner {@code get}) only those parts count
 * @param maxChunkBytes a chunk, or the bytes moved for one object, above this fails with TOO_LARGE
 *     before memory is allocated; at most 2^31-1
 * @param chunkCacheBytes decoded chunks kept for neighbouring requests
 * @param indexCacheBytes shard indexes kept
 * @param decodeThreads threads that decode, at least 1
 * @param hedging share of requests, and of bytes, that may be sent a second time when they take
 *     much longer than those sent beside them, beside one request and 4 MiB for the stream, and one
 *     and 1 MiB for each second; 0 for none
 */
public record ReadSettings(
    AccessPlanner planner,
    MissingChunk missing,
    int concurrency,
    int windowChunks,
    long windowBytes,
    long maxChunkBytes,
    long chunkCacheBytes,
    long indexCacheBytes,
    int decodeThreads,
    double hedging) {

  /** Up to 256 requests at once, 128 MiB ahead, chunks up to 1 GiB, fill for absent chunks. */
  public static final ReadSettings DEFAULT =
      new ReadSettings(
          PlannerOptions.DEFAULT.planner(),
          MissingChunk.FILL,
          256,
          SharedSlices.MOST_TOGETHER,
          128L << 20,
          1L << 30,
          128L << 20,
          64L << 20,
          Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors())),
          0.02);

  /** Throws {@link IllegalArgumentException} for values that make no sense. */
  public ReadSettings {
    Objects.requireNonNull(planner);
    Objects.requireNonNull(missing);
    if (concurrency < 1
        || windowChunks < 1
        || windowBytes < 0
        || maxChunkBytes < 1
        || maxChunkBytes > Integer.MAX_VALUE
        || chunkCacheBytes < 0
        || indexCacheBytes < 0
        || decodeThreads < 1
        || !(hedging >= 0 && hedging <= 1)) {
      throw new IllegalArgumentException(
          "read settings out of bounds: concurrency "
              + concurrency
              + ", window "
              + windowChunks
              + " chunks, chunk bound "
              + maxChunkBytes
              + ", decode threads "
              + decodeThreads
              + ", hedging "
              + hedging);
    }
  }

  /** These settings with another planner. */
  public ReadSettings withPlanner(AccessPlanner value) {
    return with(changes -> changes.planner = value);
  }

  /** These settings with another meaning of absent chunks. */
  public ReadSettings withMissing(MissingChunk value) {
    return with(changes -> changes.missing = value);
  }

  /** These settings with another number of threads that decode. */
  public ReadSettings withDecodeThreads(int value) {
    return with(changes -> changes.decodeThreads = value);
  }

  /** These settings with another bound on requests under way. */
  public ReadSettings withConcurrency(int value) {
    return with(changes -> changes.concurrency = value);
  }

  /** These settings with other bounds on what is read ahead. */
  public ReadSettings withWindow(int chunks, long bytes) {
    return with(
        changes -> {
          changes.windowChunks = chunks;
          changes.windowBytes = bytes;
        });
  }

  /** These settings with another bound on the bytes of one chunk or object. */
  public ReadSettings withMaxChunkBytes(long value) {
    return with(changes -> changes.maxChunkBytes = value);
  }

  /** These settings with other bounds on what is kept for later requests. */
  public ReadSettings withCaches(long chunkBytes, long indexBytes) {
    return with(
        changes -> {
          changes.chunkCacheBytes = chunkBytes;
          changes.indexCacheBytes = indexBytes;
        });
  }

  /** These settings with another share of requests that may be sent twice. */
  public ReadSettings withHedging(double share) {
    return with(changes -> changes.hedging = share);
  }

  private ReadSettings with(Consumer<Changes> change) {
    Changes changes = new Changes(this);
    change.accept(changes);
    return changes.settings();
  }

  /** A copy of all components, so that a method names only those it changes. */
  private static final class Changes {
    private AccessPlanner planner;
    private MissingChunk missing;
    private int concurrency;
    private int windowChunks;
    private long windowBytes;
    private long maxChunkBytes;
    private long chunkCacheBytes;
    private long indexCacheBytes;
    private int decodeThreads;
    private double hedging;

    Changes(ReadSettings from) {
      planner = from.planner;
      missing = from.missing;
      concurrency = from.concurrency;
      windowChunks = from.windowChunks;
      windowBytes = from.windowBytes;
      maxChunkBytes = from.maxChunkBytes;
      chunkCacheBytes = from.chunkCacheBytes;
      indexCacheBytes = from.indexCacheBytes;
      decodeThreads = from.decodeThreads;
      hedging = from.hedging;
    }

    ReadSettings settings() {
      return new ReadSettings(
          planner,
          missing,
          concurrency,
          windowChunks,
          windowBytes,
          maxChunkBytes,
          chunkCacheBytes,
          indexCacheBytes,
          decodeThreads,
          hedging);
    }
  }
}
