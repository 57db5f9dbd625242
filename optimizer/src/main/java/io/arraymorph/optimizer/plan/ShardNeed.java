package io.arraymorph.optimizer.plan;

import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.store.StorePath;
import java.util.Objects;

/**
 * What is known of a shard before its index was read.
 *
 * @param innerChunks the number of inner chunks it can hold
 * @param neededInnerChunks how many of them a read touches
 * @param decodedBytes the bytes of all its elements when decoded
 * @param together how many shards are read together, itself among them, at least 1
 * @param bytesTogether the decoded bytes of all of them
 * @param compressed true if inner chunks may take fewer bytes than decoded
 * @param object where it is stored; tells the store
 */
public record ShardNeed(
    long innerChunks,
    long neededInnerChunks,
    long decodedBytes,
    long together,
    double bytesTogether,
    boolean compressed,
    StorePath object) {
  /** Throws if something is null. */
  public ShardNeed {
    Objects.requireNonNull(object);
  }

  /** True if inner chunks of such shards may take fewer bytes than decoded. */
  public static boolean isCompressed(Addressing.Sharded shard) {
    return shard.inner().addressing() instanceof Addressing.Whole;
  }

  /** Which part of its inner chunks is needed, in [0, 1]. */
  double needed() {
    return Math.min(1, (double) neededInnerChunks / Math.max(1, innerChunks));
  }

  /**
   * Stored bytes for one decoded byte, for choosing. Where some of a shard is not needed one is
   * taken for one: if it hardly shrank, much would be read in vain.
   */
  double likelyShare() {
    return compressed && neededInnerChunks >= innerChunks ? 1.0 / ChunkNeeds.LIKELY_RATIO : 1;
  }

  /** The bytes that are not needed, if no more is needed of the other shards than of this one. */
  double bytesBeside() {
    return (1 - needed()) * bytesTogether;
  }
}
