package io.arraymorph.delta.tensor;

/** What happens to cells that are given explicitly with the fill value. */
public enum FillPolicy {
  /** They stay stored cells. */
  KEEP,
  /** They are dropped: reading them gives the fill value all the same. */
  PRUNE
}
