package io.arraymorph.layout.codec;

/**
 * How many bytes some encoded form may have.
 *
 * @param min at least so many
 * @param max at most so many; equal to {@code min} when the size is known
 */
public record SizeRange(long min, long max) {

  /** Exactly so many bytes. */
  public static SizeRange exactly(long bytes) {
    return new SizeRange(bytes, bytes);
  }

  /** True if the size is known. */
  public boolean isExact() {
    return min == max;
  }

  /** The range of sizes after {@code bytes} more were added. */
  public SizeRange plus(long bytes) {
    return new SizeRange(min + bytes, max + bytes);
  }

  /**
   * The sizes that a compressor may make of this: bounded, because valid compressors expand little.
   */
  public SizeRange compressed() {
    return new SizeRange(1, Math.min(CodecLimits.MAX_CHUNK_BYTES, 2 * max + (1 << 16)));
  }

  /**
   * Refuses what cannot decode to this size, before memory is taken for it.
   *
   * @param encoded the length of the compressed data
   * @param ratio how many bytes one compressed byte can become at most
   */
  void checkReachable(String what, long encoded, long ratio) {
    if (min > encoded * ratio) {
      throw new CodecException(what + " of " + encoded + " bytes cannot hold " + min + " bytes");
    }
  }

  /** Throws {@link CodecException} unless {@code bytes} is in this range. */
  public void check(String what, long bytes) {
    if (bytes < min || bytes > max) {
      throw new CodecException(
          what + " has " + bytes + " bytes, expected " + (isExact() ? min : min + " to " + max));
    }
  }
}
