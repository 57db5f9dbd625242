package io.arraymorph.optimizer.plan;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.layout.ChunkedArray;
import java.util.ArrayList;
import java.util.List;

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
    for (OrthogonalSelection part : selection.parts()) {
      OrthogonalSelection chunks = ChunkSelections.touched(array.grid(), part);
      if (!chunks.isEmpty() && count(chunks) > most) {
        throw tooMany(most);
      }
    }
    TouchedChunks touched = new TouchedChunks(array.grid(), selection);
    if (touched.isKnown() && touched.count() > most) {
      throw tooMany(most);
    }
    ChunkNeeds all = new ChunkNeeds(array, touched, planner);
    List<ObjectNeed> needs = new ArrayList<>();
    List<ChunkCoordinates> owners = new ArrayList<>();
    EachChunk.of(array.grid(), selection)
        .forEach(
            (chunk, within) -> {
              needs.add(held.rest(all.of(chunk, within).object(), array, chunk, within));
              owners.add(chunk);
            });
    if (owners.size() > most) {
      throw tooMany(most);
    }
    List<ChunkAccess> accesses = planner.plan(needs).accesses();
    List<PlannedChunk> planned = new ArrayList<>();
    for (int i = 0; i < needs.size(); i++) {
      planned.add(new PlannedChunk(owners.get(i), accesses.get(i)));
    }
    return planned;
  }

  private static ArrayMorphException tooMany(int most) {
    return new ArrayMorphException(
        ErrorCode.TOO_LARGE,
        "the selection touches more than " + most + " chunks, too many to name each",
        "Plan a smaller slice");
  }

  private static double count(OrthogonalSelection chunks) {
    double count = 1;
    for (int d = 0; d < chunks.rank(); d++) {
      count *= chunks.indices(d).count();
    }
    return count;
  }
}
