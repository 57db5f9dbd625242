package io.arraymorph.array;

import java.util.Arrays;
import java.util.NoSuchElementException;
import java.util.PrimitiveIterator;

/**
 * The elements of a hyperslab in a C-order array as contiguous runs: a first run and, from the
 * outermost level in, how often and at which distance it repeats.
 *
 * <p>Takes memory in the rank only. Runs ascend and do not overlap; dimensions that continue each
 * other are joined. Offsets are element numbers. Immutable.
 */
public final class ElementRuns {
  private final long start;
  private final long runLength;
  private final long[] counts;
  private final long[] strides;

  private ElementRuns(long start, long runLength, long[] counts, long[] strides) {
    this.start = start;
    this.runLength = runLength;
    this.counts = counts;
    this.strides = strides;
  }

  /**
   * The runs of a hyperslab within an array of that shape.
   *
   * @throws ArithmeticException if the array has more than 2^63-1 elements
   */
  public static ElementRuns of(Hyperslab within, Shape shape) {
    if (within.isEmpty()) {
      return new ElementRuns(0, 0, new long[0], new long[0]);
    }
    long start = 0;
    long runLength = 1;
    long weight = 1;
    long[] counts = new long[shape.rank()];
    long[] strides = new long[shape.rank()];
    int outermost = shape.rank();
    for (int d = shape.rank() - 1; d >= 0; d--) {
      IndexRange range = within.range(d);
      start = Math.addExact(start, Math.multiplyExact(range.start(), weight));
      if (range.count() > 1) {
        long stride = Math.multiplyExact(range.stride(), weight);
        if (outermost == shape.rank() && stride == runLength) {
          runLength *= range.count();
        } else if (outermost < shape.rank() && stride == strides[outermost] * counts[outermost]) {
          counts[outermost] *= range.count();
        } else {
          outermost--;
          counts[outermost] = range.count();
          strides[outermost] = stride;
        }
      }
      weight = Math.multiplyExact(weight, shape.length(d));
    }
    return new ElementRuns(
        start,
        runLength,
        Arrays.copyOfRange(counts, outermost, shape.rank()),
        Arrays.copyOfRange(strides, outermost, shape.rank()));
  }

  /** The single run {@code [start, end)}; empty if {@code end <= start}. */
  public static ElementRuns single(long start, long end) {
    long length = Math.max(0, end - start);
    return new ElementRuns(length == 0 ? 0 : start, length, new long[0], new long[0]);
  }

  /**
   * These runs in units of which {@code factor} make one element, moved by {@code offset} units.
   */
  public ElementRuns scale(long factor, long offset) {
    long[] scaled = strides.clone();
    for (int level = 0; level < scaled.length; level++) {
      scaled[level] = Math.multiplyExact(scaled[level], factor);
    }
    long moved = Math.addExact(Math.multiplyExact(start, factor), offset);
    return new ElementRuns(moved, Math.multiplyExact(runLength, factor), counts, scaled);
  }

  /** These runs with the gaps of the innermost level filled, so that it becomes one longer run. */
  public ElementRuns fillInnermostGaps() {
    int last = counts.length - 1;
    long longer = (counts[last] - 1) * strides[last] + runLength;
    return new ElementRuns(
        start, longer, Arrays.copyOf(counts, last), Arrays.copyOf(strides, last));
  }

  /** The first element of the first run. */
  public long first() {
    return start;
  }

  /** The number of elements of each run; 0 if there are no elements. */
  public long runLength() {
    return runLength;
  }

  /** The number of levels of repetition, 0 for a single run. */
  public int levels() {
    return counts.length;
  }

  /** How often a level repeats what lies inside it; level 0 is the outermost. */
  public long count(int level) {
    return counts[level];
  }

  /** The distance in elements of repetitions of a level. */
  public long stride(int level) {
    return strides[level];
  }

  /** The number of runs. */
  public long runCount() {
    long runs = runLength == 0 ? 0 : 1;
    for (long count : counts) {
      runs = Math.multiplyExact(runs, count);
    }
    return runs;
  }

  /** The number of elements of all runs. */
  public long elementCount() {
    return Math.multiplyExact(runCount(), runLength);
  }

  /** One past the last element of the last run. */
  public long end() {
    long end = start + runLength;
    for (int level = 0; level < counts.length; level++) {
      end += (counts[level] - 1) * strides[level];
    }
    return end;
  }

  /** The first element of one run; runs are counted from 0. */
  public long start(long run) {
    if (run < 0 || run >= runCount()) {
      throw new IndexOutOfBoundsException("run " + run + " of " + runCount());
    }
    long element = start;
    long rest = run;
    for (int level = counts.length - 1; level >= 0; level--) {
      element += rest % counts[level] * strides[level];
      rest /= counts[level];
    }
    return element;
  }

  /** The first element of each run, ascending. */
  public PrimitiveIterator.OfLong starts() {
    return new Starts();
  }

  @Override
  public boolean equals(Object object) {
    if (!(object instanceof ElementRuns)) {
      return false;
    }
    ElementRuns other = (ElementRuns) object;
    return start == other.start
        && runLength == other.runLength
        && Arrays.equals(counts, other.counts)
        && Arrays.equals(strides, other.strides);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(new long[] {start, runLength, Arrays.hashCode(counts)})
        + Arrays.hashCode(strides);
  }

  /** As {@code 21 elements from 5, 4 times every 100}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(runLength + " elements from " + start);
    for (int level = counts.length - 1; level >= 0; level--) {
      text.append(", ").append(counts[level]).append(" times every ").append(strides[level]);
    }
    return text.toString();
  }

  private final class Starts implements PrimitiveIterator.OfLong {
    private final long[] position = new long[counts.length];
    private long next = start;
    private boolean more = runLength > 0;

    @Override
    public boolean hasNext() {
      return more;
    }

    @Override
    public long nextLong() {
      if (!more) {
        throw new NoSuchElementException();
      }
      long result = next;
      int level = counts.length - 1;
      while (level >= 0 && ++position[level] == counts[level]) {
        next -= (counts[level] - 1) * strides[level];
        position[level--] = 0;
      }
      more = level >= 0;
      if (more) {
        next += strides[level];
      }
      return result;
    }
  }
}
