package io.arraymorph.optimizer.execute;

import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.Elements;

/** Takes the selected elements of one chunk after the other, on the thread that reads. */
@FunctionalInterface
public interface ChunkSink {

  /**
   * Takes the elements of one part of a selection.
   *
   * @param part which chunk and which of its elements
   * @param packed those elements, shape {@code part.within().counts()}; must not be changed
   */
  void accept(ChunkSelection part, Elements packed);
}
