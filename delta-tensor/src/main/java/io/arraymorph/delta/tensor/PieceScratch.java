package io.arraymorph.delta.tensor;

/**
 * Memory of a thread for what is between the stored numbers of a piece and its cells in order: it
 * stays in the processor's caches, where fresh memory would have to come from afar. Whatever is in
 * it is lost with the next piece.
 */
public final class PieceScratch {
  /** Larger pieces get memory of their own. */
  private static final int MOST_KEPT = 1 << 17;

  private static final ThreadLocal<PieceScratch> OF_THREAD =
      ThreadLocal.withInitial(PieceScratch::new);

  private long[] first = new long[0];
  private long[] second = new long[0];
  private long[] third = new long[0];

  private PieceScratch() {}

  /** That of the calling thread. */
  public static PieceScratch get() {
    return OF_THREAD.get();
  }

  /** An array of at least so many numbers. */
  public long[] first(int count) {
    if (count > MOST_KEPT) {
      return new long[count];
    }
    if (first.length < count) {
      first = new long[Math.min(MOST_KEPT, Math.max(count, 2 * first.length))];
    }
    return first;
  }

  /** Another one. */
  public long[] second(int count) {
    if (count > MOST_KEPT) {
      return new long[count];
    }
    if (second.length < count) {
      second = new long[Math.min(MOST_KEPT, Math.max(count, 2 * second.length))];
    }
    return second;
  }

  /** A third one, for what {@link PackedSort} does not use. */
  public long[] third(int count) {
    if (count > MOST_KEPT) {
      return new long[count];
    }
    if (third.length < count) {
      third = new long[Math.min(MOST_KEPT, Math.max(count, 2 * third.length))];
    }
    return third;
  }
}
