package io.arraymorph.delta.payload;

/**
 * The rows of one linearly predicted plane, taken from the top: for each row the part of the
 * weighted sums that does not wait for the byte before.
 *
 * <p>Of a sum only the bits from {@link LinearPrediction#SHIFT} on matter, and of these the lowest
 * eight. So all weights are shifted up until those eight are the highest of 32 bits: what overflows
 * does not matter, and the guess is what a shift down leaves. Not thread-safe.
 */
final class PlaneRows {
  /** From here on, a shifted sum is the guess. */
  static final int GUESS = 24;

  private final int[] weights = new int[LinearPrediction.WEIGHTS];
  private final int last;
  private final ShiftedRows own;
  private final ShiftedRows before;
  private final int[] sums;

  /**
   * @param weights of the plane
   * @param rows rows of a plane
   * @param own the plane's rows
   * @param before rows of the plane before, or null if there is none
   */
  PlaneRows(int[] weights, int rows, int length, ShiftedRows own, ShiftedRows before) {
    for (int k = 0; k < weights.length; k++) {
      this.weights[k] = weights[k] << (GUESS - LinearPrediction.SHIFT);
    }
    boolean isAcross = (weights[11] | weights[12] | weights[13] | weights[14] | weights[15]) != 0;
    this.last = rows - 1;
    this.own = own;
    this.before = isAcross ? before : null;
    this.sums = new int[length];
  }

  /** The plane's rows. */
  ShiftedRows own() {
    return own;
  }

  /** The sums of the row made ready, shifted. */
  int[] sums() {
    return sums;
  }

  /** The weight of the byte before, shifted. */
  int leftWeight() {
    return weights[1];
  }

  /** The weight of the byte before that, shifted. */
  int left2Weight() {
    return weights[5];
  }

  /** What stands left of the start of a row, which is not the first. */
  int first(int y) {
    return own.row(y - 1)[ShiftedRows.HERE][0];
  }

  /**
   * Makes the sums of a row, which is not the first.
   *
   * @param y the two rows above are known, and of the plane before those around it
   */
  void prepare(int y) {
    int[] w = weights;
    int[][] above = own.row(y - 1);
    int[][] above2 = own.row(Math.max(0, y - 2));
    begin(
        sums,
        w[0],
        above[ShiftedRows.HERE],
        w[2],
        above[ShiftedRows.LEFT],
        w[3],
        above[ShiftedRows.RIGHT],
        w[4],
        above2[ShiftedRows.HERE],
        w[6]);
    add(
        sums,
        above[ShiftedRows.RIGHT2],
        w[7],
        above[ShiftedRows.LEFT2],
        w[8],
        above2[ShiftedRows.LEFT],
        w[9],
        above2[ShiftedRows.RIGHT],
        w[10]);
    if (before != null) {
      int[][] beside = before.row(y);
      add(
          sums,
          beside[ShiftedRows.HERE],
          w[11],
          beside[ShiftedRows.LEFT],
          w[12],
          before.row(y - 1)[ShiftedRows.HERE],
          w[13],
          beside[ShiftedRows.RIGHT],
          w[14]);
      add(sums, before.row(Math.min(last, y + 1))[ShiftedRows.HERE], w[15]);
    }
  }

  /** Adds the residuals of that row, from an index on: sums and what waits make the bytes. */
  void addResiduals(byte[] bytes, int start) {
    int[] to = sums;
    for (int x = 0; x < to.length; x++) {
      to[x] += bytes[start + x] << GUESS;
    }
  }

  private static void begin(
      int[] to, int w, int[] a, int wa, int[] b, int wb, int[] c, int wc, int[] d, int wd) {
    for (int x = 0; x < to.length; x++) {
      to[x] = w + a[x] * wa + b[x] * wb + c[x] * wc + d[x] * wd;
    }
  }

  private static void add(
      int[] to, int[] a, int wa, int[] b, int wb, int[] c, int wc, int[] d, int wd) {
    for (int x = 0; x < to.length; x++) {
      to[x] += a[x] * wa + b[x] * wb + c[x] * wc + d[x] * wd;
    }
  }

  private static void add(int[] to, int[] a, int wa) {
    for (int x = 0; x < to.length; x++) {
      to[x] += a[x] * wa;
    }
  }
}
