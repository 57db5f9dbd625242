package io.arraymorph.optimizer.plan;

import io.arraymorph.store.StorePath;
import java.util.Objects;

/**
 * What is known of a shard before its index was read.
 *
 * @param innerChunks the number of inner chunks it can hold
 * @param neededInnerChunks how many of them a read touches
 * @param decodedBytes the bytes of all its elements when decoded
 * @param together how many such shards are read together, itself among them
 * @param object where it is stored; tells the store
 */
public record ShardNeed(
    long innerChunks, long neededInnerChunks, long decodedBytes, long together, StorePath object) {
  /** Throws if something is null. */
  public ShardNeed {
    Objects.requireNonNull(object);
  }

  /** The bytes of all such shards that are not needed. */
  long bytesBeside() {
    double beside = 1 - Math.min(1, (double) neededInnerChunks / Math.max(1, innerChunks));
    return (long) (beside * (double) decodedBytes * (double) Math.max(1, together));
  }
}
