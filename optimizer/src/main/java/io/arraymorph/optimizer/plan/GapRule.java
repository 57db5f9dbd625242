package io.arraymorph.optimizer.plan;

/** Decides which gaps between needed bytes are read along rather than cut by another request. */
@FunctionalInterface
interface GapRule {

  /** Reads nothing that is not needed; runs that touch are still joined. */
  GapRule EXACT = (gap, needed) -> gap <= 0;

  /** Reads everything between the first and the last needed byte. */
  GapRule COVER = (gap, needed) -> true;

  /**
   * True if a gap is read along.
   *
   * @param gap bytes between two needed ranges; 0 or less if they touch or overlap
   * @param needed needed bytes of the range before the gap
   */
  boolean bridges(long gap, long needed);

  /**
   * Bridges gaps up to {@code small} always, and up to {@code large} where they are no larger than
   * the needed bytes before them.
   */
  static GapRule upTo(long small, long large) {
    return (gap, needed) -> gap <= small || (gap <= large && gap <= needed);
  }
}
