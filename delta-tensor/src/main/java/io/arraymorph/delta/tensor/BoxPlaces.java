package io.arraymorph.delta.tensor;

/**
 * From the numbers of a box's cells to their places in the result of a slice. Up to three axes
 * along which the box is longer than one, as most have, are taken in one pass; others one after the
 * other.
 */
final class BoxPlaces {
  private static final int AT_ONCE = 3;

  private final ResultPlaces places;
  private final Box box;

  /** The axes along which the box is longer than one, fastest first. */
  private final int[] varying;

  BoxPlaces(ResultPlaces places, Box box, int[] axes) {
    this.places = places;
    this.box = box;
    int[] found = new int[axes.length];
    int n = 0;
    for (int k = axes.length - 1; k >= 0; k--) {
      if (box.extent(axes[k]) > 1) {
        found[n++] = axes[k];
      }
    }
    this.varying = java.util.Arrays.copyOf(found, n);
  }

  /** What one axis adds to a place. */
  private final class Axis {
    final long extent;
    final long offset;
    final long last;
    final long kept;
    final int shift;

    Axis(int d, int indexBits) {
      extent = box.extent(d);
      offset = box.low(d) - places.start(d);
      long end = places.count(d) - 1;
      last = offset >= 0 && offset + extent - 1 <= end ? Long.MAX_VALUE : end;
      kept = places.isKept(d) ? -1 : 0;
      shift = places.shift(d) + indexBits;
    }

    /** No axis: the quotient by its extent is 0, and so is the rest. */
    Axis(long extent) {
      this.extent = extent;
      offset = 0;
      last = Long.MAX_VALUE;
      kept = 0;
      shift = 0;
    }
  }

  /** See {@link ResultPlaces#pack}. */
  void pack(long[] numbers, int count, int indexBits) {
    long fixed = fixed(indexBits);
    long greatest = count == 0 ? 0 : numbers[count - 1];
    if (varying.length > AT_ONCE || !atOnce(numbers, count, greatest, fixed, indexBits)) {
      axisByAxis(numbers, count, greatest, fixed, indexBits);
    }
  }

  /** What axes of one index add; negative if that index is outside. */
  private long fixed(int indexBits) {
    long fixed = 0;
    for (int d = 0; d < box.rank(); d++) {
      if (box.extent(d) == 1) {
        long index = box.low(d) - places.start(d);
        if (index < 0 || index >= places.count(d)) {
          return Long.MIN_VALUE;
        }
        fixed |= places.isKept(d) ? index << (places.shift(d) + indexBits) : 0;
      }
    }
    return fixed;
  }

  private boolean atOnce(long[] numbers, int count, long greatest, long fixed, int indexBits) {
    Axis c = axis(0, greatest + 2, indexBits);
    Axis b = axis(1, greatest + 2, indexBits);
    Axis a = axis(2, greatest + 2, indexBits);
    Reciprocal byC = new Reciprocal(c.extent, greatest);
    Reciprocal byB = new Reciprocal(b.extent, greatest / c.extent);
    if (!byC.isExact() || !byB.isExact()) {
      return false;
    }
    long factorC = byC.factor();
    long factorB = byB.factor();
    long extentC = c.extent;
    long extentB = b.extent;
    long offsetA = a.offset;
    long offsetB = b.offset;
    long offsetC = c.offset;
    long lastA = a.last;
    long lastB = b.last;
    long lastC = c.last;
    for (int i = 0; i < count; i++) {
      long number = numbers[i];
      long above = Math.multiplyHigh(number << 1, factorC);
      long indexC = number - above * extentC + offsetC;
      long top = Math.multiplyHigh(above << 1, factorB);
      long indexB = above - top * extentB + offsetB;
      long indexA = top + offsetA;
      long outside =
          indexA | (lastA - indexA) | indexB | (lastB - indexB) | indexC | (lastC - indexC);
      numbers[i] =
          ((indexA & a.kept) << a.shift)
              | ((indexB & b.kept) << b.shift)
              | ((indexC & c.kept) << c.shift)
              | (outside & Long.MIN_VALUE)
              | fixed
              | i;
    }
    return true;
  }

  private Axis axis(int k, long beyond, int indexBits) {
    return k < varying.length ? new Axis(varying[k], indexBits) : new Axis(Math.max(2, beyond));
  }

  private void axisByAxis(long[] numbers, int count, long greatest, long fixed, int indexBits) {
    long[] packed = PieceScratch.get().second(count);
    for (int i = 0; i < count; i++) {
      packed[i] = fixed | i;
    }
    long most = greatest;
    for (int k = 0; k < varying.length; k++) {
      Axis axis = new Axis(varying[k], indexBits);
      if (k == varying.length - 1) {
        last(numbers, count, axis, packed);
      } else {
        add(numbers, count, axis, most, packed);
        most /= axis.extent;
      }
    }
    System.arraycopy(packed, 0, numbers, 0, count);
  }

  private static void last(long[] numbers, int count, Axis axis, long[] packed) {
    for (int i = 0; i < count; i++) {
      packed[i] |= place(numbers[i] + axis.offset, axis);
    }
  }

  private static long place(long index, Axis axis) {
    return ((index & axis.kept) << axis.shift) | ((index | (axis.last - index)) & Long.MIN_VALUE);
  }

  /** Adds one axis and takes it off the numbers. */
  private static void add(long[] numbers, int count, Axis axis, long greatest, long[] packed) {
    long extent = axis.extent;
    Reciprocal by = new Reciprocal(extent, greatest);
    if (by.isExact()) {
      long factor = by.factor();
      for (int i = 0; i < count; i++) {
        long above = Math.multiplyHigh(numbers[i] << 1, factor);
        packed[i] |= place(numbers[i] - above * extent + axis.offset, axis);
        numbers[i] = above;
      }
      return;
    }
    for (int i = 0; i < count; i++) {
      long above = numbers[i] / extent;
      packed[i] |= place(numbers[i] - above * extent + axis.offset, axis);
      numbers[i] = above;
    }
  }
}
