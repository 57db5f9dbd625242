package io.arraymorph.optimizer.execute;

import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.layout.codec.ShardIndex;
import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.plan.AccessPlan;
import io.arraymorph.optimizer.plan.AlikePlans;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Chunk selections that are resolved and planned together, so that each object is read once for all
 * of them.
 *
 * <p>Resolving goes in passes: each finds the shard indexes that are still missing, and plans what
 * can be planned. What needs no index is fetched beside them; a shard whose index has come, or all
 * of it, does not wait for those of others. One thread at a time works on a batch.
 */
final class Batch {
  /** For estimates, where the length of an object is not known. */
  private static final long ASSUMED_BYTES = 1 << 20;

  private final ReadContext context;
  private final ObjectFetcher fetcher;
  private final PartResolver resolver;
  private final Estimate estimate;

  /** What is not planned yet; all pieces of an object are planned together. */
  private final Map<StorePath, List<Piece>> waiting = new LinkedHashMap<>();

  /** What the pass under way plans. */
  private List<Piece> resolved = new ArrayList<>();

  /** Objects to look at: at first all, then those of which an index has come. */
  private final Queue<StorePath> arrived = new ConcurrentLinkedQueue<>();

  private final AtomicInteger news = new AtomicInteger();
  private long objectsPlanned;
  private final AlikePlans planned = new AlikePlans();
  private final Map<StorePath, ObjectRead> reads = new LinkedHashMap<>();

  /** Shards that are read whole: their pieces are resolved when all bytes have come. */
  private final Map<StorePath, ObjectRead> whole = new HashMap<>();

  private final Map<SharedChunk.Place, SharedChunk> chunks = new HashMap<>();
  private final Map<ChunkPart.Region, CompletableFuture<Optional<ShardIndex>>> indexes =
      new HashMap<>();

  /**
   * @param pieces at least one
   * @param beside calls of the slice function under way for others, for estimates
   */
  Batch(List<Piece> pieces, ReadContext context, ObjectFetcher fetcher, AccessTotals beside) {
    this.context = context;
    this.fetcher = fetcher;
    this.estimate = new Estimate(beside, pieces.get(0).object());
    this.resolver = new PartResolver(pieces, context, indexes);
    for (Piece piece : pieces) {
      waiting.computeIfAbsent(piece.object(), object -> new ArrayList<>()).add(piece);
    }
    arrived.addAll(waiting.keySet());
  }

  /**
   * Resolves what can be resolved now, and continues as indexes come: on the threads that bring
   * them, for the next requests wait for nothing else.
   */
  void run() {
    if (news.getAndIncrement() == 0) { // Else whoever works on the batch looks again.
      work();
    }
  }

  private void work() {
    int seen;
    do {
      seen = news.get();
      try {
        pass();
      } catch (RuntimeException | Error e) { // Else the reader would wait for ever.
        resolved.forEach(piece -> piece.fail(e));
        waiting.values().forEach(those -> those.forEach(piece -> piece.fail(e)));
      }
    } while (!news.compareAndSet(seen, 0));
  }

  private void pass() {
    resolve();
    Map<ChunkPart.Region, Addressing.Sharded> missing = resolver.takeMissing();
    Map<ChunkPart.Region, CompletableFuture<?>> asked = new LinkedHashMap<>();
    missing.forEach((region, addressing) -> asked.put(region, readIndex(region, addressing)));
    missing.keySet().removeIf(region -> whole.containsKey(region.object()));
    estimate.indexes(missing);
    List<ObjectRead> wholeNow = new ArrayList<>();
    resolver
        .takeWhole()
        .forEach(
            (object, shard) -> {
              ChunkPart.Region region = ChunkPart.Region.whole(object);
              wholeNow.add(readWhole(object, shard));
              asked.put(region, indexes.get(region));
            });
    plan(wholeNow);
    release();
    asked.forEach(
        (region, index) -> {
          CompletableFuture<?> unused =
              index.whenComplete(
                  (ignored, failure) -> {
                    arrived.add(region.object());
                    run();
                  });
        });
  }

  private CompletableFuture<?> readIndex(ChunkPart.Region region, Addressing.Sharded addressing) {
    CompletableFuture<Optional<ShardIndex>> index;
    try {
      ObjectRead all = whole.get(region.object());
      index =
          all == null
              ? context.indexes().read(region, addressing, fetcher)
              : CompletableFuture.completedFuture(
                  context.indexes().within(region, addressing, all.bytes()));
    } catch (RuntimeException e) {
      index = CompletableFuture.failedFuture(e);
    }
    indexes.put(region, index);
    return index;
  }

  /** Will read a shard whole; its index is known when all bytes have come. */
  private ObjectRead readWhole(StorePath object, PartResolver.WholeShard shard) {
    ObjectRead read = new ObjectRead(object);
    read.needWhole();
    read.expectSize(shard.decodedBytes());
    whole.put(object, read);
    ChunkPart.Region region = ChunkPart.Region.whole(object);
    indexes.put(
        region,
        read.fetched()
            .thenApply(bytes -> context.indexes().within(region, shard.addressing(), bytes)));
    return read;
  }

