package io.arraymorph.optimizer.plan;

import io.arraymorph.store.StorePath;
import java.util.Objects;
import java.util.Optional;

/**
 * What is known of a shard before its index was read.
 *
 * @param innerChunks the number of inner chunks it can hold
 * @param neededInnerChunks how many of them a read touches
 * @param decodedBytes the bytes of all its elements when decoded
 * @param together how many such shards are read together, itself among them
 * @param object where it is stored, if that is known; tells the store
 */
public record ShardNeed(
    long innerChunks,
    long neededInnerChunks,
    long decodedBytes,
    long together,
    Optional<StorePath> object) {
  /** Throws if something is null. */
  public ShardNeed {
    Objects.requireNonNull(object);
  }

  /** A shard in no particular store. */
  public ShardNeed(long innerChunks, long neededInnerChunks, long decodedBytes, long together) {
    this(innerChunks, neededInnerChunks, decodedBytes, together, Optional.empty());
  }
}
