package io.arraymorph.cli;

import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;
import java.util.Iterator;
import java.util.function.BiConsumer;

/** Where the elements of a new array come from. */
@FunctionalInterface
interface ArraySource {

  /**
   * Gives each box with its elements, in order.
   *
   * @param boxes contiguous boxes within the new array
   */
  void read(Iterator<Hyperslab> boxes, BiConsumer<Hyperslab, Elements> sink);
}
