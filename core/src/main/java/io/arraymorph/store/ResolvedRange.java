package io.arraymorph.store;

/**
 * The bytes that a {@link ByteRange} means in an object of known size.
 *
 * @param start offset of the first byte
 * @param length number of bytes, what one buffer can hold
 */
public record ResolvedRange(long start, int length) {
  /** The largest array that every JVM can make. */
  private static final int MAX_LENGTH = Integer.MAX_VALUE - 8;

  /**
   * Cuts a range to what exists.
   *
   * @param object its URI, for errors
   * @throws StoreException RANGE_NOT_SATISFIABLE if the range starts at or beyond the end (the
   *     whole of an empty object is fine), TOO_LARGE if it does not fit one buffer
   */
  public static ResolvedRange of(ByteRange range, long size, String object) {
    long start = 0;
    long end = size;
    if (range instanceof ByteRange.Bounded) {
      start = ((ByteRange.Bounded) range).start();
      end = Math.min(size, ((ByteRange.Bounded) range).end());
    } else if (range instanceof ByteRange.Suffix) {
      start = Math.max(0, size - ((ByteRange.Suffix) range).length());
    }
    if (start >= size && !(range instanceof ByteRange.Whole)) {
      throw new StoreException(
          StoreException.Kind.RANGE_NOT_SATISFIABLE,
          object,
          "bytes " + range + " of an object of " + size + " bytes",
          null);
    }
    if (end - start > MAX_LENGTH) {
      throw new StoreException(
          StoreException.Kind.TOO_LARGE,
          object,
          (end - start) + " bytes do not fit one buffer",
          null);
    }
    return new ResolvedRange(start, (int) (end - start));
  }
}
