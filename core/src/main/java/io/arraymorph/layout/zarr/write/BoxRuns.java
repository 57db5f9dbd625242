package io.arraymorph.layout.zarr.write;

import io.arraymorph.array.Shape;

/**
 * Walks over the cells that a box of elements and a chunk have in common, as runs that are
 * consecutive in both.
 */
final class BoxRuns {
  private BoxRuns() {}

  /** Takes one run. */
  interface Run {
    /**
     * @param source number of the run's first element in the box, in C order
     * @param target number of its first cell in the chunk, in C order
     */
    void accept(int source, int target, int length);
  }

  /**
   * Calls {@code run} for every run.
   *
   * @param boxStart index in the array of the box's first element
   * @param chunkStart index in the array of the chunk's first cell
   */
  static void forEach(long[] boxStart, Shape box, long[] chunkStart, Shape chunk, Run run) {
    int rank = boxStart.length;
    long[] from = new long[rank];
    long[] counts = new long[rank];
    for (int d = 0; d < rank; d++) {
      from[d] = Math.max(boxStart[d], chunkStart[d]);
      long to = Math.min(boxStart[d] + box.length(d), chunkStart[d] + chunk.length(d));
      counts[d] = to - from[d];
      if (counts[d] <= 0) {
        return;
      }
    }
    long[] boxStrides = strides(box);
    long[] chunkStrides = strides(chunk);
    int outer = rank;
    long length = 1;
    boolean whole = true;
    while (outer > 0 && whole) {
      outer--;
      length *= counts[outer];
      whole = counts[outer] == box.length(outer) && counts[outer] == chunk.length(outer);
    }
    long source = 0;
    long target = 0;
    for (int d = 0; d < rank; d++) {
      source += (from[d] - boxStart[d]) * boxStrides[d];
      target += (from[d] - chunkStart[d]) * chunkStrides[d];
    }
    long[] at = new long[outer];
    while (true) {
      run.accept((int) source, (int) target, (int) length);
      int d = outer - 1;
      while (d >= 0 && at[d] + 1 == counts[d]) {
        source -= at[d] * boxStrides[d];
        target -= at[d] * chunkStrides[d];
        at[d] = 0;
        d--;
      }
      if (d < 0) {
        return;
      }
      at[d]++;
      source += boxStrides[d];
      target += chunkStrides[d];
    }
  }

  private static long[] strides(Shape shape) {
    long[] strides = new long[shape.rank()];
    long stride = 1;
    for (int d = strides.length - 1; d >= 0; d--) {
      strides[d] = stride;
      stride *= shape.length(d);
    }
    return strides;
  }
}
