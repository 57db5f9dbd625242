package io.arraymorph.delta.payload;

import java.util.Arrays;

/**
 * The last few rows of a plane of bytes as integers, each as it is and shifted by one and two to
 * either side, its ends repeated.
 *
 * <p>A weighted sum of neighbours then has one index for all its terms: only such loops become
 * vector instructions. Not thread-safe.
 */
final class ShiftedRows {
  static final int LEFT2 = 0;
  static final int LEFT = 1;
  static final int HERE = 2;
  static final int RIGHT = 3;
  static final int RIGHT2 = 4;

  /** Rows that are kept; a power of two. */
  private static final int KEPT = 4;

  private final int length;
  private final int[][][] rows;

  /** Rows of so many bytes. */
  ShiftedRows(int length) {
    this.length = length;
    this.rows = new int[KEPT][5][length];
  }

  /** A row and its shifts; one of the last four that were made. */
  int[][] row(int y) {
    return rows[y & KEPT - 1];
  }

  /** Makes a row of bytes from an index on. */
  void load(byte[] bytes, int start, int y) {
    int[] here = row(y)[HERE];
    for (int x = 0; x < here.length; x++) {
      here[x] = bytes[start + x] & 0xFF;
    }
    shift(y);
  }

  /** Makes the shifts of a row whose middle was written, and the bytes from an index on. */
  void store(int y, byte[] bytes, int start) {
    int[] here = row(y)[HERE];
    for (int x = 0; x < here.length; x++) {
      bytes[start + x] = (byte) here[x];
    }
    shift(y);
  }

  private void shift(int y) {
    int[][] row = row(y);
    shift(row[HERE], 1, row[LEFT], row[RIGHT]);
    shift(row[HERE], 2, row[LEFT2], row[RIGHT2]);
  }

  private void shift(int[] here, int by, int[] left, int[] right) {
    int rest = Math.max(0, length - by);
    int ends = length - rest;
    System.arraycopy(here, 0, left, ends, rest);
    Arrays.fill(left, 0, ends, here[0]);
    System.arraycopy(here, ends, right, 0, rest);
    Arrays.fill(right, rest, length, here[length - 1]);
  }
}
