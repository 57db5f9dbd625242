package io.arraymorph.optimizer.plan;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.layout.ChunkedArray;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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
    Map<ChunkCoordinates, List<OrthogonalSelection>> touched =
        EachChunk.of(array.grid(), selection, most);
    if (touched.size() > most) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          "the selection touches more than " + most + " chunks, too many to name each",
          "Plan a smaller slice");
    }
    ChunkNeeds all = new ChunkNeeds(array, new TouchedChunks(array.grid(), selection), planner);
    List<ObjectNeed> needs = new ArrayList<>();
    touched.forEach(
        (chunk, within) ->
            needs.add(held.rest(all.of(chunk, within).object(), array, chunk, within)));
    List<ChunkCoordinates> owners = List.copyOf(touched.keySet());
    List<ChunkAccess> accesses = planner.plan(needs).accesses();
    List<PlannedChunk> planned = new ArrayList<>();
    for (int i = 0; i < needs.size(); i++) {
      planned.add(new PlannedChunk(owners.get(i), accesses.get(i)));
    }
    return planned;
  }
}
