package io.arraymorph.optimizer.plan;

import io.arraymorph.store.StorePath;
import java.util.Objects;

/**
 * What is known of a shard before its index was read.
 *
 * @param innerChunks the number of inner chunks it can hold
 * @param neededInnerChunks how many of them a read touches
 * @param decodedBytes the bytes of all its elements when decoded
 * @param together the shards that are read together, itself among them
 * @param object where it is stored; tells the store
 */
public record ShardNeed(
    long innerChunks,
    long neededInnerChunks,
    long decodedBytes,
    Together together,
    StorePath object) {
  /**
   * Shards that are read at the same time.
   *
   * @param shards how many, at least 1
   * @param decodedBytes of all elements of all of them
   * @param neededBytes of the inner chunks that are touched, decoded
   */
  public record Together(long shards, double decodedBytes, double neededBytes) {}

  /** Throws if something is null. */
  public ShardNeed {
    Objects.requireNonNull(together);
    Objects.requireNonNull(object);
  }

  /**
   * One of several shards of which as much is needed.
   *
   * @param shards how many there are, itself among them
   */
  static ShardNeed oneOf(
      long shards, long innerChunks, long neededInnerChunks, long decodedBytes, StorePath object) {
    long count = Math.max(1, shards);
    double all = (double) decodedBytes * (double) count;
    double needed = all * Math.min(1, (double) neededInnerChunks / Math.max(1, innerChunks));
    return new ShardNeed(
        innerChunks, neededInnerChunks, decodedBytes, new Together(count, all, needed), object);
  }
}
