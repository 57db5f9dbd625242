package io.arraymorph.optimizer.plan;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.DataType;
import io.arraymorph.array.ElementRuns;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.layout.codec.CodecPipeline;
import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.cost.SharedSlices;
import io.arraymorph.optimizer.cost.SliceCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Foresees what reading a selection of an array will take, without I/O and without enumerating
 * chunks: chunks with the same selection in them are planned once.
 */
public final class PlanEstimator {
  private static final int MAX_PLANNED = 1024;

  /**
   * How much smaller compressed chunks are taken to be than decoded ones, for choosing; inner
   * chunks of shards are taken as they lie when stored raw.
   */
  private static final int LIKELY_RATIO = 2;

  /** Of more chunks nobody looks which of them are held: the estimate is then an upper bound. */
  private static final long MOST_LOOKED_AT = 20_000;

  private final ChunkedArray array;
  private final AccessPlanner planner;
  private final HeldObjects held;
  private final List<NeedGroup> groups = new ArrayList<>();
  private final List<Long> lengths = new ArrayList<>();
  private final List<AccessTotals> indexReads = new ArrayList<>();
  private final long together;
  private final double meanShardBytes;
  private long indexBytes;
  private boolean upperBound;
  private boolean sampled;

  private PlanEstimator(
      ChunkedArray array, Selection selection, AccessPlanner planner, HeldObjects held) {
    this.array = array;
    this.planner = planner;
    Selection chunks = ChunkSelections.touched(array.grid(), selection);
    long touched = chunks.elementCount();
    this.held = held.isNothing() || touched > MOST_LOOKED_AT ? HeldObjects.NONE : held;
    this.together = Math.min(SharedSlices.MOST_TOGETHER, touched);
    this.meanShardBytes = StoredShard.meanBytes(array, chunks);
  }

  /** What reading these elements will take with that planner. */
  public static PlanEstimate estimate(
      ChunkedArray array, Selection selection, AccessPlanner planner) {
    return estimate(array, selection, planner, HeldObjects.NONE);
  }

  /** The same for a reader that holds something in memory. */
  public static PlanEstimate estimate(
      ChunkedArray array, Selection selection, AccessPlanner planner, HeldObjects held) {
    PlanEstimator estimator = new PlanEstimator(array, selection, planner, held);
    selection.parts().forEach(estimator::add);
    return estimator.estimate(selection);
  }

  /**
   * What reading these elements needs of stored objects: exact for raw chunks; inner chunks of
   * shards are taken to lie where they would if stored raw and in order.
   */
  public static List<NeedGroup> needs(
      ChunkedArray array, Selection selection, AccessPlanner planner) {
    return needs(array, selection, planner, HeldObjects.NONE);
  }

  /** The same for a reader that holds something in memory. */
  public static List<NeedGroup> needs(
      ChunkedArray array, Selection selection, AccessPlanner planner, HeldObjects held) {
    PlanEstimator estimator = new PlanEstimator(array, selection, planner, held);
    selection.parts().forEach(estimator::add);
    return List.copyOf(estimator.groups);
  }

  private PlanEstimate estimate(Selection selection) {
    GroupPlan plan = planner.planGroupsIndexed(groups, indexBytes);
    CostModel model = planner.model(array.path().storeUri());
    Map<String, Long> requests = new TreeMap<>(plan.requestsByMethod());
    Map<String, AccessTotals> byMethod = new TreeMap<>();
    AccessTotals indexes = AccessTotals.NONE;
    AccessTotals totals = AccessTotals.NONE;
    Held inMemory = Held.NONE;
    for (GroupPlan.Part part : plan.parts()) {
      ChunkAccess access = part.access();
      if (access instanceof ChunkAccess.WholeObject) {
        // At most what is decoded: what is likely stored is for choosing only.
        ObjectNeed need = access.need();
        access = access.of(new ObjectNeed(need.object(), need.objectBytes(), need.bytes()));
      }
      inMemory = inMemory.plus(access.need().held().times(part.objects()));
      if (access.need().isNothing()) {
        // Neither requests nor an index.
        byMethod.merge(access.method(), AccessTotals.NONE, AccessTotals::plus);
        continue;
      }
      if (!(access instanceof ChunkAccess.SliceFunction)) {
        // The function reads indexes itself.
        indexes = indexes.plus(indexReads.get(part.group()).times((double) part.objects()));
      }
      AccessTotals one = access.totals(model, lengths.get(part.group()));
      AccessTotals all = one.times((double) part.objects());
      byMethod.merge(part.access().method(), all, AccessTotals::plus);
      totals = totals.plus(all);
    }
    if (totals.calls().calls() > 0) {
      requests.put("function", Math.round(model.sent(totals.calls()).calls()));
    }
    if (indexes.requests() > 0) {
      requests.put(PlanEstimate.INDEX, Math.round(indexes.requests()));
      byMethod.put(PlanEstimate.INDEX, indexes);
      totals = totals.plus(indexes);
    }
    return new PlanEstimate(
        ChunkSelections.touchedChunks(array.grid(), selection),
        array.grid().gridShape().elementCountAtMost(Long.MAX_VALUE),
        requests,
        byMethod,
        totals,
        selection.elementCount() * elementBytes(array.schema().dataType()),
        inMemory,
        upperBound,
        sampled);
  }

