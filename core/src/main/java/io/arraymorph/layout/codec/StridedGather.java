package io.arraymorph.layout.codec;

import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;

/**
 * Writes elements that lie at any strides as a packed array: the work of a transposition.
 *
 * <p>The last dimension of the result is blocked against the one along which the source is packed,
 * so that both sides stay in cache.
 */
final class StridedGather {
  private static final int BLOCK = 32;

  private final byte[] from;
  private final int offset;
  private final int width;
  private final long[] steps;
  private final Shape shape;
  private final long[] targets;

  /**
   * @param steps how many source elements to step over along each dimension of the result
   * @param shape the shape of the result
   */
  StridedGather(FixedWidthElements source, long[] steps, Shape shape) {
    this.from = source.bytes();
    this.offset = source.offset();
    this.width = source.type().byteWidth();
    this.steps = steps;
    this.shape = shape;
    this.targets = strides(shape);
  }

  /** Elements to step over for one step along each dimension of a packed array in C order. */
  static long[] strides(Shape shape) {
    long[] strides = new long[shape.rank()];
    long stride = 1;
    for (int d = strides.length - 1; d >= 0; d--) {
      strides[d] = stride;
      stride *= shape.length(d);
    }
    return strides;
  }

  void run(byte[] to) {
    int last = shape.rank() - 1;
    int packed = last;
    for (int d = last; d >= 0; d--) {
      if (steps[d] == 1) {
        packed = d;
        break;
      }
    }
    long[] at = new long[shape.rank()];
    long source = 0;
    long target = 0;
    while (true) {
      plane(to, packed, last, source, target);
      int d = last - 1;
      while (d >= 0 && (d == packed || at[d] + 1 == shape.length(d))) {
        source -= at[d] * steps[d];
        target -= at[d] * targets[d];
        at[d] = 0;
        d--;
      }
      if (d < 0) {
        return;
      }
      at[d]++;
      source += steps[d];
      target += targets[d];
    }
  }

  /** Copies the plane of two dimensions (one if they are the same). */
  private void plane(byte[] to, int packed, int last, long source, long target) {
    long columns = shape.length(last);
    if (packed == last) {
      row(to, source, target, columns, steps[last]);
      return;
    }
    long rows = shape.length(packed);
    for (long r = 0; r < rows; r += BLOCK) {
      for (long c = 0; c < columns; c += BLOCK) {
        long count = Math.min(BLOCK, columns - c);
        for (long i = r; i < Math.min(rows, r + BLOCK); i++) {
          row(
              to,
              source + i * steps[packed] + c * steps[last],
              target + i * targets[packed] + c,
              count,
              steps[last]);
        }
      }
    }
  }

  private void row(byte[] to, long source, long target, long count, long step) {
    int s = offset + (int) (source * width);
    int t = (int) (target * width);
    int end = t + (int) count * width;
    if (step == 1) {
      System.arraycopy(from, s, to, t, end - t);
      return;
    }
    int stride = (int) (step * width);
    switch (width) {
      case 1:
        for (; t < end; t++, s += stride) {
          to[t] = from[s];
        }
        break;
      case 2:
        for (; t < end; t += 2, s += stride) {
          LittleEndian.SHORT.set(to, t, (short) LittleEndian.SHORT.get(from, s));
        }
        break;
      case 4:
        for (; t < end; t += 4, s += stride) {
          LittleEndian.INT.set(to, t, (int) LittleEndian.INT.get(from, s));
        }
        break;
      case 8:
        for (; t < end; t += 8, s += stride) {
          LittleEndian.LONG.set(to, t, (long) LittleEndian.LONG.get(from, s));
        }
        break;
      default:
        for (; t < end; t += width, s += stride) {
          System.arraycopy(from, s, to, t, width);
        }
    }
  }
}
