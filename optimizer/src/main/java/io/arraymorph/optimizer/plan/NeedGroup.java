package io.arraymorph.optimizer.plan;

import java.util.Objects;

/**
 * Objects of which the same bytes are needed, as most chunks of a hyperslab are.
 *
 * @param need of one of them
 * @param objects how many there are, at least 1
 */
public record NeedGroup(ObjectNeed need, long objects) {
  /** Throws {@link IllegalArgumentException} unless there is an object. */
  public NeedGroup {
    Objects.requireNonNull(need);
    if (objects < 1) {
      throw new IllegalArgumentException(objects + " objects");
    }
  }
}
