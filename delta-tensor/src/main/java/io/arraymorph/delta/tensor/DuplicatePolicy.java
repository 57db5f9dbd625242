package io.arraymorph.delta.tensor;

/** What happens when two values are given for one cell. */
public enum DuplicatePolicy {
  /** The write fails with DUPLICATE_CELL. */
  ERROR,
  /** The value given last stays. */
  LAST,
  /** Numbers are added; integers that overflow fail with OUT_OF_BOUNDS. */
  SUM
}
