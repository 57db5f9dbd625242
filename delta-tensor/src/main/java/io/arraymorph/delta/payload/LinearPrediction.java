package io.arraymorph.delta.payload;

import java.util.stream.IntStream;

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

  private static final int LEFT2 = 5;
  private static final int FIRST_ACROSS = 11;
  private static final int GREATEST_WEIGHT = 32_767;
  private static final int GREATEST_BIAS = 1 << 24;

  /** Below this, weights cost more than they save. */
  private static final int LEAST_SIDE = 32;

  private static final int SAMPLE_ROWS = 32;

  /** What the plane before must leave of the squared error to be worth the reader's time. */
  private static final double ACROSS_PAYS = 0.96;

  /** The same for the last but one byte, which each byte would have to wait for. */
  private static final double LEFT2_PAYS = 0.97;

  private final int planes;
  private final int rows;
  private final int length;

  /**
   * @param planes number of planes
   * @param rows rows of a plane
   * @param length bytes of a row
   */
  LinearPrediction(int planes, int rows, int length) {
    this.planes = planes;
    this.rows = rows;
    this.length = length;
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
      for (int x = 0; x < length; x++) {
        terms(bytes, start, x, y, plane == 0 ? FIRST_ACROSS : WEIGHTS, terms);
        squares.add(terms, bytes[start + x] & 0xFF);
      }
    }
    double[] solution = squares.solve(terms(FIRST_ACROSS, true));
    int used = FIRST_ACROSS;
    if (plane > 0) {
      double[] across = squares.solve(terms(WEIGHTS, true));
      if (squares.error(across) < ACROSS_PAYS * squares.error(solution)) {
        solution = across;
        used = WEIGHTS;
      }
    }
    double[] near = squares.solve(terms(used, false));
    if (squares.error(solution) >= LEFT2_PAYS * squares.error(near)) {
      solution = near;
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

  /** The first so many terms, with or without the last but one byte. */
  private static int[] terms(int count, boolean left2) {
    return IntStream.range(0, count).filter(k -> left2 || k != LEFT2).toArray();
  }

  /** What the weights of a byte's sum are multiplied with; {@code start} is where its row is. */
  private void terms(byte[] bytes, int start, int x, int y, int n, double[] terms) {
    int above = start - length;
    int above2 = y == 1 ? above : above - length;
    terms[0] = 1;
    terms[1] = x > 0 ? bytes[start + x - 1] & 0xFF : at(bytes, above, 0);
    terms[2] = at(bytes, above, x);
    terms[3] = at(bytes, above, x - 1);
    terms[4] = at(bytes, above, x + 1);
    terms[5] = x > 1 ? bytes[start + x - 2] & 0xFF : at(bytes, above, 0);
    terms[6] = at(bytes, above2, x);
    terms[7] = at(bytes, above, x + 2);
    terms[8] = at(bytes, above, x - 2);
    terms[9] = at(bytes, above2, x - 1);
    terms[10] = at(bytes, above2, x + 1);
    if (n > FIRST_ACROSS) {
      int back = start - rows * length;
      terms[11] = at(bytes, back, x);
      terms[12] = at(bytes, back, x - 1);
      terms[13] = at(bytes, back - length, x);
      terms[14] = at(bytes, back, x + 1);
      terms[15] = at(bytes, y + 1 < rows ? back + length : back, x);
    }
  }

  private int at(byte[] bytes, int row, int x) {
    return bytes[row + Math.max(0, Math.min(length - 1, x))] & 0xFF;
  }

  /** Writes the residuals of all bytes. */
  void encode(byte[] bytes, int at, int[][] weights, byte[] residuals) {
    ShiftedRows own = new ShiftedRows(length);
    ShiftedRows before = new ShiftedRows(length);
    for (int p = 0; p < planes; p++) {
      PlaneRows plane = plane(weights, p, own, p == 0 ? null : before);
      int first = start(at, p, 0);
      int left = 0;
      for (int x = 0; x < length; x++) {
        residuals[first - at + x] = (byte) (bytes[first + x] - left);
        left = bytes[first + x];
      }
      if (p > 0) {
        before.load(bytes, start(at, p - 1, 0), 0);
        before.load(bytes, start(at, p - 1, Math.min(1, rows - 1)), Math.min(1, rows - 1));
      }
      for (int y = 1; y < rows; y++) {
        own.load(bytes, first + (y - 1) * length, y - 1);
        if (p > 0 && y + 1 < rows) {
          before.load(bytes, start(at, p - 1, y + 1), y + 1);
        }
        plane.prepare(y);
        encode(bytes, first + y * length, y, plane, residuals, first - at + y * length);
      }
    }
  }

  private void encode(byte[] bytes, int start, int y, PlaneRows plane, byte[] residuals, int out) {
    int[] sums = plane.sums();
    int left = plane.first(y);
    int left2 = left;
    for (int x = 0; x < length; x++) {
      int sum = sums[x] + plane.leftWeight() * left + plane.left2Weight() * left2;
      left2 = left;
      left = bytes[start + x] & 0xFF;
      residuals[out + x] = (byte) (left - (sum >>> PlaneRows.GUESS));
    }
  }

  /** Turns residuals into bytes, in place. */
  void decode(byte[] bytes, int at, int[][] weights) {
    ThreePlanes side = new ThreePlanes(rows, length);
    for (int p = 0; p < planes; p += ThreePlanes.MOST) {
      PlaneRows[] group = new PlaneRows[Math.min(ThreePlanes.MOST, planes - p)];
      ShiftedRows known = p == 0 ? null : new ShiftedRows(length);
      ShiftedRows before = known;
      for (int k = 0; k < group.length; k++) {
        group[k] = plane(weights, p + k, new ShiftedRows(length), before);
        before = group[k].own();
      }
      side.decode(bytes, start(at, p, 0), group, known);
    }
  }

  private PlaneRows plane(int[][] weights, int plane, ShiftedRows own, ShiftedRows before) {
    return new PlaneRows(weights[Math.min(plane, weights.length - 1)], rows, length, own, before);
  }

  private int start(int at, int plane, int y) {
    return at + (plane * rows + y) * length;
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
