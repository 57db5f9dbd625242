package io.arraymorph.layout;

import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;

/**
 * Reads parts of arrays into memory; how the bytes are fetched is the reader's matter.
 *
 * <p>Implementations are thread-safe: several arrays are read at the same time.
 */
@FunctionalInterface
public interface ArrayReader {

  /**
   * The elements of a hyperslab, packed in C order.
   *
   * @throws io.arraymorph.ArrayMorphException naming the object that could not be read
   */
  Elements read(ChunkedArray array, Hyperslab hyperslab);
}
