package io.arraymorph.optimizer.execute;

import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.layout.codec.ShardIndex;
import io.arraymorph.optimizer.cost.AccessCost;
import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.plan.AccessPlan;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Chunk selections that are resolved and planned together, so that each object is read once for all
 * of them.
 *
 * <p>Resolving goes in passes: each finds the shard indexes that are still missing, and the next
 * starts when they have come. What needs no index, as a shard that is read whole, is fetched beside
 * them, not after them. One thread at a time works on a batch.
 */
final class Batch {
  /** For estimates, where the length of an object is not known. */
  private static final long ASSUMED_BYTES = 1 << 20;

  private final List<Piece> pieces;
  private final ReadContext context;
  private final ObjectFetcher fetcher;
  private final Executor workers;
  private final PartResolver resolver;
  private final Estimate estimate = new Estimate();
  private final Set<Piece> planned = new HashSet<>();
  private Map<StorePath, ObjectRead> reads = new LinkedHashMap<>();
  private final Map<SharedChunk.Place, SharedChunk> chunks = new HashMap<>();
  private final Map<ChunkPart.Region, CompletableFuture<Optional<ShardIndex>>> indexes =
      new HashMap<>();

  Batch(List<Piece> pieces, ReadContext context, ObjectFetcher fetcher, Executor workers) {
    this.pieces = pieces;
    this.context = context;
    this.fetcher = fetcher;
    this.workers = workers;
    this.resolver = new PartResolver(pieces, context, indexes);
  }

  /** Resolves what can be resolved now, and continues when indexes come. */
  void run() {
    try {
      pass();
    } catch (RuntimeException e) {
      pieces.forEach(piece -> piece.fail(e));
    }
  }

  private void pass() {
    List<CompletableFuture<?>> awaited = new ArrayList<>();
    for (Piece piece : pieces) {
      if (!piece.isResolved()) {
        piece.attempt(() -> piece.resolve(resolver.resolve(piece)));
      }
    }
    Map<ChunkPart.Region, Addressing.Sharded> missing = resolver.takeMissing();
    missing.forEach(
        (region, addressing) -> {
          CompletableFuture<Optional<ShardIndex>> index;
          try {
            index = context.indexes().read(region, addressing, fetcher);
          } catch (RuntimeException e) {
            index = CompletableFuture.failedFuture(e);
          }
          indexes.put(region, index);
          awaited.add(index);
        });
    estimate.indexes(missing);
    plan(resolved());
    if (awaited.isEmpty()) {
      estimate.report();
    } else {
      CompletableFuture<?> unused =
          CompletableFuture.allOf(awaited.toArray(CompletableFuture[]::new))
              .whenComplete((ignored, failure) -> workers.execute(this::run));
    }
  }

  /** The pieces to plan now: resolved, and no other of their object still waits for an index. */
  private List<Piece> resolved() {
    Set<StorePath> waiting = new HashSet<>();
    pieces.stream().filter(p -> !p.isResolved()).forEach(p -> waiting.add(p.object()));
    return pieces.stream()
        .filter(piece -> !waiting.contains(piece.object()) && planned.add(piece))
        .toList();
  }

  /** About the length of an object that is read whole and whose length is not known. */
  private static long assumedBytes(List<ObjectRead> reads) {
    double mean =
        reads.stream()
            .mapToLong(ObjectRead::expectedSize)
            .filter(bytes -> bytes > 0)
            .average()
            .orElse(ASSUMED_BYTES);
    return Math.max(1, (long) mean);
  }

  private void plan(List<Piece> resolved) {
    reads = new LinkedHashMap<>();
    for (Piece piece : resolved) {
      piece.attempt(() -> piece.part().require(this, piece));
    }
    List<ObjectRead> needed = new ArrayList<>(reads.values());
    AccessPlan plan =
        context.settings().planner().plan(needed.stream().map(ObjectRead::need).toList());
    if (!needed.isEmpty()) {
      estimate.reads(plan, needed);
    }
    SliceCalls calls = new SliceCalls(fetcher);
    for (int i = 0; i < needed.size(); i++) {
      fetcher.fetch(plan.accesses().get(i), needed.get(i), calls);
    }
    calls.send();
    resolved.forEach(Piece::awaitBytes);
  }

  /** True if decoded chunks are kept for later batches. */
  boolean keepsChunks() {
    return context.settings().chunkCacheBytes() > 0;
  }

  /** Sends the requests of this batch. */
  ObjectFetcher fetcher() {
    return fetcher;
  }

  /** What this batch reads of an object, on which the piece then waits. */
  ObjectRead read(StorePath object, Piece piece) {
    ObjectRead read = reads.computeIfAbsent(object, ObjectRead::new);
    piece.dependOn(read);
    return read;
  }

  /**
   * The chunk at a place: of this batch, of an earlier one, or a new one.
   *
   * @param keep if later batches may want it
   */
  SharedChunk chunk(
      SharedChunk.Place place,
      long decodedBytes,
      boolean keep,
      Piece piece,
      Supplier<SharedChunk> create) {
    SharedChunk chunk = chunks.get(place);
    if (chunk == null) {
      chunk = context.chunks().get(place);
    }
    if (chunk != null && chunk.isUsableBy(fetcher)) {
      context.metrics().addCacheHit(decodedBytes);
      ObjectRead read = chunk.read();
      if (read != null) {
        piece.dependOn(read);
      }
      return chunk.use();
    }
    chunk = create.get().use();
    chunks.put(place, chunk);
    if (keep) {
      chunk.use();
      context.chunks().put(place, chunk, decodedBytes);
    }
    return chunk;
  }

  /**
   * What the model expects of this batch: its passes one after the other, or the pipe, which all of
   * them share, if that takes longer.
   */
  private final class Estimate {
    private CostModel model;
    private AccessTotals all = AccessTotals.NONE;
    private AccessTotals last = AccessTotals.NONE;
    private double before;

    void indexes(Map<ChunkPart.Region, Addressing.Sharded> missing) {
      last = AccessTotals.NONE;
      if (missing.isEmpty()) {
        return;
      }
      LongSummaryStatistics bytes =
          missing.values().stream().mapToLong(Addressing.Sharded::indexBytes).summaryStatistics();
      AccessTotals totals =
          AccessTotals.reads(
              (double) bytes.getCount(), (double) bytes.getSum(), (double) bytes.getMax());
      add(missing.keySet().iterator().next().object(), totals);
      before += model.cost(totals).seconds();
    }

    void reads(AccessPlan plan, List<ObjectRead> needed) {
      StorePath object = needed.get(0).object();
      last = plan.totals(modelOf(object), assumedBytes(needed));
      add(object, last);
    }

    private CostModel modelOf(StorePath object) {
      if (model == null) {
        model = context.settings().planner().model(object.storeUri());
      }
      return model;
    }

    private void add(StorePath object, AccessTotals totals) {
      modelOf(object);
      all = all.plus(totals);
    }

    void report() {
      if (model != null) {
        AccessCost together = model.cost(all);
        double passes = before + model.cost(last).seconds();
        context
            .metrics()
            .addEstimate(new AccessCost(Math.max(passes, together.seconds()), together.dollars()));
      }
    }
  }
}
