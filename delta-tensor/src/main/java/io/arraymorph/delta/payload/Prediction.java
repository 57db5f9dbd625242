package io.arraymorph.delta.payload;

import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.ElementBuffer;
import io.arraymorph.delta.tensor.IntegerElements;

/**
 * A lossless predictor of a dense box: each element is replaced by its difference, modulo the
 * element's width, from a guess made of its neighbours in the last two dimensions (PNG's filters
 * Sub, Up and Average on whole elements), then the bytes are shuffled into planes. Elements of one
 * byte may be guessed by {@link LinearPrediction} instead.
 *
 * <p>Smooth data leaves residuals near zero, which the page's zstd stores in few bits. Elements
 * outside the box count as 0. Works on any element of 1, 2, 4 or 8 bytes by its bits.
 */
public final class Prediction {
  private static final int NONE = 0;
  private static final int LEFT = 1;
  private static final int UP = 2;
  private static final int AVERAGE = 3;
  private static final int KINDS = 4;
  private static final int SAMPLE_ROWS = 64;

  /** What a predictor may leave of the bits without it. */
  private static final double GAIN = 0.97;

  /** With fewer bits an element, runs that zstd finds are worth more than better guesses. */
  private static final double LEAST_BITS = 1.5;

  private Prediction() {}

  /** Appends a dense box, predicted if a sample of its rows says that this pays. */
  public static void write(FixedWidthElements values, PayloadWriter out) {
    int width = values.type().byteWidth();
    if (width > 8 || Integer.bitCount(width) != 1 || values.count() < 64) {
      ValueCodec.write(values, out);
      return;
    }
    double[] bits = bits(values);
    int kind = best(bits);
    if (width == 1 && writeLinear(values, bits[kind], out)) {
      return;
    }
    if (kind == NONE) {
      ValueCodec.write(values, out);
      return;
    }
    int n = values.count();
    int row = rowLength(values.shape());
    int rows = rowsPerPlane(values.shape());
    byte[] residuals = new byte[n * width];
    for (int r = 0; r * (long) row < n; r++) {
      residuals(values, kind, row, r, r % rows > 0, residuals, r * row * width);
    }
    out.writeByte(ValueCodec.PREDICTED);
    out.writeByte(kind);
    ValueCodec.writeShuffled(residuals, 0, n, width, out);
  }

  /** Appends a box of bytes by linear prediction, or nothing if that does not pay. */
  private static boolean writeLinear(FixedWidthElements values, double bits, PayloadWriter out) {
    LinearPrediction prediction = linear(values.shape());
    if (!prediction.pays() || bits < LEAST_BITS) {
      return false;
    }
    int n = values.count();
    int[][] weights = prediction.fit(values.bytes(), values.offset());
    byte[] residuals = new byte[n];
    prediction.encode(values.bytes(), values.offset(), weights, residuals);
    int[] histogram = new int[256];
    for (byte residual : residuals) {
      histogram[residual & 0xFF]++;
    }
    if (entropy(histogram) / n > GAIN * bits) {
      return false;
    }
    out.writeByte(ValueCodec.LINEAR);
    LinearPrediction.write(weights, out);
    out.writeBytes(residuals, 0, n);
    return true;
  }

  private static LinearPrediction linear(Shape shape) {
    int rows = rowsPerPlane(shape);
    int row = rowLength(shape);
    return new LinearPrediction((int) (shape.elementCount() / rows / row), rows, row);
  }

  private static int rowLength(Shape shape) {
    return shape.rank() == 0 ? 1 : (int) shape.length(shape.rank() - 1);
  }

  private static int rowsPerPlane(Shape shape) {
    return shape.rank() < 2 ? 1 : (int) shape.length(shape.rank() - 2);
  }

  /** Residuals of one row; the row above exists if {@code above}. */
  private static void residuals(
      FixedWidthElements values, int kind, int row, int r, boolean above, byte[] out, int at) {
    int width = values.type().byteWidth();
    byte[] bytes = values.bytes();
    int start = values.offset() + r * row * width;
    if (width == 1) {
      byteResiduals(bytes, start, kind, row, above, out, at);
      return;
    }
    for (int x = 0; x < row; x++) {
      int p = start + x * width;
      long left = x > 0 ? IntegerElements.read(bytes, p - width, width, false) : 0;
      long up = above ? IntegerElements.read(bytes, p - row * width, width, false) : 0;
      long value = IntegerElements.read(bytes, p, width, false);
      IntegerElements.write(out, at + x * width, width, value - guess(kind, left, up));
    }
  }

  private static void byteResiduals(
      byte[] in, int start, int kind, int row, boolean above, byte[] out, int at) {
    for (int x = 0; x < row; x++) {
      int p = start + x;
      int left = x > 0 ? in[p - 1] & 0xFF : 0;
      int up = above ? in[p - row] & 0xFF : 0;
      out[at + x] = (byte) (in[p] - (int) guess(kind, left, up));
    }
  }

  private static long guess(int kind, long left, long up) {
    switch (kind) {
      case LEFT:
        return left;
      case UP:
        return up;
      case AVERAGE:
        return (left & up) + ((left ^ up) >>> 1);
      default:
        return 0;
    }
  }

