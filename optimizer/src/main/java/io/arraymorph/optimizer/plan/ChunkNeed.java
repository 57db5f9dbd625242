package io.arraymorph.optimizer.plan;

/**
 * What a selection needs of a stored chunk or shard, all its parts together.
 *
 * @param object what is needed of the object
 * @param bytesAtMost its length, or what is certainly more
 * @param indexBytes of the index that must be read first; 0 if there is none to read
 * @param exact false if stored lengths are not known
 */
record ChunkNeed(ObjectNeed object, long bytesAtMost, long indexBytes, boolean exact) {}
