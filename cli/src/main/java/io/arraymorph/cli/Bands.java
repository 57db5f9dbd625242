package io.arraymorph.cli;

import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * Cuts an array into contiguous runs of about a size, in C order: single indices along the leading
 * dimensions, a few along one, everything along the rest.
 */
final class Bands implements Iterator<Hyperslab> {
  private final Shape shape;
  private final int axis;
  private final long step;
  private final long[] position;
  private boolean more;

  /**
   * @param elements about how many elements a band may have
   * @param chunk along the cut axis bands end at a multiple of its length, if they can
   */
  Bands(Shape shape, Shape chunk, long elements) {
    this.shape = shape;
    this.more = !shape.isEmpty();
    long inner = 1;
    int cut = shape.rank();
    while (cut > 0 && inner <= elements / Math.max(1, shape.length(cut - 1))) {
      inner *= shape.length(--cut);
    }
    // Everything fits: one band. Else the dimension before those that fit is cut.
    this.axis = cut - 1;
    long most = axis < 0 ? 1 : Math.max(1, elements / Math.max(1, inner));
    long length = axis < 0 ? 1 : chunk.length(axis);
    this.step = most > length ? most - most % length : most;
    this.position = new long[shape.rank()];
  }

  @Override
  public boolean hasNext() {
    return more;
  }

  @Override
  public Hyperslab next() {
    if (!more) {
      throw new NoSuchElementException();
    }
    IndexRange[] ranges = new IndexRange[position.length];
    for (int d = 0; d < ranges.length; d++) {
      long end = d < axis ? position[d] + 1 : d == axis ? position[d] + step : shape.length(d);
      ranges[d] = IndexRange.of(position[d], Math.min(shape.length(d), end));
    }
    int d = axis;
    while (d >= 0) {
      position[d] += d == axis ? step : 1;
      if (position[d] < shape.length(d)) {
        break;
      }
      position[d--] = 0;
    }
    more = d >= 0;
    return Hyperslab.of(ranges);
  }
}
