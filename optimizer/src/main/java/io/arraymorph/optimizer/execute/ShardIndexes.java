package io.arraymorph.optimizer.execute;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.layout.codec.CodecException;
import io.arraymorph.layout.codec.ShardIndex;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The indexes of shards, each fetched once and kept within a bound on bytes. Thread-safe.
 *
 * <p>Kept by region, for a nested shard may start where the outer one does. A shard that does not
 * exist has an empty index.
 */
final class ShardIndexes {
  private final WeightedCache<ChunkPart.Region, Optional<ShardIndex>> cache;
  private final long maxIndexBytes;
  private final ReadMetrics metrics;

  ShardIndexes(long cacheBytes, long maxIndexBytes, ReadMetrics metrics) {
    this.cache = new WeightedCache<>(cacheBytes);
    this.maxIndexBytes = maxIndexBytes;
    this.metrics = metrics;
  }

  /** True if no index is kept. */
  boolean isEmpty() {
    return cache.isEmpty();
  }

  /** As {@link #kept}, for planning: that is no use of it. */
  Optional<ShardIndex> peek(ChunkPart.Region shard) {
    return cache.get(shard);
  }

  /** The index of a shard if it is kept, else null. */
  Optional<ShardIndex> kept(ChunkPart.Region shard) {
    Optional<ShardIndex> index = cache.get(shard);
    if (index != null) {
      metrics.addCacheHit(0);
    }
    return index;
  }

  /** Reads the index of a shard. */
  CompletableFuture<Optional<ShardIndex>> read(
      ChunkPart.Region shard, Addressing.Sharded addressing, ObjectFetcher fetcher) {
    long bytes = addressing.indexBytes();
    if (bytes > maxIndexBytes) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          "the index of shard " + shard.object() + " takes " + bytes + " bytes",
          "Store the array with fewer inner chunks in a shard");
    }
    return fetcher
        .get(shard.object(), indexRange(shard, addressing))
        .thenApply(
            answer -> {
              Optional<ShardIndex> index = answer.map(found -> decode(shard, addressing, found));
              cache.put(shard, index, 64 + bytes);
              return index;
            });
  }

  /** The index of a shard of which all bytes have come. */
  Optional<ShardIndex> within(
      ChunkPart.Region shard, Addressing.Sharded addressing, Fetched object) {
    Optional<ShardIndex> index = Optional.empty();
    if (!object.isAbsent()) {
      long length = shard.isWhole() ? object.objectSize() : shard.length();
      long bytes = addressing.indexBytes();
      checkIndex(bytes, length);
      long start = shard.offset() + (addressing.indexAtEnd() ? length - bytes : 0);
      index = Optional.of(addressing.decodeIndex(object.slice(start, start + bytes), length));
    }
    cache.put(shard, index, 64 + addressing.indexBytes());
    return index;
  }

  private static void checkIndex(long bytes, long length) {
    if (bytes > length) {
      throw new CodecException(
          "the shard has " + length + " bytes, its index alone needs " + bytes);
    }
  }

  private static ByteRange indexRange(ChunkPart.Region shard, Addressing.Sharded addressing) {
    long bytes = addressing.indexBytes();
    if (shard.isWhole()) {
      return addressing.indexAtEnd() ? new ByteRange.Suffix(bytes) : ByteRange.of(0, bytes);
    }
    checkIndex(bytes, shard.length());
    long start = shard.offset() + (addressing.indexAtEnd() ? shard.length() - bytes : 0);
    return ByteRange.of(start, start + bytes);
  }

  private static ShardIndex decode(
      ChunkPart.Region shard, Addressing.Sharded addressing, ObjectBytes found) {
    ByteBuffer encoded = found.bytes();
    if (encoded.remaining() != addressing.indexBytes()) {
      throw new CodecException(
          "the shard has "
              + found.objectSize()
              + " bytes, its index alone needs "
              + addressing.indexBytes());
    }
    long shardBytes = shard.isWhole() ? found.objectSize() : shard.length();
    return addressing.decodeIndex(encoded.duplicate(), shardBytes);
  }
}
