package io.arraymorph.optimizer.execute;

import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;
import java.util.Optional;

/**
 * Takes the parts of a request as they are decoded: in any order, on the threads that decode,
 * several at a time. What it throws fails the request.
 */
@FunctionalInterface
public interface PartSink {

  /**
   * Takes one part.
   *
   * @param packed its elements, valid during this call only; must not be changed
   * @param at where they lie in the packed elements of the request
   */
  void accept(Elements packed, Hyperslab at);

  /** Takes parts that need no decoding where they lie; empty if this wants all of them decoded. */
  default Optional<StoredSink> ofStored() {
    return Optional.empty();
  }
}
