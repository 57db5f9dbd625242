package io.arraymorph.optimizer.execute;

import java.util.Optional;

/** What all streams of one reader share. */
record ReadContext(
    ReadSettings settings,
    ReadMetrics metrics,
    ObjectVersions versions,
    ShardIndexes indexes,
    WeightedCache<SharedChunk.Place, SharedChunk> chunks,
    Optional<FunctionCalls> function,
    ScratchPool scratch,
    DecodeThreads threads) {

  static ReadContext of(
      ReadSettings settings, Optional<SliceFunction> function, ObjectVersions versions) {
    ReadMetrics metrics = new ReadMetrics();
    return new ReadContext(
        settings.withPlanner(settings.planner().withConcurrency(settings.concurrency())),
        metrics,
        versions,
        new ShardIndexes(settings.indexCacheBytes(), settings.maxChunkBytes(), metrics),
        new WeightedCache<>(settings.chunkCacheBytes()),
        function.map(found -> new FunctionCalls(found, found.breaker(), calls(settings), metrics)),
        ScratchPool.SHARED,
        new DecodeThreads(settings.decodeThreads()));
  }

  /** Calls at once: each keeps a processor of the function busy, so more hide nothing. */
  private static int calls(ReadSettings settings) {
    return Math.min(ConcurrencyLimit.FIRST, settings.concurrency());
  }
}