  /** Finds the pieces to plan now: those of objects that wait for no index any more. */
  private void resolve() {
    for (StorePath object = arrived.poll(); object != null; object = arrived.poll()) {
      List<Piece> those = waiting.getOrDefault(object, List.of());
      for (Piece piece : those) {
        if (!piece.isResolved()) {
          piece.attempt(() -> piece.resolve(resolver.resolve(piece)));
        }
      }
      if (those.stream().allMatch(Piece::isResolved)) {
        waiting.remove(object);
        resolved.addAll(those);
      }
    }
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

  private void plan(List<ObjectRead> wholeNow) {
    for (Piece piece : resolved) {
      piece.attempt(() -> piece.part().require(this, piece));
    }
    List<ObjectRead> needed = new ArrayList<>(wholeNow);
    needed.addAll(reads.values());
    if (needed.isEmpty()) {
      reportIfAllIsPlanned();
      resolved.forEach(Piece::awaitBytes);
      return;
    }
    AccessPlan plan =
        context
            .settings()
            .planner()
            .planNext(
                needed.stream().map(ObjectRead::need).toList(),
                objectsPlanned + reads.size() + waiting.size(),
                planned);
    if (needed.stream().anyMatch(read -> isIndexed(read.object()))) {
      objectsPlanned += reads.size();
    }
    estimate.reads(plan, needed);
    reportIfAllIsPlanned();
    context.metrics().addCachedChunks(plan.held().chunks());
    SliceCalls calls = new SliceCalls(fetcher);
    for (int i = 0; i < needed.size(); i++) {
      fetcher.fetch(plan.accesses().get(i), needed.get(i), calls);
    }
    calls.send();
    resolved.forEach(Piece::awaitBytes);
  }

  /** Holds neither what was planned nor its bytes: what others wait for may come much later. */
  private void release() {
    resolved.forEach(piece -> whole.remove(piece.object()));
    resolved.clear();
    chunks.clear();
    reads.clear();
  }

  /** Before the last piece can be delivered: whoever waits for it may then ask for the estimate. */
  private void reportIfAllIsPlanned() {
    if (whole.keySet().containsAll(waiting.keySet())) {
      estimate.report();
    }
  }

  private boolean isIndexed(StorePath object) {
    return indexes.containsKey(ChunkPart.Region.whole(object)) && !whole.containsKey(object);
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
    ObjectRead all = whole.get(object);
    ObjectRead read = all != null ? all : reads.computeIfAbsent(object, ObjectRead::new);
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
    boolean fromBefore = chunk == null;
    if (fromBefore) {
      chunk = context.chunks().get(place);
    }
    if (chunk != null && chunk.isUsableBy(fetcher)) {
      context.metrics().addCacheHit(decodedBytes);
      ObjectRead read = chunk.read();
      if (read != null) {
        piece.dependOn(read);
      }
      chunks.put(place, chunk); // Other pieces that select from it do not hold it once more.
      if (fromBefore && !whole.containsKey(place.object())) {
        // Of a shard that was read whole nothing was planned as held: all of it has come.
        reads.computeIfAbsent(place.object(), ObjectRead::new).hold(decodedBytes);
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
   * What the model expects of this batch: what follows one another, or the pipe, which all of it
   * shares, if that takes longer.
   */
  private final class Estimate {
    private CostModel model;
    private AccessTotals all;
    private AccessTotals indexesOfObjects = AccessTotals.NONE;
    private AccessTotals indexesWithin = AccessTotals.NONE;
    private AccessTotals afterIndexes = AccessTotals.NONE;
    private boolean reported;

    Estimate(AccessTotals beside, StorePath any) {
      all = beside;
      if (beside.calls().calls() > 0) {
        modelOf(any);
      }
    }

    void indexes(Map<ChunkPart.Region, Addressing.Sharded> missing) {
      missing.forEach(
          (region, addressing) -> {
            double bytes = (double) addressing.indexBytes();
            AccessTotals one = AccessTotals.reads(1, bytes, bytes);
            if (region.isWhole()) {
              indexesOfObjects = indexesOfObjects.plus(one);
            } else {
              indexesWithin = indexesWithin.plus(one);
            }
            add(region.object(), one);
          });
    }

    void reads(AccessPlan plan, List<ObjectRead> needed) {
      long assumed = assumedBytes(needed);
      for (int i = 0; i < needed.size(); i++) {
        StorePath object = needed.get(i).object();
        AccessTotals one = plan.accesses().get(i).totals(modelOf(object), assumed);
        if (isIndexed(object)) {
          afterIndexes = afterIndexes.plus(one);
        }
        add(object, one);
      }
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
      if (model != null && !reported) {
        reported = true;
        context
            .metrics()
            .addEstimate(model.inPasses(all, indexesOfObjects, indexesWithin, afterIndexes));
      }
    }
  }
}
