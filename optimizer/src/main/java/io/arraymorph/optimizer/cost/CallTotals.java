package io.arraymorph.optimizer.cost;

/**
 * Sums over calls of the slice function, each slice in a call of its own.
 *
 * @param calls how many
 * @param answerBytes of all answers
 * @param seconds of all calls, each as if alone
 * @param longestSeconds of the longest
 * @param hostSeconds that all of them keep busy what calls have in common
 * @param dollars of all calls but for moving their answers to the reader
 * @param shared those of them whose slices are small, and may be sent in fewer calls
 */
public record CallTotals(
    double calls,
    double answerBytes,
    double seconds,
    double longestSeconds,
    double hostSeconds,
    double dollars,
    SharedSlices shared) {
  /** No calls. */
  public static final CallTotals NONE = new CallTotals(0, 0, 0, 0, 0, 0, SharedSlices.NONE);

  /** The sums over these calls and those of {@code other}. */
  public CallTotals plus(CallTotals other) {
    return new CallTotals(
        calls + other.calls,
        answerBytes + other.answerBytes,
        seconds + other.seconds,
        Math.max(longestSeconds, other.longestSeconds),
        hostSeconds + other.hostSeconds,
        dollars + other.dollars,
        shared.plus(other.shared));
  }

  /** The sums over {@code factor} times these calls. */
  public CallTotals times(double factor) {
    return new CallTotals(
        calls * factor,
        answerBytes * factor,
        seconds * factor,
        longestSeconds,
        hostSeconds * factor,
        dollars * factor,
        shared.times(factor));
  }
}
