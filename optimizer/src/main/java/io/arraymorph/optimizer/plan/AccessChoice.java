package io.arraymorph.optimizer.plan;

/**
 * How the objects of a group are read: some by the slice function, the others by ranges or whole.
 *
 * @param gap larger gaps are cut
 * @param longest longer ranges are divided
 * @param whole true to read whole objects, whatever the bounds on gaps and lengths
 * @param byFunction objects read by the slice function
 */
record AccessChoice(long gap, long longest, boolean whole, long byFunction) {
  /** All by ranges. */
  static AccessChoice ranges(long gap, long longest) {
    return new AccessChoice(gap, longest, false, 0);
  }

  AccessChoice withCut(long newGap, long newLongest) {
    return new AccessChoice(newGap, newLongest, false, byFunction);
  }

  /** By whole objects. */
  AccessChoice withWhole() {
    return new AccessChoice(gap, longest, true, byFunction);
  }

  AccessChoice withFunction(long objects) {
    return new AccessChoice(gap, longest, whole, objects);
  }
}
