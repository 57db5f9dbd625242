package io.arraymorph.delta.payload;

/**
 * A lossless predictor of planes of bytes: each byte is replaced by its difference, modulo 256,
 * from a weighted sum of its neighbours, ten before it in its plane and five in the plane before.
 *
 * <p>The writer fits the weights of each plane to the plane by least squares, as JPEG-LS's
 * successors do; the reader needs whole-number arithmetic only, so every machine gets the same
 * bytes. Noise of the neighbours averages out, which the two neighbours of PNG's filters cannot.
 */
final class LinearPrediction {
  /** Weights count in units of 1 / 2^12. */
  static final int SHIFT = 12;

  /** Weights of one plane: bias, ten neighbours in the plane, five in the plane before. */
  static final int WEIGHTS = 16;

  /** Planes from here on share one set of weights. */
  static final int MOST_SETS = 16;

  private static final int FIRST_ACROSS = 11;
  private static final int GREATEST_WEIGHT = 32_767;
  private static final int GREATEST_BIAS = 1 << 24;

  /** Below this, weights cost more than they save. */
  private static final int LEAST_SIDE = 32;

  private static final int SAMPLE_ROWS = 32;

  /** What the plane before must leave of the squared error to be worth the reader's time. */
  private static final double ACROSS_PAYS = 0.96;

  private final int planes;
  private final int rows;
  private final int length;
  private final int[] sums;
  private long[] above;
  private long[] above2;
  private long[] back0;
  private long[] back1;
  private long[] back2;

  /**
   * @param planes number of planes
   * @param rows rows of a plane
   * @param length bytes of a row
   */
  LinearPrediction(int planes, int rows, int length) {
    this.planes = planes;
    this.rows = rows;
    this.length = length;
    this.sums = new int[length];
    this.above = new long[length + 4];
    this.above2 = new long[length + 4];
    this.back0 = new long[length + 4];
    this.back1 = new long[length + 4];
    this.back2 = new long[length + 4];
  }

  /** True if planes are large enough for weights of their own. */
  boolean pays() {
    return rows >= LEAST_SIDE && length >= LEAST_SIDE;
  }

  /** The number of sets of weights. */
  int sets() {
    return Math.min(planes, MOST_SETS);
  }

  /** Weights fitted to bytes from an index on. */
  int[][] fit(byte[] bytes, int at) {
    int[][] weights = new int[sets()][];
    for (int p = 0; p < weights.length; p++) {
      weights[p] = fit(bytes, at, p);
    }
    return weights;
  }

  private int[] fit(byte[] bytes, int at, int plane) {
    LeastSquares squares = new LeastSquares(plane == 0 ? FIRST_ACROSS : WEIGHTS);
    double[] terms = new double[WEIGHTS];
    int samples = Math.min(rows - 1, SAMPLE_ROWS);
    for (int s = 0; s < samples; s++) {
      int y = 1 + (int) ((long) s * (rows - 1) / samples);
      int start = start(at, plane, y);
      load(bytes, at, plane, y, true);
      int left = (int) above[2];
      int left2 = left;
      for (int x = 0; x < length; x++) {
        terms(x, left, left2, terms);
        int value = bytes[start + x] & 0xFF;
        squares.add(terms, value);
        left2 = left;
        left = value;
      }
    }
    double[] solution = squares.solve(FIRST_ACROSS);
    if (plane > 0) {
      double[] across = squares.solve(WEIGHTS);
      if (squares.error(across) < ACROSS_PAYS * squares.error(solution)) {
        solution = across;
      }
    }
    int[] weights = new int[WEIGHTS];
    for (int k = 0; k < solution.length; k++) {
      int limit = k == 0 ? GREATEST_BIAS : GREATEST_WEIGHT;
      double scaled = Math.rint(solution[k] * (1 << SHIFT));
      weights[k] = (int) Math.max(-limit, Math.min(limit, scaled));
    }
    weights[0] = Math.min(GREATEST_BIAS, weights[0] + (1 << (SHIFT - 1))); // Rounds to nearest.
    return weights;
  }

