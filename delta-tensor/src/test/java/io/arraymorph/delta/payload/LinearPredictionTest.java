package io.arraymorph.delta.payload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class LinearPredictionTest {
  private static final int EXACT_WEIGHT = 1_000;
  private static final int GREATEST_WEIGHT = 32_767;

  /** Section 7 of the specification, word for word. */
  private static void decode(byte[] v, int planes, int rows, int length, int[][] sets) {
    for (int p = 0; p < planes; p++) {
      int[] w = sets[Math.min(p, sets.length - 1)];
      for (int y = 0; y < rows; y++) {
        for (int x = 0; x < length; x++) {
          int i = (p * rows + y) * length + x;
          if (y == 0) {
            v[i] += x == 0 ? 0 : v[i - 1];
            continue;
          }
          long s = w[0];
          int[][] own = {
            {0, -1}, {-1, 0}, {-1, -1}, {-1, 1}, {0, -2}, {-2, 0}, {-1, 2}, {-1, -2}, {-2, -1},
            {-2, 1}
          };
          for (int k = 0; k < own.length; k++) {
            s += (long) w[k + 1] * at(v, p, y + own[k][0], x + own[k][1], y, rows, length);
          }
          int[][] before = {{0, 0}, {0, -1}, {-1, 0}, {0, 1}, {1, 0}};
          for (int k = 0; p > 0 && k < before.length; k++) {
            int by = y + before[k][0];
            s += (long) w[k + 11] * at(v, p - 1, by, x + before[k][1], -1, rows, length);
          }
          v[i] += (byte) (s >> 12);
        }
      }
    }
  }

  private static int at(byte[] v, int p, int y, int x, int own, int rows, int length) {
    if (y == own && x < 0) {
      return at(v, p, y - 1, 0, -1, rows, length);
    }
    int row = Math.max(0, Math.min(rows - 1, y));
    return v[(p * rows + row) * length + Math.max(0, Math.min(length - 1, x))] & 0xFF;
  }

  private static int[][] weights(Random random, int sets) {
    int[][] weights = new int[sets][LinearPrediction.WEIGHTS];
    for (int[] set : weights) {
      int most = random.nextInt(3) == 0 ? GREATEST_WEIGHT : EXACT_WEIGHT;
      int used = random.nextBoolean() ? 11 : LinearPrediction.WEIGHTS;
      boolean near = random.nextBoolean();
      for (int k = 0; k < used; k++) {
        set[k] = random.nextInt(2 * most + 1) - most;
      }
      set[5] = near ? 0 : set[5];
    }
    return weights;
  }

  @Test
  void any_residuals_and_weights_are_undone_as_the_specification_says() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      int planes = 1 + random.nextInt(8);
      int rows = 1 + random.nextInt(9);
      int length = 1 + random.nextInt(random.nextBoolean() ? 4 : 60);
      int[][] weights = weights(random, 1 + random.nextInt(planes));
      int at = random.nextInt(5);
      byte[] residuals = new byte[planes * rows * length];
      random.nextBytes(residuals);
      byte[] expected = residuals.clone();
      decode(expected, planes, rows, length, weights);
      byte[] found = new byte[at + residuals.length];
      System.arraycopy(residuals, 0, found, at, residuals.length);
      LinearPrediction prediction = new LinearPrediction(planes, rows, length);
      prediction.decode(found, at, weights);
      assertThat(java.util.Arrays.copyOfRange(found, at, found.length))
          .as("seed %d", seed)
          .isEqualTo(expected);
      byte[] again = new byte[residuals.length];
      prediction.encode(found, at, weights, again);
      assertThat(again).as("seed %d", seed).isEqualTo(residuals);
    }
  }
}
