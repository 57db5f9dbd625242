package io.arraymorph.optimizer.plan;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.layout.ChunkedArray;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A stored chunk (a shard, if sharded) that a selection touches, and how it is read.
 *
 * @param chunk where it lies in the grid
 * @param access its requests, as foreseen from metadata
 */
public record PlannedChunk(ChunkCoordinates chunk, ChunkAccess access) {

  /** The number of requests or calls for it; the index of a shard is not counted. */
  public long requests() {
    return access instanceof ChunkAccess.SliceFunction
        ? ((ChunkAccess.SliceFunction) access).calls()
        : access.requests().size();
  }

  /** As the other method, for a reader that holds nothing yet. */
  public static List<PlannedChunk> of(
      ChunkedArray array, Selection selection, AccessPlanner planner, int most) {
    return of(array, selection, planner, HeldObjects.NONE, most);
  }

  /**
   * All touched chunks, one by one, in grid order: what a picture of a plan shows.
   *
   * @param held what the reader has in memory
   * @param most chunks that may be touched
   * @throws ArrayMorphException with TOO_LARGE if there are more
   */
  public static List<PlannedChunk> of(
      ChunkedArray array, Selection selection, AccessPlanner planner, HeldObjects held, int most) {
    ChunkGrid grid = array.grid();
    Map<ChunkCoordinates, List<OrthogonalSelection>> touched = new TreeMap<>();
    for (OrthogonalSelection part : selection.parts()) {
      OrthogonalSelection chunks = ChunkSelections.touched(grid, part);
      if (chunks.isEmpty()) {
        continue;
      }
      if (count(chunks) > most - touched.size()) {
        throw new ArrayMorphException(
            ErrorCode.TOO_LARGE,
            "the selection touches more than " + most + " chunks, too many to name each",
            "Plan a smaller slice");
      }
      EachChunk.of(
          grid,
          part,
          (chunk, within) ->
              touched.computeIfAbsent(chunk, ignored -> new ArrayList<>()).add(within));
    }
    List<ObjectNeed> needs = new ArrayList<>();
    List<ChunkCoordinates> owners = new ArrayList<>();
    for (ChunkCoordinates chunk : touched.keySet()) {
      Selection within = Selection.of(selection.rank(), touched.get(chunk));
      for (ObjectNeed need : merged(PlanEstimator.needs(array, within, planner, held))) {
        needs.add(need);
        owners.add(chunk);
      }
    }
    List<ChunkAccess> accesses = planner.plan(needs).accesses();
    List<PlannedChunk> planned = new ArrayList<>();
    for (int i = 0; i < needs.size(); i++) {
      planned.add(new PlannedChunk(owners.get(i), accesses.get(i)));
    }
    return planned;
  }

  private static double count(OrthogonalSelection chunks) {
    double count = 1;
    for (int d = 0; d < chunks.rank(); d++) {
      count *= chunks.indices(d).count();
    }
    return count;
  }

  /** One need of each object: several boxes of a chunk are read together. */
  private static List<ObjectNeed> merged(List<NeedGroup> groups) {
    Map<String, ObjectNeed> byObject = new LinkedHashMap<>();
    for (NeedGroup group : groups) {
      byObject.merge(group.need().object().key(), group.need(), PlannedChunk::union);
    }
    return List.copyOf(byObject.values());
  }

  private static ObjectNeed union(ObjectNeed one, ObjectNeed other) {
    if (!(one.bytes() instanceof NeededBytes.Runs)) {
      return one;
    }
    if (!(other.bytes() instanceof NeededBytes.Runs)) {
      return other;
    }
    Held held = one.held().plus(other.held());
    List<ByteRuns> parts = new ArrayList<>(((NeededBytes.Runs) one.bytes()).parts());
    parts.addAll(((NeededBytes.Runs) other.bytes()).parts());
    return new ObjectNeed(
        one.object(), one.objectBytes(), NeededBytes.runs(parts), one.decoded(), held);
  }
}
