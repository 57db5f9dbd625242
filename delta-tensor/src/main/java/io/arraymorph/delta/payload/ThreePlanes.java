package io.arraymorph.delta.payload;

import java.util.Arrays;

/**
 * Undoes linear prediction of up to three planes side by side: each byte waits for the one before
 * it in its row, so that three rows at a time keep a processor busy where one would leave it idle.
 *
 * <p>Each plane is two rows behind the one before it, which it may be guessed from. Not
 * thread-safe.
 */
final class ThreePlanes {
  static final int MOST = 3;

  /** A plane may look one row further down in the plane before. */
  private static final int BEHIND = 2;

  private final int rows;
  private final int length;

  ThreePlanes(int rows, int length) {
    this.rows = rows;
    this.length = length;
  }

  /** Turns residuals into bytes, in place, of planes that follow each other. */
  void decode(byte[] bytes, int at, PlaneRows[] planes) {
    for (int p = 0; p < planes.length; p++) {
      firstRow(bytes, start(at, p, 0));
    }
    boolean far = Arrays.stream(planes).anyMatch(p -> p.left2Weight() != 0);
    int[] ready = new int[MOST];
    int steps = rows - 1 + BEHIND * (planes.length - 1);
    for (int step = 1; step <= steps; step++) {
      int exact = 0;
      for (int p = 0; p < planes.length; p++) {
        int y = step - BEHIND * p;
        ready[p] = y >= 1 && y < rows ? start(at, p, y) : -1;
        if (ready[p] >= 0) {
          planes[p].prepare(bytes, start(at, p, 0), y);
          exact += planes[p].isExact() ? 1 : 0;
        }
      }
      if (exact == MOST) {
        if (far) {
          three(bytes, ready, planes);
        } else {
          threeNear(bytes, ready, planes);
        }
        continue;
      }
      for (int p = 0; p < planes.length; p++) {
        if (ready[p] >= 0) {
          one(bytes, ready[p], planes[p]);
        }
      }
    }
  }

  private int start(int at, int plane, int y) {
    return at + (plane * rows + y) * length;
  }

  private void firstRow(byte[] bytes, int start) {
    int left = 0;
    for (int x = 0; x < length; x++) {
      left += bytes[start + x];
      bytes[start + x] = (byte) left;
    }
  }

  /** One row; the sums may be beyond what floats bear. */
  private void one(byte[] bytes, int start, PlaneRows plane) {
    int leftWeight = plane.leftWeight();
    int left2Weight = plane.left2Weight();
    int left = PlaneRows.first(bytes, start, length);
    int left2 = left;
    for (int x = 0; x < length; x++) {
      int guess =
          (plane.sum(x) + left2Weight * left2 + leftWeight * left) >> LinearPrediction.SHIFT;
      left2 = left;
      left = bytes[start + x] + guess & 0xFF;
      bytes[start + x] = (byte) left;
    }
  }

  private void three(byte[] bytes, int[] starts, PlaneRows[] planes) {
    int a = starts[0];
    int b = starts[1];
    int c = starts[2];
    float[] sumsA = planes[0].sums();
    float[] sumsB = planes[1].sums();
    float[] sumsC = planes[2].sums();
    int a1 = planes[0].leftWeight();
    int a2 = planes[0].left2Weight();
    int b1 = planes[1].leftWeight();
    int b2 = planes[1].left2Weight();
    int c1 = planes[2].leftWeight();
    int c2 = planes[2].left2Weight();
    int leftA = PlaneRows.first(bytes, a, length);
    int leftB = PlaneRows.first(bytes, b, length);
    int leftC = PlaneRows.first(bytes, c, length);
    int farA = a2 * leftA;
    int farB = b2 * leftB;
    int farC = c2 * leftC;
    for (int x = 0; x < length; x++) {
      int sumA = Float.floatToRawIntBits(sumsA[x]) + farA + a1 * leftA;
      farA = a2 * leftA;
      leftA = bytes[a + x] + (sumA >> LinearPrediction.SHIFT) & 0xFF;
      bytes[a + x] = (byte) leftA;
      int sumB = Float.floatToRawIntBits(sumsB[x]) + farB + b1 * leftB;
      farB = b2 * leftB;
      leftB = bytes[b + x] + (sumB >> LinearPrediction.SHIFT) & 0xFF;
      bytes[b + x] = (byte) leftB;
      int sumC = Float.floatToRawIntBits(sumsC[x]) + farC + c1 * leftC;
      farC = c2 * leftC;
      leftC = bytes[c + x] + (sumC >> LinearPrediction.SHIFT) & 0xFF;
      bytes[c + x] = (byte) leftC;
    }
  }

  /** As {@link #three} where the last but one bytes have no weight. */
  private void threeNear(byte[] bytes, int[] starts, PlaneRows[] planes) {
    int a = starts[0];
    int b = starts[1];
    int c = starts[2];
    float[] sumsA = planes[0].sums();
    float[] sumsB = planes[1].sums();
    float[] sumsC = planes[2].sums();
    int a1 = planes[0].leftWeight();
    int b1 = planes[1].leftWeight();
    int c1 = planes[2].leftWeight();
    int leftA = PlaneRows.first(bytes, a, length);
    int leftB = PlaneRows.first(bytes, b, length);
    int leftC = PlaneRows.first(bytes, c, length);
    for (int x = 0; x < length; x++) {
      int sumA = Float.floatToRawIntBits(sumsA[x]) + a1 * leftA;
      leftA = bytes[a + x] + (sumA >> LinearPrediction.SHIFT) & 0xFF;
      bytes[a + x] = (byte) leftA;
      int sumB = Float.floatToRawIntBits(sumsB[x]) + b1 * leftB;
      leftB = bytes[b + x] + (sumB >> LinearPrediction.SHIFT) & 0xFF;
      bytes[b + x] = (byte) leftB;
      int sumC = Float.floatToRawIntBits(sumsC[x]) + c1 * leftC;
      leftC = bytes[c + x] + (sumC >> LinearPrediction.SHIFT) & 0xFF;
      bytes[c + x] = (byte) leftC;
    }
  }
}
