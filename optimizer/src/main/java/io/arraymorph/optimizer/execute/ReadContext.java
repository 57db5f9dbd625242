package io.arraymorph.optimizer.execute;

/** What all streams of one reader share. */
record ReadContext(
    ReadSettings settings,
    ReadMetrics metrics,
    ObjectVersions versions,
    ShardIndexes indexes,
    WeightedCache<SharedChunk.Place, SharedChunk> chunks) {

  static ReadContext of(ReadSettings settings) {
    ReadMetrics metrics = new ReadMetrics();
    return new ReadContext(
        settings,
        metrics,
        new ObjectVersions(),
        new ShardIndexes(settings.indexCacheBytes(), settings.maxChunkBytes(), metrics),
        new WeightedCache<>(settings.chunkCacheBytes()));
  }
}