  /** Bits an element of each kind, by the entropy of single bytes over sampled rows. */
  private static double[] bits(FixedWidthElements values) {
    int width = values.type().byteWidth();
    int row = rowLength(values.shape());
    int planes = rowsPerPlane(values.shape());
    int rows = row == 0 ? 0 : values.count() / row;
    byte[] residuals = new byte[row * width];
    double[] bits = new double[KINDS];
    for (int kind = 0; kind < KINDS; kind++) {
      int[][] histogram = new int[width][256];
      int samples = Math.min(rows, SAMPLE_ROWS);
      for (int s = 0; s < samples; s++) {
        int r = (int) ((long) s * rows / samples);
        residuals(values, kind, row, r, r % planes > 0, residuals, 0);
        for (int i = 0; i < residuals.length; i++) {
          histogram[i % width][residuals[i] & 0xFF]++;
        }
      }
      for (int[] plane : histogram) {
        bits[kind] += entropy(plane) / Math.max(1, (double) samples * row);
      }
    }
    return bits;
  }

  /** The kind of fewest bits; prediction must gain. */
  private static int best(double[] bits) {
    int best = NONE;
    for (int kind = 1; kind < KINDS; kind++) {
      best = bits[kind] < (best == NONE ? GAIN * bits[NONE] : bits[best]) ? kind : best;
    }
    return best;
  }

  /** Bits that a perfect code of single bytes takes for all that were counted. */
  private static double entropy(int[] histogram) {
    double total = 0;
    for (int count : histogram) {
      total += count;
    }
    double bits = 0;
    for (int count : histogram) {
      bits -= count == 0 ? 0 : count * Math.log(count / total) / Math.log(2);
    }
    return bits;
  }

  /**
   * Reads a dense box of {@code shape} and appends its elements in C order.
   *
   * @throws PayloadException if the bytes do not hold it
   */
  public static void read(PayloadReader in, Shape shape, ElementBuffer out) {
    int n = Math.toIntExact(shape.elementCount());
    int width = out.type().byteWidth();
    if (in.remaining() > 0 && in.peekByte() == ValueCodec.LINEAR) {
      readLinear(in, shape, out);
      return;
    }
    if (in.remaining() == 0 || in.peekByte() != ValueCodec.PREDICTED) {
      ValueCodec.read(in, n, out);
      return;
    }
    in.readByte();
    int kind = in.readByte();
    if (kind == NONE || kind >= KINDS || (long) n * width > in.remaining()) {
      throw new PayloadException("predictor " + kind + " of " + n + " values");
    }
    int at = out.extend(n);
    byte[] bytes = out.bytes();
    ValueCodec.readShuffled(in, n, width, bytes, at);
    int row = rowLength(shape);
    int rows = rowsPerPlane(shape);
    for (int r = 0; r * (long) row < n; r++) {
      restore(bytes, at + r * row * width, kind, row, width, r % rows > 0);
    }
  }

  /**
   * Reads a dense box of {@code shape} in C order. The payload may be changed, and be the array
   * that holds the result.
   *
   * @throws PayloadException if the bytes do not hold it
   */
  public static Elements readInPlace(PayloadReader in, Shape shape, DataType type) {
    long raw = 1 + shape.elementCount() * type.byteWidth();
    if (in.remaining() == raw && in.peekByte() == ValueCodec.RAW) {
      return new FixedWidthElements(type, shape, in.array(), in.skip((int) raw) + 1);
    }
    if (in.remaining() == 0 || in.peekByte() != ValueCodec.LINEAR) {
      ElementBuffer out = new ElementBuffer(type);
      read(in, shape, out);
      return out.toElements(shape);
    }
    LinearPrediction prediction = linear(shape);
    int[][] weights = weights(in, prediction, shape, type);
    int from = in.skip((int) shape.elementCount());
    prediction.decode(in.array(), from, weights);
    return new FixedWidthElements(type, shape, in.array(), from);
  }

  private static void readLinear(PayloadReader in, Shape shape, ElementBuffer out) {
    LinearPrediction prediction = linear(shape);
    int[][] weights = weights(in, prediction, shape, out.type());
    int n = (int) shape.elementCount();
    int at = out.extend(n);
    System.arraycopy(in.array(), in.skip(n), out.bytes(), at, n);
    prediction.decode(out.bytes(), at, weights);
  }

  /** The weights of a linearly predicted box, behind which its residuals are. */
  private static int[][] weights(
      PayloadReader in, LinearPrediction prediction, Shape shape, DataType type) {
    in.readByte();
    if (type.byteWidth() != 1 || shape.elementCount() == 0) {
      throw new PayloadException("linear prediction of " + shape + " " + type.zarrName());
    }
    int[][] weights = prediction.read(in);
    if (shape.elementCount() > in.remaining()) {
      throw new PayloadException(shape.elementCount() + " values in " + in.remaining() + " bytes");
    }
    return weights;
  }

  private static void restore(
      byte[] bytes, int start, int kind, int row, int width, boolean above) {
    if (width == 1) {
      int left = 0;
      for (int x = 0; x < row; x++) {
        int up = above ? bytes[start + x - row] & 0xFF : 0;
        left = bytes[start + x] + (int) guess(kind, left, up) & 0xFF;
        bytes[start + x] = (byte) left;
      }
      return;
    }
    for (int x = 0; x < row; x++) {
      int p = start + x * width;
      long left = x > 0 ? IntegerElements.read(bytes, p - width, width, false) : 0;
      long up = above ? IntegerElements.read(bytes, p - row * width, width, false) : 0;
      long value = IntegerElements.read(bytes, p, width, false);
      IntegerElements.write(bytes, p, width, value + guess(kind, left, up));
    }
  }
}
