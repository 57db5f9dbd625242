package io.arraymorph.optimizer.plan;

import io.arraymorph.store.ByteRange;
import java.util.List;
import java.util.SortedSet;

/**
 * All the ways to read the needed bytes of one object by ranges that are worth a look: every gap
 * above a bound is cut, and what is still longer than a bound is divided, at gaps if it has some.
 *
 * <p>For any number of ranges, cutting the largest gaps moves the fewest bytes; so nothing is lost
 * by looking at these ways only, unless ranges are to be divided unevenly. Immutable.
 */
sealed interface RangeOptions permits RegularOptions, ListedOptions {

  /** No bound on gaps or lengths. */
  long UNBOUNDED = Long.MAX_VALUE;

  /**
   * What a way of reading amounts to.
   *
   * @param ranges how many
   * @param bytes they move
   * @param longest bytes of one
   */
  record Cut(long ranges, long bytes, long longest) {}

  /**
   * Sums over the ranges of a way.
   *
   * @param gap larger gaps are cut; {@link #UNBOUNDED} to cut none
   * @param longest longer ranges are divided; {@link #UNBOUNDED} to divide none
   */
  Cut cut(long gap, long longest);

  /** The ranges of a way, ascending; arguments as of {@link #cut}. */
  List<ByteRange.Bounded> ranges(long gap, long longest);

  /** Bytes from the first to the last needed one. */
  long span();

  /** The sizes of the gaps, or of the largest where there are very many. */
  SortedSet<Long> gaps();

  /** The ways to read these runs, of which there is at least one. */
  static RangeOptions of(List<ByteRuns> parts) {
    if (parts.size() == 1 && RegularOptions.fits(parts.get(0).runs())) {
      return new RegularOptions(parts.get(0).runs());
    }
    return ListedOptions.of(parts);
  }
}
