package io.arraymorph.optimizer.plan;

/**
 * How the objects of a group are read: some by the slice function, the others by ranges or whole.
 *
 * @param gap larger gaps are cut
 * @param longest longer ranges are divided
 * @param whole true to read whole objects, whatever the bounds on gaps and lengths
 * @param counted the ranges, whatever the bounds; {@link Counted#NONE} for the bounds
 * @param byFunction objects read by the slice function
 */
record AccessChoice(long gap, long longest, boolean whole, Counted counted, long byFunction) {

  /**
   * Ranges by their number.
   *
   * @param order which gaps are cut first
   * @param cuts how many gaps are cut
   * @param pieces how many ranges there are, some of them divisions of longer ones
   */
  record Counted(CutSequence.Order order, int cuts, int pieces) {
    /** Ranges are not counted. */
    static final Counted NONE = new Counted(CutSequence.Order.LARGEST_GAPS, 0, 0);
  }

  /** All by ranges. */
  static AccessChoice ranges(long gap, long longest) {
    return new AccessChoice(gap, longest, false, Counted.NONE, 0);
  }

  AccessChoice withCut(long newGap, long newLongest) {
    return new AccessChoice(newGap, newLongest, false, Counted.NONE, byFunction);
  }

  AccessChoice withCounted(Counted ranges) {
    return new AccessChoice(
        RangeOptions.UNBOUNDED, RangeOptions.UNBOUNDED, false, ranges, byFunction);
  }

  /** By whole objects. */
  AccessChoice withWhole() {
    return new AccessChoice(gap, longest, true, counted, byFunction);
  }

  AccessChoice withFunction(long objects) {
    return new AccessChoice(gap, longest, whole, counted, objects);
  }

  boolean isCounted() {
    return counted.pieces > 0;
  }
}
