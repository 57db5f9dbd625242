package io.arraymorph.lambda;

/**
 * What a slice server does at most.
 *
 * @param requestBytes of the body of a request
 * @param answerBytes of the body of an answer
 * @param objectBytes of an object read or a chunk decoded
 * @param concurrency requests worked on at once; more are told to wait
 */
public record SliceLimits(int requestBytes, long answerBytes, long objectBytes, int concurrency) {
  /** 4 MiB in, 64 MiB out, chunks up to 512 MiB, 16 at once. */
  public static final SliceLimits DEFAULT = new SliceLimits(4 << 20, 64 << 20, 512 << 20, 16);

  /** Throws {@link IllegalArgumentException} for values that make no sense. */
  public SliceLimits {
    if (requestBytes < 1 || answerBytes < 1 || objectBytes < 1 || concurrency < 1) {
      throw new IllegalArgumentException("limits of a slice server must be above 0");
    }
  }
}
