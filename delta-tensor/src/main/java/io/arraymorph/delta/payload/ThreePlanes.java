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

  /**
   * Turns residuals into bytes, in place, of planes that follow each other.
   *
   * @param before rows of the plane before the first of these, whose bytes are known, or null
   */
  void decode(byte[] bytes, int at, PlaneRows[] planes, ShiftedRows before) {
    for (int p = 0; p < planes.length; p++) {
      firstRow(bytes, start(at, p, 0));
      planes[p].own().load(bytes, start(at, p, 0), 0);
    }
    if (before != null) {
      before.load(bytes, start(at, -1, 0), 0);
      before.load(bytes, start(at, -1, Math.min(1, rows - 1)), Math.min(1, rows - 1));
    }
    boolean far = Arrays.stream(planes).anyMatch(p -> p.left2Weight() != 0);
    int steps = rows - 1 + BEHIND * (planes.length - 1);
    for (int step = 1; step <= steps; step++) {
      if (before != null && step < rows - 1) {
        before.load(bytes, start(at, -1, step + 1), step + 1);
      }
      int ready = 0;
      for (int p = 0; p < planes.length; p++) {
        int y = step - BEHIND * p;
        if (y >= 1 && y < rows) {
          planes[p].prepare(y);
          planes[p].addResiduals(bytes, start(at, p, y));
          ready++;
        }
      }
      if (ready == MOST && far) {
        three(step, planes);
      } else if (ready == MOST) {
        threeNear(step, planes);
      }
      for (int p = 0; p < planes.length; p++) {
        int y = step - BEHIND * p;
        if (y >= 1 && y < rows) {
          if (ready < MOST) {
            one(y, planes[p]);
          }
          planes[p].own().store(y, bytes, start(at, p, y));
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

  private void one(int y, PlaneRows plane) {
    int[] sums = plane.sums();
    int[] here = plane.own().row(y)[ShiftedRows.HERE];
    int w1 = plane.leftWeight();
    int w2 = plane.left2Weight();
    int left = plane.first(y);
    int far = w2 * left;
    for (int x = 0; x < here.length; x++) {
      int sum = sums[x] + far + w1 * left;
      far = w2 * left;
      left = sum >>> PlaneRows.GUESS;
      here[x] = left;
    }
  }

  private static void three(int step, PlaneRows[] planes) {
    int[] sumsA = planes[0].sums();
    int[] sumsB = planes[1].sums();
    int[] sumsC = planes[2].sums();
    int[] hereA = here(step, planes, 0);
    int[] hereB = here(step, planes, 1);
    int[] hereC = here(step, planes, 2);
    int a1 = planes[0].leftWeight();
    int b1 = planes[1].leftWeight();
    int c1 = planes[2].leftWeight();
    int a2 = planes[0].left2Weight();
    int b2 = planes[1].left2Weight();
    int c2 = planes[2].left2Weight();
    int leftA = planes[0].first(step);
    int leftB = planes[1].first(step - BEHIND);
    int leftC = planes[2].first(step - 2 * BEHIND);
    int farA = a2 * leftA;
    int farB = b2 * leftB;
    int farC = c2 * leftC;
    for (int x = 0; x < hereA.length; x++) {
      int sumA = sumsA[x] + farA + a1 * leftA;
      int sumB = sumsB[x] + farB + b1 * leftB;
      int sumC = sumsC[x] + farC + c1 * leftC;
      farA = a2 * leftA;
      farB = b2 * leftB;
      farC = c2 * leftC;
      leftA = sumA >>> PlaneRows.GUESS;
      leftB = sumB >>> PlaneRows.GUESS;
      leftC = sumC >>> PlaneRows.GUESS;
      hereA[x] = leftA;
      hereB[x] = leftB;
      hereC[x] = leftC;
    }
  }

  /** As {@link #three} where the last but one bytes have no weight. */
  private static void threeNear(int step, PlaneRows[] planes) {
    int[] sumsA = planes[0].sums();
    int[] sumsB = planes[1].sums();
    int[] sumsC = planes[2].sums();
    int[] hereA = here(step, planes, 0);
    int[] hereB = here(step, planes, 1);
    int[] hereC = here(step, planes, 2);
    int a1 = planes[0].leftWeight();
    int b1 = planes[1].leftWeight();
    int c1 = planes[2].leftWeight();
    int leftA = planes[0].first(step);
    int leftB = planes[1].first(step - BEHIND);
    int leftC = planes[2].first(step - 2 * BEHIND);
    for (int x = 0; x < hereA.length; x++) {
      leftA = (sumsA[x] + a1 * leftA) >>> PlaneRows.GUESS;
      leftB = (sumsB[x] + b1 * leftB) >>> PlaneRows.GUESS;
      leftC = (sumsC[x] + c1 * leftC) >>> PlaneRows.GUESS;
      hereA[x] = leftA;
      hereB[x] = leftB;
      hereC[x] = leftC;
    }
  }

  private static int[] here(int step, PlaneRows[] planes, int p) {
    return planes[p].own().row(step - BEHIND * p)[ShiftedRows.HERE];
  }
}
