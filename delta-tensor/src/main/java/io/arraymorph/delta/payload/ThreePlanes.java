package io.arraymorph.delta.payload;

/**
 * Undoes linear prediction of three planes side by side, none of which is guessed from another:
 * each byte waits for the one before it in its row, so that three rows at a time keep a processor
 * busy where one would leave it idle. Not thread-safe.
 */
final class ThreePlanes {
  private static final int COUNT = 3;

  private final int rows;
  private final int length;
  private final int[][] sums;
  private final long[][] above;
  private final long[][] above2;

  ThreePlanes(int rows, int length) {
    this.rows = rows;
    this.length = length;
    this.sums = new int[COUNT][length];
    this.above = new long[COUNT][length + 4];
    this.above2 = new long[COUNT][length + 4];
  }

  /** Turns residuals into bytes, in place, of three planes that follow each other. */
  void decode(byte[] bytes, int at, int[][] weights) {
    int plane = rows * length;
    for (int p = 0; p < COUNT; p++) {
      int left = 0;
      for (int x = 0; x < length; x++) {
        left += bytes[at + p * plane + x];
        bytes[at + p * plane + x] = (byte) left;
      }
    }
    for (int y = 1; y < rows; y++) {
      int start = at + y * length;
      for (int p = 0; p < COUNT; p++) {
        long[] oldest = above2[p];
        above2[p] = above[p];
        above[p] = oldest;
        LinearPrediction.widen(bytes, start + p * plane - length, length, above[p]);
        if (y == 1) {
          System.arraycopy(above[p], 0, above2[p], 0, length + 4);
        }
        LinearPrediction.sum(weights[p], above[p], above2[p], sums[p]);
      }
      row(bytes, start, start + plane, start + 2 * plane, weights);
    }
  }

  private void row(byte[] bytes, int a, int b, int c, int[][] weights) {
    int[] sumsA = sums[0];
    int[] sumsB = sums[1];
    int[] sumsC = sums[2];
    int a1 = weights[0][1];
    int a2 = weights[0][5];
    int b1 = weights[1][1];
    int b2 = weights[1][5];
    int c1 = weights[2][1];
    int c2 = weights[2][5];
    int leftA = (int) above[0][2];
    int leftB = (int) above[1][2];
    int leftC = (int) above[2][2];
    int left2A = leftA;
    int left2B = leftB;
    int left2C = leftC;
    for (int x = 0; x < sumsA.length; x++) {
      int guessA = (sumsA[x] + a2 * left2A + a1 * leftA) >> LinearPrediction.SHIFT;
      int guessB = (sumsB[x] + b2 * left2B + b1 * leftB) >> LinearPrediction.SHIFT;
      int guessC = (sumsC[x] + c2 * left2C + c1 * leftC) >> LinearPrediction.SHIFT;
      left2A = leftA;
      left2B = leftB;
      left2C = leftC;
      leftA = bytes[a + x] + guessA & 0xFF;
      leftB = bytes[b + x] + guessB & 0xFF;
      leftC = bytes[c + x] + guessC & 0xFF;
      bytes[a + x] = (byte) leftA;
      bytes[b + x] = (byte) leftB;
      bytes[c + x] = (byte) leftC;
    }
  }
}
