package io.arraymorph.delta.payload;

import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.ElementBuffer;
import io.arraymorph.delta.tensor.IntegerElements;

/**
 * A lossless predictor of a dense box: each element is replaced by its difference, modulo the
 * element's width, from a guess made of its neighbours in the last two dimensions (PNG's filters
 * Sub, Up and Average on whole elements), then the bytes are shuffled into planes.
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

  private Prediction() {}

  /** Appends a dense box, predicted if a sample of its rows says that this pays. */
  public static void write(FixedWidthElements values, PayloadWriter out) {
    int width = values.type().byteWidth();
    if (width > 8 || Integer.bitCount(width) != 1 || values.count() < 64) {
      ValueCodec.write(values, out);
      return;
    }
    int kind = best(values);
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

  /** The kind of least entropy of single bytes over sampled rows; prediction must gain 3 %. */
  private static int best(FixedWidthElements values) {
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
        bits[kind] += entropy(plane);
      }
    }
    int best = NONE;
    for (int kind = 1; kind < KINDS; kind++) {
      best = bits[kind] < (best == NONE ? 0.97 * bits[NONE] : bits[best]) ? kind : best;
    }
    return best;
  }

  private static double entropy(int[] histogram) {
    double total = 0;
    for (int count : histogram) {
      total += count;
    }
    double bits = 0;
    for (int count : histogram) {
      bits -= count == 0 ? 0 : count * Math.log(count / total);
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
