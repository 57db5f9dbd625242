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

  private final long[][] kept = new long[3][0];

  private PieceScratch() {}

  /** That of the calling thread. */
  public static PieceScratch get() {
    return OF_THREAD.get();
  }

  /** An array of at least so many numbers. */
  public long[] first(int count) {
    return atLeast(count, 0);
  }

  /** Another one. */
  public long[] second(int count) {
    return atLeast(count, 1);
  }

  /** A third one, for what {@link PackedSort} does not use. */
  public long[] third(int count) {
    return atLeast(count, 2);
  }

  private long[] atLeast(int count, int which) {
    if (count > MOST_KEPT) {
      return new long[count];
    }
    if (kept[which].length < count) {
      kept[which] = new long[Math.min(MOST_KEPT, Math.max(count, 2 * kept[which].length))];
    }
    return kept[which];
  }
}