  private void terms(int x, int left, int left2, double[] terms) {
    terms[0] = 1;
    terms[1] = left;
    terms[2] = (int) above[x + 2];
    terms[3] = (int) above[x + 1];
    terms[4] = (int) above[x + 3];
    terms[5] = left2;
    terms[6] = (int) above2[x + 2];
    terms[7] = (int) above[x + 4];
    terms[8] = (int) above[x];
    terms[9] = (int) above2[x + 1];
    terms[10] = (int) above2[x + 3];
    terms[11] = (int) back1[x + 2];
    terms[12] = (int) back1[x + 1];
    terms[13] = (int) back0[x + 2];
    terms[14] = (int) back1[x + 3];
    terms[15] = (int) back2[x + 2];
  }

  /** Writes the residuals of all bytes. */
  void encode(byte[] bytes, int at, int[][] weights, byte[] residuals) {
    for (int p = 0; p < planes; p++) {
      int[] w = weights(weights, p);
      for (int y = 0; y < rows; y++) {
        int start = start(at, p, y);
        int out = start - at;
        int left = 0;
        if (y == 0) {
          for (int x = 0; x < length; x++) {
            int value = bytes[start + x];
            residuals[out + x] = (byte) (value - left);
            left = value;
          }
          continue;
        }
        load(bytes, at, p, y, y == 1);
        sum(w);
        left = (int) above[2];
        int left2 = left;
        for (int x = 0; x < length; x++) {
          int value = bytes[start + x] & 0xFF;
          int guess = (sums[x] + w[1] * left + w[5] * left2) >> SHIFT;
          residuals[out + x] = (byte) (value - guess);
          left2 = left;
          left = value;
        }
      }
    }
  }

  /** Turns residuals into bytes, in place. */
  void decode(byte[] bytes, int at, int[][] weights) {
    ThreePlanes three = planes < 3 ? null : new ThreePlanes(rows, length);
    for (int p = 0; p < planes; p++) {
      int[] w = weights(weights, p);
      if (p + 2 < planes
          && isAlone(weights(weights, p + 1))
          && isAlone(weights(weights, p + 2))
          && (p == 0 || isAlone(w))) {
        int[][] sets = {w, weights(weights, p + 1), weights(weights, p + 2)};
        three.decode(bytes, start(at, p, 0), sets);
        p += 2;
        continue;
      }
      int leftWeight = w[1];
      int left2Weight = w[5];
      for (int y = 0; y < rows; y++) {
        int start = start(at, p, y);
        int left = 0;
        if (y == 0) {
          for (int x = 0; x < length; x++) {
            left += bytes[start + x];
            bytes[start + x] = (byte) left;
          }
          continue;
        }
        load(bytes, at, p, y, y == 1);
        sum(w);
        left = (int) above[2];
        int left2 = left;
        for (int x = 0; x < length; x++) {
          int guess = (sums[x] + left2Weight * left2 + leftWeight * left) >> SHIFT;
          left2 = left;
          left = bytes[start + x] + guess & 0xFF;
          bytes[start + x] = (byte) left;
        }
      }
    }
  }

  private static int[] weights(int[][] weights, int plane) {
    return weights[Math.min(plane, weights.length - 1)];
  }

  /** True if a plane of these weights is not guessed from the one before. */
  private static boolean isAlone(int[] w) {
    return (w[11] | w[12] | w[13] | w[14] | w[15]) == 0;
  }

  private int start(int at, int plane, int y) {
    return at + (plane * rows + y) * length;
  }

