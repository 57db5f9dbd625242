package io.arraymorph.optimizer.cost;

/**
 * Sums over small slices of several objects, which share calls of the slice function: a call costs
 * a fee and a round trip whatever it asks for. But one connection and one instance of a function
 * are only so fast, so some calls stay side by side, and none is for much more than flows in the
 * time of a round trip.
 *
 * @param slices how many
 * @param answerBytes of all answers
 * @param spanBytes of all, that are read of the objects
 * @param seconds of all, each as if in a call of its own
 * @param dollars of all, each as if in a call of its own
 */
public record SharedSlices(
    double slices, double answerBytes, double spanBytes, double seconds, double dollars) {
  /** No slices. */
  public static final SharedSlices NONE = new SharedSlices(0, 0, 0, 0, 0);

  private static final int SIDE_BY_SIDE = 8;
  private static final long MOST_BYTES = 512 << 10;
  private static final long MOST_SPAN_BYTES = 8 << 20;

  /** What a call may hold at most (docs/spec/subset.md). */
  private static final int MOST_SLICES = 64;

  /** Slices of one call that the function works on at once; of small reads it sends all. */
  private static final int AT_ONCE = 8;

  private static final long SMALL_READ_BYTES = 64 << 10;

  /** Chunks that a reader plans together at most, and so slices that can share calls. */
  public static final int MOST_TOGETHER = 512;

  /** True if a slice of so many bytes shares a call; a larger one has a call of its own. */
  public static boolean isSmall(long answerBytes, long spanBytes) {
    return answerBytes <= MOST_BYTES / 2 && spanBytes <= MOST_SPAN_BYTES / 2;
  }

  /** The sums over these slices and those of {@code other}. */
  public SharedSlices plus(SharedSlices other) {
    return new SharedSlices(
        slices + other.slices,
        answerBytes + other.answerBytes,
        spanBytes + other.spanBytes,
        seconds + other.seconds,
        dollars + other.dollars);
  }

  /** The sums over {@code factor} times these slices. */
  public SharedSlices times(double factor) {
    return new SharedSlices(
        slices * factor,
        answerBytes * factor,
        spanBytes * factor,
        seconds * factor,
        dollars * factor);
  }

  /** How many slices a call holds, at least 1. */
  public int slicesPerCall() {
    if (slices <= SIDE_BY_SIDE) {
      return 1;
    }
    double together = Math.min(slices, MOST_TOGETHER);
    double share = together / slices;
    double calls =
        Math.max(
            SIDE_BY_SIDE,
            1
                + Math.floor(
                    Math.max(
                        answerBytes * share / MOST_BYTES, spanBytes * share / MOST_SPAN_BYTES)));
    return (int) Math.max(1, Math.min(MOST_SLICES, Math.ceil(together / calls)));
  }

  /** How many calls they take. */
  public double calls() {
    return slices <= SIDE_BY_SIDE ? slices : Math.ceil(slices / slicesPerCall());
  }

  /** How many slices the function does one after the other in each call, at least 1. */
  public int rounds() {
    return spanBytes <= slices * SMALL_READ_BYTES ? 1 : (slicesPerCall() + AT_ONCE - 1) / AT_ONCE;
  }
}
