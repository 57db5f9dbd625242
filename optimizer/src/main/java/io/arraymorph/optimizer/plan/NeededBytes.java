package io.arraymorph.optimizer.plan;

import java.util.List;

/** Which bytes of an object a read cannot do without. */
public sealed interface NeededBytes {

  /** All bytes of the object, whatever its length. */
  NeededBytes WHOLE = new Whole();

  /** All bytes of the object. */
  record Whole() implements NeededBytes {}

  /**
   * The union of some runs, in any order, possibly overlapping; without runs nothing is needed.
   *
   * @param parts of one object
   */
  record Runs(List<ByteRuns> parts) implements NeededBytes {
    /** Copies the list. */
    public Runs {
      parts = List.copyOf(parts);
    }
  }

  /** These runs. */
  static NeededBytes runs(List<ByteRuns> parts) {
    return new Runs(parts);
  }
}
