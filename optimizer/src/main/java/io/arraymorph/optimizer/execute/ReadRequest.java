package io.arraymorph.optimizer.execute;

import io.arraymorph.array.Hyperslab;
import io.arraymorph.layout.ChunkedArray;
import java.util.Objects;
import java.util.Optional;

/**
 * Some elements of an array that are wanted: as one packed block, or part by part as they come.
 *
 * @param array the array
 * @param hyperslab which of its elements; must lie within its shape
 * @param sink takes the parts; the stream then gives an empty result once all were taken
 */
public record ReadRequest(ChunkedArray array, Hyperslab hyperslab, Optional<PartSink> sink) {
  /** Throws if something is null. */
  public ReadRequest {
    Objects.requireNonNull(array);
    Objects.requireNonNull(hyperslab);
    Objects.requireNonNull(sink);
  }

  /** Elements that are wanted as one packed block. */
  public ReadRequest(ChunkedArray array, Hyperslab hyperslab) {
    this(array, hyperslab, Optional.empty());
  }
}
