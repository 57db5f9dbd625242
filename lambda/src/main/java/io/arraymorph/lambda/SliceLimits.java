package io.arraymorph.lambda;

import java.time.Duration;
import java.util.Objects;

/**
 * What a slice server does at most.
 *
 * @param requestBytes of the body of a request
 * @param answerBytes of the body of an answer
 * @param objectBytes read for a request, or decoded at once
 * @param concurrency requests worked on at once; more wait for some seconds
 * @param time of one request, from its body to the last byte that is read for it
 */
public record SliceLimits(
    int requestBytes, long answerBytes, long objectBytes, int concurrency, Duration time) {
  /** 4 MiB in, 64 MiB out, chunks up to 512 MiB, 16 at once, half a minute each. */
  public static final SliceLimits DEFAULT =
      new SliceLimits(4 << 20, 64 << 20, 512 << 20, 16, Duration.ofSeconds(30));

  /** Throws {@link IllegalArgumentException} for values that make no sense. */
  public SliceLimits {
    Objects.requireNonNull(time);
    if (requestBytes < 1
        || answerBytes < 1
        || objectBytes < 1
        || concurrency < 1
        || time.isNegative()
        || time.isZero()) {
      throw new IllegalArgumentException("limits of a slice server must be above 0");
    }
  }

  /** These limits with others on bytes and calls. */
  SliceLimits with(long answer, long object, int calls) {
    return new SliceLimits(requestBytes, answer, object, calls, time);
  }

  /** These limits with another time. */
  SliceLimits within(Duration value) {
    return new SliceLimits(requestBytes, answerBytes, objectBytes, concurrency, value);
  }
}
