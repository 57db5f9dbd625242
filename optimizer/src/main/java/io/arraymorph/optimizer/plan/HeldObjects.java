package io.arraymorph.optimizer.plan;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.layout.ChunkedArray;
import java.util.List;

/** Tells plans what a reader already holds. Thread-safe; asking reads nothing. */
public interface HeldObjects {
  /** What a new reader holds. */
  HeldObjects NONE =
      new HeldObjects() {
        @Override
        public boolean isNothing() {
          return true;
        }

        @Override
        public ObjectNeed rest(
            ObjectNeed need,
            ChunkedArray array,
            ChunkCoordinates chunk,
            List<OrthogonalSelection> within) {
          return need;
        }
      };

  /** True if nothing is held of any object. */
  boolean isNothing();

  /**
   * What is left to fetch.
   *
   * @param need of a stored chunk or shard, as if nothing were held
   * @param within the selected elements, all of them, in indices of the chunk
   * @return the need without the bytes of what is held, which it names; the same if nothing is
   */
  ObjectNeed rest(
      ObjectNeed need,
      ChunkedArray array,
      ChunkCoordinates chunk,
      List<OrthogonalSelection> within);
}