  /** Bytes of one element; text and bytes of any length count 16. */
  static long elementBytes(DataType type) {
    return type.isFixedWidth() ? type.byteWidth() : 16;
  }

  private void add(OrthogonalSelection part) {
    if (held.isNothing()) {
      addLikeOnes(part);
    } else {
      EachChunk.of(array.grid(), part, (chunk, within) -> addLikeOnes(within));
    }
  }

  private void addLikeOnes(OrthogonalSelection part) {
    List<List<ChunkClasses.ChunkClass>> classes = new ArrayList<>();
    long combinations = 1;
    for (int d = 0; d < part.rank(); d++) {
      ChunkClasses along = new ChunkClasses(array.grid(), d, part.indices(d));
      sampled |= along.isSampled();
      classes.add(along.classes());
      combinations *= Math.min(1 << 20, along.classes().size());
    }
    long step = Math.max(1, combinations / MAX_PLANNED);
    sampled |= step > 1;
    long planned = (combinations + step - 1) / step;
    for (long i = 0; i < combinations; i += step) {
      addCombination(classes, i, (double) combinations / planned);
    }
  }

  private void addCombination(
      List<List<ChunkClasses.ChunkClass>> classes, long number, double weight) {
    long rest = number;
    double count = weight;
    long[] chunk = new long[classes.size()];
    List<IndexSet> within = new ArrayList<>();
    for (int d = 0; d < chunk.length; d++) {
      List<ChunkClasses.ChunkClass> along = classes.get(d);
      ChunkClasses.ChunkClass one = along.get((int) (rest % along.size()));
      rest /= along.size();
      chunk[d] = one.chunk();
      within.add(one.within());
      count *= one.count();
    }
    addChunk(ChunkCoordinates.of(chunk), OrthogonalSelection.of(within), count);
  }

  private void addChunk(ChunkCoordinates chunk, OrthogonalSelection within, double count) {
    Shape shape = array.grid().chunkShape(chunk);
    CodecPipeline pipeline = array.pipeline(shape);
    Addressing addressing = pipeline.addressing();
    long decoded = shape.elementCount() * elementBytes(array.schema().dataType());
    if (addressing instanceof Addressing.Fixed) {
      Addressing.Fixed fixed = (Addressing.Fixed) addressing;
      List<ByteRuns> runs = rawRuns(pipeline, fixed, within, 0);
      long size = fixed.storedShape().elementCount() * fixed.elementBytes();
      ObjectNeed need =
          new ObjectNeed(array.chunkObject(chunk), OptionalLong.of(size), NeededBytes.runs(runs));
      addAccess(chunk, within, need, size, AccessTotals.NONE, count);
    } else if (addressing instanceof Addressing.Sharded) {
      addShard(chunk, pipeline, (Addressing.Sharded) addressing, within, count);
    } else {
      upperBound = true;
      long likely = Math.max(1, decoded / LIKELY_RATIO);
      Optional<SliceCall> call = decodedCall(likely, likely, within);
      ObjectNeed need = encoded(chunk, NeededBytes.WHOLE, call);
      addAccess(chunk, within, need, decoded, AccessTotals.NONE, count);
    }
  }

