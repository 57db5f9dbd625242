package io.arraymorph.optimizer.plan;

/**
 * What is known of a shard before its index was read.
 *
 * @param innerChunks the number of inner chunks it can hold
 * @param neededInnerChunks how many of them a read touches
 * @param decodedBytes the bytes of all its elements when decoded
 */
public record ShardNeed(long innerChunks, long neededInnerChunks, long decodedBytes) {}
