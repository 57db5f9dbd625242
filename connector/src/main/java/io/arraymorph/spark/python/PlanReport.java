package io.arraymorph.spark.python;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.optimizer.cost.AccessCost;
import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.optimizer.plan.ChunkAccess;
import io.arraymorph.optimizer.plan.NeedGroup;
import io.arraymorph.optimizer.plan.ObjectNeed;
import io.arraymorph.optimizer.plan.PlanEstimate;
import io.arraymorph.optimizer.plan.PlanEstimator;
import io.arraymorph.optimizer.plan.PlannerOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * What reading a selection of an array will take, foreseen from metadata.
 *
 * @param options say which planner chooses the requests, and the store's profile
 */
record PlanReport(ZarrArray array, OrthogonalSelection selection, PlannerOptions options) {
  /** A picture of more chunks shows nothing. */
  private static final long MAX_SHOWN = 20_000;

  /** Planners that look at no cost know no profile: what they plan has its cost all the same. */
  private CostModel model() {
    return options.model(array.path().storeUri(), Integer.MAX_VALUE);
  }

  private AccessPlanner planner() {
    return options.planner();
  }

  /** Chunks, and requests, bytes, seconds and dollars of each method and of all. */
  ObjectNode sums() {
    Selection cells = Selection.of(selection.rank(), List.of(selection));
    PlanEstimate estimate = PlanEstimator.estimate(array, cells, planner());
    CostModel model = model();
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("planner", planner().label()).put("profile", model.profile().name());
    node.put("selection", selection.toString());
    node.put("chunks", estimate.chunks()).put("total_chunks", estimate.totalChunks());
    node.put("bytes_needed", estimate.bytesNeeded());
    node.put("upper_bound", estimate.upperBound()).put("sampled", estimate.sampled());
    ArrayNode methods = node.putArray("methods");
    new TreeMap<>(estimate.totalsByMethod())
        .forEach(
            (method, totals) ->
                methods.add(
                    row(
                        method,
                        estimate.requestsByMethod().getOrDefault(method, 0L),
                        totals,
                        model.cost(totals))));
    AccessCost cost = estimate.cost(model);
    node.set("total", row("total", estimate.requests(), estimate.totals(), cost));
    return node;
  }

  private static ObjectNode row(
      String method, long requests, AccessTotals totals, AccessCost cost) {
    ObjectNode row = JsonNodeFactory.instance.objectNode();
    row.put("method", method).put("requests", requests);
    row.put("bytes", Math.round(totals.movedBytes()));
    return row.put("seconds", cost.seconds()).put("dollars", cost.dollars());
  }

  /**
   * The touched stored objects of one plane of the chunk grid with their methods; along the other
   * dimensions the plane of the first touched one.
   *
   * @param vertical a dimension, or -1 for a grid of one row
   * @param horizontal a dimension, or -1 for a grid of one column
   */
  ObjectNode grid(int vertical, int horizontal) {
    ChunkGrid grid = array.grid();
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.set("vertical", edges(vertical));
    node.set("horizontal", edges(horizontal));
    ArrayNode shown = node.putArray("chunks");
    if (selection.isEmpty()) {
      return node;
    }
    OrthogonalSelection touched = ChunkSelections.touched(grid, selection);
    for (int d = 0; d < touched.rank(); d++) {
      if (d != vertical && d != horizontal) {
        touched =
            touched.with(d, IndexSet.of(List.of(IndexRange.single(touched.indices(d).first()))));
      }
    }
    if (touched.elementCount() > MAX_SHOWN) {
      throw tooMany(touched.elementCount());
    }
    List<ObjectNeed> needs = new ArrayList<>();
    List<long[]> at = new ArrayList<>();
    for (Hyperslab chunks : touched.hyperslabs()) {
      for (long[] chunk : indices(chunks)) {
        for (NeedGroup group : needs(ChunkCoordinates.of(chunk))) {
          needs.add(group.need());
          at.add(chunk);
        }
      }
    }
    List<ChunkAccess> accesses = planner().plan(needs).accesses();
    for (int i = 0; i < accesses.size(); i++) {
      ArrayNode one = shown.addArray();
      one.add(vertical < 0 ? 0 : at.get(i)[vertical]);
      one.add(horizontal < 0 ? 0 : at.get(i)[horizontal]);
      one.add(accesses.get(i).method());
    }
    return node;
  }

  private List<NeedGroup> needs(ChunkCoordinates chunk) {
    ChunkGrid grid = array.grid();
    IndexRange[] box = new IndexRange[selection.rank()];
    for (int d = 0; d < box.length; d++) {
      long start = grid.chunkStart(d, chunk.index(d));
      box[d] = IndexRange.of(start, start + grid.chunkLength(d, chunk.index(d)));
    }
    OrthogonalSelection within = selection.clip(Hyperslab.of(box));
    return PlanEstimator.needs(array, Selection.of(selection.rank(), List.of(within)), planner());
  }

  /** Where chunks start along a dimension, and its length. */
  private ArrayNode edges(int dimension) {
    ArrayNode edges = JsonNodeFactory.instance.arrayNode();
    if (dimension < 0) {
      return edges.add(0).add(1);
    }
    ChunkGrid grid = array.grid();
    long chunks = grid.gridShape().length(dimension);
    if (chunks > MAX_SHOWN) {
      throw tooMany(chunks);
    }
    LongStream.range(0, chunks).forEach(chunk -> edges.add(grid.chunkStart(dimension, chunk)));
    return edges.add(array.schema().shape().length(dimension));
  }

  private static ArrayMorphException tooMany(long chunks) {
    return new ArrayMorphException(
        ErrorCode.TOO_LARGE,
        "a picture of " + chunks + " chunks",
        "Plot other dimensions, or a smaller slice");
  }

  private static List<long[]> indices(Hyperslab slab) {
    List<long[]> all = new ArrayList<>();
    all.add(new long[slab.rank()]);
    for (int d = 0; d < slab.rank(); d++) {
      List<long[]> more = new ArrayList<>();
      IndexRange range = slab.range(d);
      for (long[] prefix : all) {
        PrimitiveIterator.OfLong along =
            LongStream.range(0, range.count())
                .map(i -> range.start() + i * range.stride())
                .iterator();
        while (along.hasNext()) {
          long[] one = prefix.clone();
          one[d] = along.nextLong();
          more.add(one);
        }
      }
      all = more;
    }
    return all;
  }
}
