package io.arraymorph.delta.payload;

/**
 * Weights of terms whose weighted sum is nearest to given values, by normal equations with a slight
 * pull to zero, so that terms that are alike do no harm. Not thread-safe.
 */
final class LeastSquares {
  private static final double PULL = 1e-3;

  private final int n;
  private final double[][] products;
  private final double[] targets;
  private double squares;
  private int samples;

  /** Over {@code n} terms. */
  LeastSquares(int n) {
    this.n = n;
    this.products = new double[n][n];
    this.targets = new double[n];
  }

  /** Takes one sample: the terms, of which the first {@code n} count, and the value. */
  void add(double[] terms, double value) {
    for (int i = 0; i < n; i++) {
      double term = terms[i];
      double[] row = products[i];
      for (int j = 0; j <= i; j++) {
        row[j] += term * terms[j];
      }
      targets[i] += term * value;
    }
    squares += value * value;
    samples++;
  }

  /** The mean squared error of weights for the samples. */
  double error(double[] weights) {
    double error = squares;
    for (int i = 0; i < weights.length; i++) {
      error -= 2 * weights[i] * targets[i];
      for (int j = 0; j < weights.length; j++) {
        error += weights[i] * weights[j] * (j <= i ? products[i][j] : products[j][i]);
      }
    }
    return error / Math.max(1, samples);
  }

  /**
   * Weights of all terms, by Cholesky's decomposition; all zero if there is no solution.
   *
   * @param used the terms that may have other weights than zero, ascending
   */
  double[] solve(int... used) {
    int terms = used.length;
    double[][] lower = new double[terms][terms];
    double[] weights = new double[terms];
    for (int i = 0; i < terms; i++) {
      for (int j = 0; j <= i; j++) {
        double rest = products[used[i]][used[j]] + (i == j ? PULL * (samples + 1) : 0);
        for (int k = 0; k < j; k++) {
          rest -= lower[i][k] * lower[j][k];
        }
        if (i > j) {
          lower[i][j] = rest / lower[j][j];
        } else if (rest > 0) {
          lower[i][i] = Math.sqrt(rest);
        } else {
          return new double[n];
        }
      }
      weights[i] = targets[used[i]];
    }
    for (int i = 0; i < terms; i++) {
      for (int k = 0; k < i; k++) {
        weights[i] -= lower[i][k] * weights[k];
      }
      weights[i] /= lower[i][i];
    }
    for (int i = terms - 1; i >= 0; i--) {
      for (int k = i + 1; k < terms; k++) {
        weights[i] -= lower[k][i] * weights[k];
      }
      weights[i] /= lower[i][i];
    }
    double[] all = new double[n];
    for (int i = 0; i < terms; i++) {
      all[used[i]] = weights[i];
    }
    return all;
  }
}