  private ObjectNeed encoded(ChunkCoordinates chunk, NeededBytes bytes, Optional<SliceCall> call) {
    return new ObjectNeed(array.chunkObject(chunk), OptionalLong.empty(), bytes, call);
  }

  /** What a function has to do that decodes a chunk: read some of its bytes, answer elements. */
  private Optional<SliceCall> decodedCall(long stored, long read, OrthogonalSelection within) {
    DataType type = array.schema().dataType();
    return type.isFixedWidth()
        ? Optional.of(
            new SliceCall(
                Math.max(1, stored), Math.max(1, read), within.elementCount() * type.byteWidth()))
        : Optional.empty();
  }

  private static List<ByteRuns> rawRuns(
      CodecPipeline pipeline, Addressing.Fixed fixed, OrthogonalSelection within, long offset) {
    List<ByteRuns> runs = new ArrayList<>();
    for (Hyperslab slab : within.hyperslabs()) {
      ElementRuns elements = ElementRuns.of(pipeline.toStored(slab), fixed.storedShape());
      runs.add(ByteRuns.of(elements, fixed.elementBytes(), offset));
    }
    return runs;
  }

  private void addShard(
      ChunkCoordinates chunk,
      CodecPipeline pipeline,
      Addressing.Sharded addressing,
      OrthogonalSelection within,
      double count) {
    upperBound = true;
    StoredShard shard = StoredShard.of(array, chunk, pipeline, addressing);
    List<Hyperslab> stored = new ArrayList<>();
    long touched = 0;
    for (Hyperslab slab : within.hyperslabs()) {
      stored.add(pipeline.toStored(slab));
      touched +=
          ChunkSelections.touchedChunks(addressing.innerGrid(), stored.get(stored.size() - 1));
    }
    long needed = Math.min(shard.innerChunks(), touched);
    Optional<SliceCall> call =
        decodedCall(shard.decodedBytes(), shard.innerBytes() * needed, within);
    long all = shard.decodedBytes() + addressing.indexBytes();
    ShardNeed need =
        new ShardNeed(
            shard.innerChunks(),
            needed,
            shard.decodedBytes(),
            Math.max(1, together),
            meanShardBytes * (double) Math.max(1, together),
            array.chunkObject(chunk));
    if (planner.readsWhole(need)) {
      ObjectNeed whole = encoded(chunk, NeededBytes.WHOLE, call);
      addAccess(chunk, within, whole, all, AccessTotals.NONE, count);
      return;
    }
    indexBytes = Math.max(indexBytes, addressing.indexBytes());
    List<ByteRuns> runs = new ArrayList<>();
    for (Hyperslab slab : stored) {
      for (ChunkSelection inner : ChunkSelections.of(addressing.innerGrid(), slab)) {
        addInner(addressing, inner, shard, runs);
      }
    }
    addAccess(
        chunk,
        within,
        encoded(chunk, NeededBytes.runs(runs), call),
        all,
        AccessTotals.reads(1, (double) addressing.indexBytes(), (double) addressing.indexBytes()),
        count);
  }

  /** An inner chunk where it would lie if all were stored raw and in order. */
  private static void addInner(
      Addressing.Sharded addressing, ChunkSelection inner, StoredShard shard, List<ByteRuns> runs) {
    long offset = shard.offset(inner.chunk());
    Addressing ofInner = addressing.inner().addressing();
    if (ofInner instanceof Addressing.Fixed) {
      OrthogonalSelection within = OrthogonalSelection.of(inner.within());
      runs.addAll(rawRuns(addressing.inner(), (Addressing.Fixed) ofInner, within, offset));
    } else {
      runs.add(ByteRuns.of(offset, offset + Math.max(1, shard.innerBytes())));
    }
  }

  private void addAccess(
      ChunkCoordinates chunk,
      OrthogonalSelection within,
      ObjectNeed need,
      long sizeAtMost,
      AccessTotals index,
      double count) {
    ObjectNeed rest = held.rest(need, array, chunk, within);
    indexReads.add(rest.held().index() ? AccessTotals.NONE : index);
    groups.add(new NeedGroup(rest, Math.max(1, Math.round(count))));
    lengths.add(sizeAtMost);
  }
}
