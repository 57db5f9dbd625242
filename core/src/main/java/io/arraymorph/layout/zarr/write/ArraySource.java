package io.arraymorph.layout.zarr.write;

import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;
import java.util.Iterator;
import java.util.function.BiConsumer;

/** Where the elements of a new array come from. */
@FunctionalInterface
public interface ArraySource {

  /**
   * Gives each box with its elements, in order.
   *
   * @param boxes contiguous boxes within the new array
   */
  void read(Iterator<Hyperslab> boxes, BiConsumer<Hyperslab, Elements> sink);
}
