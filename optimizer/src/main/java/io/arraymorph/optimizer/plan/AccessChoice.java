package io.arraymorph.optimizer.plan;

/**
 * How the objects of a group are read: some by the slice function, the others by ranges.
 *
 * @param gap larger gaps are cut
 * @param longest longer ranges are divided
 * @param byFunction objects read by the slice function
 */
record AccessChoice(long gap, long longest, long byFunction) {
  AccessChoice withCut(long newGap, long newLongest) {
    return new AccessChoice(newGap, newLongest, byFunction);
  }

  AccessChoice withFunction(long objects) {
    return new AccessChoice(gap, longest, objects);
  }
}