  /** Makes the rows around row {@code y} ready; all of them, or those that are new below. */
  private void load(byte[] bytes, int at, int plane, int y, boolean all) {
    long[] oldest = above2;
    above2 = above;
    above = oldest;
    widen(bytes, start(at, plane, y - 1), length, above);
    if (all) {
      widen(bytes, start(at, plane, Math.max(0, y - 2)), length, above2);
    }
    if (plane == 0) {
      return;
    }
    oldest = back0;
    back0 = back1;
    back1 = back2;
    back2 = oldest;
    widen(bytes, start(at, plane - 1, Math.min(rows - 1, y + 1)), length, back2);
    if (all) {
      widen(bytes, start(at, plane - 1, y), length, back1);
      widen(bytes, start(at, plane - 1, y - 1), length, back0);
    }
  }

  /**
   * A row with its first and last byte repeated twice at its ends; each number also has the next
   * byte in its upper half, so that one multiplication does for two.
   */
  static void widen(byte[] bytes, int start, int length, long[] into) {
    long next = bytes[start + length - 1] & 0xFF;
    into[length + 3] = next;
    into[length + 2] = next | next << 32;
    for (int x = length - 1; x >= 0; x--) {
      long value = bytes[start + x] & 0xFF;
      into[x + 2] = value | next << 32;
      next = value;
    }
    into[1] = next | next << 32;
    into[0] = into[1];
  }

  /** The part of the weighted sums of a row that does not wait for the byte before. */
  private void sum(int[] w) {
    sum(w, above, above2, sums);
    if (!isAlone(w)) {
      for (int x = 0; x < length; x++) {
        sums[x] +=
            w[11] * (int) back1[x + 2]
                + w[12] * (int) back1[x + 1]
                + w[13] * (int) back0[x + 2]
                + w[14] * (int) back1[x + 3]
                + w[15] * (int) back2[x + 2];
      }
    }
  }

  /** Two sums at a time, in the halves of a long: the lower one may borrow from the upper one. */
  static void sum(int[] w, long[] a, long[] b, int[] out) {
    long bias = w[0] + ((long) w[0] << 32);
    long w2 = w[2];
    long w3 = w[3];
    long w4 = w[4];
    long w6 = w[6];
    long w7 = w[7];
    long w8 = w[8];
    long w9 = w[9];
    long w10 = w[10];
    int x = 0;
    for (; x + 1 < out.length; x += 2) {
      long both =
          bias
              + w8 * a[x]
              + w3 * a[x + 1]
              + w2 * a[x + 2]
              + w4 * a[x + 3]
              + w7 * a[x + 4]
              + w9 * b[x + 1]
              + w6 * b[x + 2]
              + w10 * b[x + 3];
      int first = (int) both;
      out[x] = first;
      out[x + 1] = (int) ((both - first) >> 32);
    }
    if (x < out.length) {
      out[x] =
          (int)
              (bias
                  + w8 * a[x]
                  + w3 * a[x + 1]
                  + w2 * a[x + 2]
                  + w4 * a[x + 3]
                  + w7 * a[x + 4]
                  + w9 * b[x + 1]
                  + w6 * b[x + 2]
                  + w10 * b[x + 3]);
    }
  }

  /** Appends sets of weights. */
  static void write(int[][] weights, PayloadWriter out) {
    out.writeVarint(weights.length);
    for (int[] set : weights) {
      for (int weight : set) {
        out.writeVarint((long) weight << 1 ^ weight >> 31);
      }
    }
  }

  /** Reads sets of weights; none is beyond what sums of 32 bits bear. */
  int[][] read(PayloadReader in) {
    int[][] weights = new int[in.readCount(MOST_SETS)][WEIGHTS];
    if (weights.length == 0) {
      throw new PayloadException("a predictor without weights");
    }
    for (int[] set : weights) {
      for (int k = 0; k < WEIGHTS; k++) {
        int limit = k == 0 ? GREATEST_BIAS : GREATEST_WEIGHT;
        long zigzag = in.readVarint();
        long weight = zigzag >>> 1 ^ -(zigzag & 1);
        if (weight < -limit || weight > limit) {
          throw new PayloadException("weight " + weight + " of a predictor");
        }
        set[k] = (int) weight;
      }
    }
    return weights;
  }
}
