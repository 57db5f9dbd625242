package io.arraymorph.optimizer.execute;

import io.arraymorph.array.Hyperslab;
import io.arraymorph.layout.ChunkedArray;
import java.util.Objects;

/**
 * Some elements of an array that are wanted as one packed block.
 *
 * @param array the array
 * @param hyperslab which of its elements; must lie within its shape
 */
public record ReadRequest(ChunkedArray array, Hyperslab hyperslab) {
  /** Throws if something is null. */
  public ReadRequest {
    Objects.requireNonNull(array);
    Objects.requireNonNull(hyperslab);
  }
}
