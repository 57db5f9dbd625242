package io.arraymorph.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.dataset.Variable;
import io.arraymorph.optimizer.cost.AccessCost;
import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.optimizer.plan.HeldObjects;
import io.arraymorph.optimizer.plan.PlanEstimate;
import io.arraymorph.optimizer.plan.PlannedChunk;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A plan as JSON, as docs/spec/plan.md defines it: sums by access method, and the touched chunks
 * with the method of each.
 *
 * @param planner chooses the requests
 * @param model estimates seconds and dollars
 * @param held what the reader has in memory
 */
record PlanReport(AccessPlanner planner, CostModel model, HeldObjects held) {
  /** Of the JSON; a field that changes or goes makes another. */
  static final int VERSION = 1;

  /** More chunks than this are not listed one by one. */
  static final int MAX_LISTED = 20_000;

  /** One variable: its grid, sums, and touched chunks. */
  ObjectNode json(Variable variable, Selection selection, PlanEstimate estimate) {
    ObjectNode node = sums(estimate);
    node.put("name", variable.name());
    ChunkGrid grid = variable.array().grid();
    node.set("shape", lengths(variable.array().schema().shape()));
    node.set("chunkShape", lengths(variable.array().readChunkShape()));
    node.set("grid", lengths(grid.gridShape()));
    if (estimate.chunks() > MAX_LISTED) {
      node.putNull("touched");
      return node;
    }
    ArrayNode touched = node.putArray("touched");
    for (Box box :
        boxes(PlannedChunk.of(variable.array(), selection, planner, held, Integer.MAX_VALUE))) {
      ObjectNode one = touched.addObject();
      ArrayNode from = one.putArray("from");
      ArrayNode to = one.putArray("to");
      for (int d = 0; d < box.from.length; d++) {
        from.add(box.from[d]);
        to.add(box.to[d]);
      }
      one.put("method", box.method).put("requests", box.requests).put("bytes", box.bytes);
    }
    return node;
  }

  /** Sums over a variable, or over all. */
  ObjectNode sums(PlanEstimate estimate) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("chunks", estimate.chunks()).put("totalChunks", estimate.totalChunks());
    node.put("requests", estimate.requests());
    ObjectNode methods = node.putObject("requestsByMethod");
    new TreeMap<>(estimate.requestsByMethod()).forEach(methods::put);
    node.put("bytesToMove", estimate.bytesToMove()).put("bytesNeeded", estimate.bytesNeeded());
    node.put("cachedChunks", estimate.held().chunks());
    node.put("cachedBytes", estimate.held().bytes());
    AccessCost cost = estimate.cost(model);
    node.put("profile", model.profile().name());
    node.put("estimatedSeconds", cost.seconds()).put("estimatedDollars", cost.dollars());
    node.put("upperBound", estimate.upperBound()).put("sampled", estimate.sampled());
    ArrayNode rows = node.putArray("methods");
    for (Map.Entry<String, AccessTotals> method :
        new TreeMap<>(estimate.totalsByMethod()).entrySet()) {
      AccessCost alone = model.cost(method.getValue());
      rows.addObject()
          .put("method", method.getKey())
          .put("requests", estimate.requestsByMethod().getOrDefault(method.getKey(), 0L))
          .put("bytesToMove", Math.round(method.getValue().movedBytes()))
          .put("seconds", alone.seconds())
          .put("dollars", alone.dollars());
    }
    return node;
  }

  private static ArrayNode lengths(Shape shape) {
    ArrayNode lengths = JsonNodeFactory.instance.arrayNode();
    Arrays.stream(shape.toArray()).forEach(lengths::add);
    return lengths;
  }

  /** Neighbours along the last dimension that are read alike; chunk indices, half-open. */
  private static final class Box {
    private final long[] from;
    private final long[] to;
    private final String method;
    private final long requests;
    private final long bytes;

    Box(PlannedChunk chunk) {
      from = new long[chunk.chunk().rank()];
      to = new long[from.length];
      for (int d = 0; d < from.length; d++) {
        from[d] = chunk.chunk().index(d);
        to[d] = from[d] + 1;
      }
      method = chunk.access().method();
      requests = chunk.requests();
      bytes = chunk.access().bytesToMove().orElse(-1);
    }

    boolean extendsTo(Box next) {
      int last = from.length - 1;
      if (last < 0 || to[last] != next.from[last] || !method.equals(next.method)) {
        return false;
      }
      for (int d = 0; d < last; d++) {
        if (from[d] != next.from[d]) {
          return false;
        }
      }
      return requests == next.requests && bytes == next.bytes;
    }
  }

  private static List<Box> boxes(List<PlannedChunk> chunks) {
    List<Box> boxes = new ArrayList<>();
    for (PlannedChunk chunk : chunks) {
      Box next = new Box(chunk);
      if (!boxes.isEmpty() && boxes.get(boxes.size() - 1).extendsTo(next)) {
        Box open = boxes.get(boxes.size() - 1);
        open.to[open.to.length - 1]++;
      } else {
        boxes.add(next);
      }
    }
    return boxes;
  }
}
