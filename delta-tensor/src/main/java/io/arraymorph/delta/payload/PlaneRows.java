package io.arraymorph.delta.payload;

import java.util.Arrays;

/**
 * The rows of one linearly predicted plane, taken from the top: for each row the part of the
 * weighted sums that does not wait for the byte before.
 *
 * <p>Sums are floats, whole numbers below 2^22 in size on top of {@link #BASE}: exact, and their
 * bits are those of the sum as an integer. Each neighbour has a row of its own, shifted so that all
 * terms of a sum have one index, for only such loops become vector instructions. Not thread-safe.
 */
final class PlaneRows {
  /** Floats from here to twice 2^23 count by one. */
  private static final float BASE = 3 << 22;

  /** The greatest sum that floats bear. */
  private static final long EXACT = 1 << 22;

  private static final int LEFT2 = 0;
  private static final int LEFT = 1;
  private static final int HERE = 2;
  private static final int RIGHT = 3;
  private static final int RIGHT2 = 4;
  private static final float[] FLOATS = new float[256];

  static {
    for (int i = 0; i < FLOATS.length; i++) {
      FLOATS[i] = i;
    }
  }

  private final int[] weights;
  private final int rows;
  private final int length;
  private final boolean isExact;
  private final boolean isAcross;
  private final float[] sums;
  private final int[] wideSums;
  private float[][] above;
  private float[][] above2;

  /** Rows of the plane before, shifted: the one above, at hand and below; null if not needed. */
  private float[][][] back;

  /**
   * @param weights of the plane
   * @param isFirst true if no plane is before it
   * @param rows rows of the plane
   * @param length bytes of a row
   */
  PlaneRows(int[] weights, boolean isFirst, int rows, int length) {
    this.weights = weights;
    this.rows = rows;
    this.length = length;
    this.isAcross =
        !isFirst && (weights[11] | weights[12] | weights[13] | weights[14] | weights[15]) != 0;
    this.isExact = isExact(weights);
    this.sums = new float[length];
    this.wideSums = isExact ? null : new int[length];
    this.above = new float[5][length];
    this.above2 = new float[5][length];
    this.back = isAcross ? new float[3][5][length] : null;
  }

  private static boolean isExact(int[] weights) {
    long most = Math.abs((long) weights[0]);
    for (int k = 1; k < weights.length; k++) {
      most += k == 1 || k == 5 ? 0 : 255L * Math.abs(weights[k]);
    }
    return most < EXACT;
  }

  /** True if {@link #sums()} holds the sums. */
  boolean isExact() {
    return isExact;
  }

  /** The sums of the row made ready, on top of a multiple of 2^20. */
  float[] sums() {
    return sums;
  }

  /** One of the sums, on top of a multiple of 2^20. */
  int sum(int x) {
    return isExact ? Float.floatToRawIntBits(sums[x]) : wideSums[x];
  }

  /** The weight of the byte before. */
  int leftWeight() {
    return weights[1];
  }

  /** The weight of the byte before that. */
  int left2Weight() {
    return weights[5];
  }

  /** What stands left of the row's start. */
  static int first(byte[] bytes, int start, int length) {
    return bytes[start - length] & 0xFF;
  }

  /**
   * Makes row {@code y} ready, each from 1 on after the one before.
   *
   * @param bytes of which the rows above and the plane before are known
   * @param plane where the plane begins
   */
  void prepare(byte[] bytes, int plane, int y) {
    float[][] oldest = above2;
    above2 = above;
    above = oldest;
    load(bytes, plane + (y - 1) * length, above);
    if (y == 1) {
      load(bytes, plane, above2);
    }
    if (isAcross) {
      loadBack(bytes, plane - rows * length, y);
    }
    if (isExact) {
      sum();
    } else {
      sumWide();
    }
  }

  private void loadBack(byte[] bytes, int plane, int y) {
    float[][] oldest = back[0];
    back[0] = back[1];
    back[1] = back[2];
    back[2] = oldest;
    load(bytes, plane + Math.min(rows - 1, y + 1) * length, back[2]);
    if (y == 1) {
      load(bytes, plane + length, back[1]);
      load(bytes, plane, back[0]);
    }
  }

  /** A row, and that row shifted by one and two to either side, its ends repeated. */
  private void load(byte[] bytes, int start, float[][] into) {
    float[] here = into[HERE];
    float[] floats = FLOATS;
    for (int x = 0; x < length; x++) {
      here[x] = floats[bytes[start + x] & 0xFF];
    }
    shift(here, 1, into[LEFT], into[RIGHT]);
    shift(here, 2, into[LEFT2], into[RIGHT2]);
  }

  private void shift(float[] here, int by, float[] left, float[] right) {
    int rest = Math.max(0, length - by);
    int ends = length - rest;
    System.arraycopy(here, 0, left, ends, rest);
    Arrays.fill(left, 0, ends, here[0]);
    System.arraycopy(here, ends, right, 0, rest);
    Arrays.fill(right, rest, length, here[length - 1]);
  }

  private void sum() {
    Arrays.fill(sums, BASE + weights[0]);
    add(
        above[LEFT2],
        weights[8],
        above[LEFT],
        weights[3],
        above[HERE],
        weights[2],
        above[RIGHT],
        weights[4]);
    add(
        above[RIGHT2],
        weights[7],
        above2[LEFT],
        weights[9],
        above2[HERE],
        weights[6],
        above2[RIGHT],
        weights[10]);
    if (isAcross) {
      add(
          back[1][HERE],
          weights[11],
          back[1][LEFT],
          weights[12],
          back[0][HERE],
          weights[13],
          back[1][RIGHT],
          weights[14]);
      add(back[2][HERE], weights[15], back[2][HERE], 0, back[2][HERE], 0, back[2][HERE], 0);
    }
  }

  private void add(
      float[] a, float wa, float[] b, float wb, float[] c, float wc, float[] d, float wd) {
    add(sums, a, wa, b, wb, c, wc, d, wd);
  }

  private static void add(
      float[] to,
      float[] a,
      float wa,
      float[] b,
      float wb,
      float[] c,
      float wc,
      float[] d,
      float wd) {
    for (int x = 0; x < to.length; x++) {
      to[x] += a[x] * wa + b[x] * wb + c[x] * wc + d[x] * wd;
    }
  }

  private void sumWide() {
    int[] w = weights;
    for (int x = 0; x < length; x++) {
      int sum = w[0];
      sum += w[2] * (int) above[HERE][x] + w[3] * (int) above[LEFT][x];
      sum += w[4] * (int) above[RIGHT][x] + w[6] * (int) above2[HERE][x];
      sum += w[7] * (int) above[RIGHT2][x] + w[8] * (int) above[LEFT2][x];
      sum += w[9] * (int) above2[LEFT][x] + w[10] * (int) above2[RIGHT][x];
      if (isAcross) {
        sum += w[11] * (int) back[1][HERE][x] + w[12] * (int) back[1][LEFT][x];
        sum += w[13] * (int) back[0][HERE][x] + w[14] * (int) back[1][RIGHT][x];
        sum += w[15] * (int) back[2][HERE][x];
      }
      wideSums[x] = sum;
    }
  }
}
