package io.arraymorph.optimizer.plan;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.DataType;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CostModel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * Foresees what reading a selection of an array will take, without I/O. Chunks with the same
 * selection in them are planned once, and none is enumerated but those that several parts of the
 * selection share: what all of them select of such a chunk is needed together.
 */
public final class PlanEstimator {
  /** Where shared chunks have more runs of elements, some kinds of them stand for all. */
  private static final long MOST_RUNS = 1 << 20;

  private final ChunkedArray array;
  private final Selection selection;
  private final AccessPlanner planner;
  private final TouchedChunks touched;
  private final ChunkNeeds needs;
  private final List<NeedGroup> groups = new ArrayList<>();
  private final List<Long> lengths = new ArrayList<>();
  private final List<AccessTotals> indexReads = new ArrayList<>();
  private long indexBytes;
  private boolean upperBound;
  private boolean sampled;

  private PlanEstimator(
      ChunkedArray array, Selection selection, AccessPlanner planner, HeldObjects held) {
    this.array = array;
    this.selection = selection;
    this.planner = planner;
    this.touched = new TouchedChunks(array.grid(), selection);
    this.needs = new ChunkNeeds(array, touched, planner);
    if (held.isNothing() || !touched.isFew()) {
      addLikeOnes();
      addShared();
    } else {
      EachChunk.of(array.grid(), selection, TouchedChunks.MOST_LOOKED_AT)
          .forEach((chunk, within) -> add(chunk, within, 1, held));
    }
  }

  /** What reading these elements will take with that planner. */
  public static PlanEstimate estimate(
      ChunkedArray array, Selection selection, AccessPlanner planner) {
    return estimate(array, selection, planner, HeldObjects.NONE);
  }

  /** The same for a reader that holds something in memory. */
  public static PlanEstimate estimate(
      ChunkedArray array, Selection selection, AccessPlanner planner, HeldObjects held) {
    return new PlanEstimator(array, selection, planner, held).estimate();
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
    return List.copyOf(new PlanEstimator(array, selection, planner, held).groups);
  }

  /**
   * What reading these elements of one chunk or shard needs of it.
   *
   * @param selection in indices of the array
   * @throws IllegalArgumentException if it touches another chunk, or none
   */
  public static ObjectNeed needOfChunk(
      ChunkedArray array, Selection selection, AccessPlanner planner, HeldObjects held) {
    TouchedChunks touched = new TouchedChunks(array.grid(), selection);
    boolean one = touched.byPart().stream().allMatch(part -> part.elementCount() == 1);
    Map<ChunkCoordinates, List<OrthogonalSelection>> chunks =
        one ? EachChunk.of(array.grid(), selection, 1) : Map.of();
    if (chunks.size() != 1) {
      throw new IllegalArgumentException(selection + " does not touch one chunk");
    }
    ChunkCoordinates chunk = chunks.keySet().iterator().next();
    ObjectNeed need = new ChunkNeeds(array, touched, planner).of(chunk, chunks.get(chunk)).object();
    return held.rest(need, array, chunk, chunks.get(chunk));
  }

  private PlanEstimate estimate() {
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
        touched.count(),
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

  /** Chunks that a single part touches. */
  private void addLikeOnes() {
    if (!touched.isKnown()) {
      // Whatever parts share is counted for each.
      upperBound = true;
      sampled = true;
    }
    Map<Integer, Collection<ChunkCoordinates>> shared = touched.sharedByPart();
    for (int i = 0; i < selection.parts().size(); i++) {
      Collection<ChunkCoordinates> excluded = shared.getOrDefault(i, List.of());
      long all = touched.byPart().get(i).elementCount();
      if (excluded.size() < all) {
        LikeChunks like = new LikeChunks(array.grid(), selection.parts().get(i), all, excluded);
        sampled |= like.isSampled();
        like.forEach(
            (chunk, within, count) -> add(chunk, List.of(within), count, HeldObjects.NONE));
      }
    }
  }

  /** What tells apart needs of shared chunks. */
  private record Kind(List<OrthogonalSelection> within, Shape shape, Shape inside) {
    /** The runs of elements that lie next to each other, or more. */
    long runs() {
      return within.stream().mapToLong(Kind::runs).sum();
    }

    private static long runs(OrthogonalSelection product) {
      int last = product.rank() - 1;
      long runs = 1;
      for (int d = 0; d < last; d++) {
        runs *= product.indices(d).count();
      }
      List<IndexRange> along = last < 0 ? List.of() : product.indices(last).ranges();
      return runs * along.stream().mapToLong(r -> r.stride() == 1 ? 1 : r.count()).sum();
    }
  }

  /** A chunk, and how many are like it. */
  private record Alike(ChunkCoordinates chunk, long count) {}

  /** Chunks that several parts touch. */
  private void addShared() {
    Map<Kind, Alike> kinds = new LinkedHashMap<>();
    for (Map.Entry<ChunkCoordinates, SortedSet<Integer>> shared : touched.shared().entrySet()) {
      ChunkCoordinates chunk = shared.getKey();
      List<OrthogonalSelection> within = new ArrayList<>();
      for (int part : shared.getValue()) {
        within.add(EachChunk.within(array.grid(), selection.parts().get(part), chunk));
      }
      Shape shape = array.grid().chunkShape(chunk);
      Shape inside = array.grid().chunkBox(chunk).counts();
      kinds.merge(
          new Kind(within, shape, inside),
          new Alike(chunk, 1),
          (one, other) -> new Alike(one.chunk(), one.count() + other.count()));
    }
    long runs = kinds.keySet().stream().mapToLong(Kind::runs).sum();
    long step = 1 + runs / MOST_RUNS;
    sampled |= step > 1;
    long planned = (kinds.size() + step - 1) / step;
    long number = 0;
    for (Map.Entry<Kind, Alike> kind : kinds.entrySet()) {
      if (number++ % step == 0) {
        Alike alike = kind.getValue();
        long count = Math.round((double) alike.count() * kinds.size() / planned);
        add(alike.chunk(), kind.getKey().within(), count, HeldObjects.NONE);
      }
    }
  }

  private void add(
      ChunkCoordinates chunk, List<OrthogonalSelection> within, long count, HeldObjects held) {
    ChunkNeed need = needs.of(chunk, within);
    ObjectNeed rest = held.rest(need.object(), array, chunk, within);
    boolean index = need.indexBytes() > 0 && !rest.held().index();
    double bytes = (double) need.indexBytes();
    indexReads.add(index ? AccessTotals.reads(1, bytes, bytes) : AccessTotals.NONE);
    indexBytes = Math.max(indexBytes, need.indexBytes());
    groups.add(new NeedGroup(rest, count));
    lengths.add(need.bytesAtMost());
    upperBound |= !need.exact();
  }
}
