package io.arraymorph.optimizer.plan;

import io.arraymorph.store.ByteRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.stream.IntStream;

/**
 * The ways to read a few runs by any number of ranges: gaps are cut in an {@link Order}, the first
 * ones; then the longest ranges are divided, each evenly. Immutable.
 */
final class CutSequence {
  /** Of more runs the smallest gaps are never cut. */
  private static final int MOST_RUNS = 64;

  /** Which gaps are cut before others. */
  enum Order {
    /** The largest, of equal ones the first: no other way by as many ranges moves fewer bytes. */
    LARGEST_GAPS,
    /** The largest in the longest range: nothing takes long, for some more bytes. */
    LONGEST_RANGES
  }

  private final long[] starts;
  private final long[] ends;

  /** The runs before each gap, those to cut first. */
  private final int[] order;

  private final RangeOptions.Cut[] undivided;

  /** The ways to read these runs, ascending and disjoint. */
  static CutSequence of(long[] starts, long[] ends, Order first) {
    int gaps = starts.length - 1;
    if (gaps < MOST_RUNS) {
      return new CutSequence(starts, ends, first);
    }
    long[] sizes = new long[gaps];
    Arrays.setAll(sizes, gap -> starts[gap + 1] - ends[gap]);
    Arrays.sort(sizes);
    long least = sizes[gaps - MOST_RUNS + 1];
    long larger = Arrays.stream(sizes).filter(size -> size > least).count();
    long[] froms = new long[MOST_RUNS];
    long[] tos = new long[MOST_RUNS];
    froms[0] = starts[0];
    int count = 0;
    for (int gap = 0; gap < gaps; gap++) {
      long size = starts[gap + 1] - ends[gap];
      if (size > least || (size == least && larger++ < MOST_RUNS - 1)) {
        tos[count++] = ends[gap];
        froms[count] = starts[gap + 1];
      }
    }
    tos[count] = ends[gaps];
    return new CutSequence(froms, tos, first);
  }

  private CutSequence(long[] starts, long[] ends, Order first) {
    this.starts = starts;
    this.ends = ends;
    this.order = first == Order.LARGEST_GAPS ? largestGaps() : longestRanges();
    this.undivided = new RangeOptions.Cut[starts.length];
    boolean[] cut = new boolean[starts.length];
    long bytes = ends[ends.length - 1] - starts[0];
    for (int cuts = 0; cuts < starts.length; cuts++) {
      if (cuts > 0) {
        bytes -= gap(cuts - 1);
        cut[order[cuts - 1]] = true;
      }
      undivided[cuts] = new RangeOptions.Cut(cuts + 1, bytes, longest(cut));
    }
  }

  private int[] largestGaps() {
    return IntStream.range(0, starts.length - 1)
        .boxed()
        .sorted(Comparator.comparingLong(i -> ends[i] - starts[i + 1]))
        .mapToInt(i -> i)
        .toArray();
  }

  private int[] longestRanges() {
    PriorityQueue<int[]> longest =
        new PriorityQueue<>(Comparator.comparingLong(range -> starts[range[0]] - ends[range[1]]));
    int[] cuts = new int[starts.length - 1];
    longest.add(new int[] {0, starts.length - 1});
    for (int count = 0; count < cuts.length; ) {
      int[] range = longest.remove();
      if (range[0] < range[1]) {
        int at = range[0];
        for (int i = range[0]; i < range[1]; i++) {
          at = starts[i + 1] - ends[i] > starts[at + 1] - ends[at] ? i : at;
        }
        cuts[count++] = at;
        longest.add(new int[] {range[0], at});
        longest.add(new int[] {at + 1, range[1]});
      }
    }
    return cuts;
  }

  private long longest(boolean[] cut) {
    long longest = 0;
    long start = starts[0];
    for (int i = 0; i < starts.length; i++) {
      longest = Math.max(longest, ends[i] - start);
      if (cut[i]) {
        start = starts[i + 1];
      }
    }
    return longest;
  }

  /** How many gaps there are. */
  int gaps() {
    return order.length;
  }

  /** The size of the gap that is cut after so many others. */
  long gap(int number) {
    return starts[order[number] + 1] - ends[order[number]];
  }

  /** The way by so many cuts and no division yet. */
  Division divided(int cuts) {
    return new Division(lengths(cuts));
  }

  /** The lengths of the ranges when so many gaps are cut, ascending by place. */
  private long[] lengths(int cuts) {
    int[] at = IntStream.of(order).limit(cuts).sorted().toArray();
    long[] lengths = new long[cuts + 1];
    long start = starts[0];
    for (int i = 0; i < cuts; i++) {
      lengths[i] = ends[at[i]] - start;
      start = starts[at[i] + 1];
    }
    lengths[cuts] = ends[ends.length - 1] - start;
    return lengths;
  }

  /**
   * What a way amounts to.
   *
   * @param pieces how many ranges, at least {@code cuts + 1}; no range is divided below a byte
   */
  RangeOptions.Cut cut(int cuts, int pieces) {
    RangeOptions.Cut all = undivided[cuts];
    if (pieces <= cuts + 1) {
      return all;
    }
    Division divided = divided(cuts);
    while (divided.pieces() < pieces && divided.divide()) {
      // On, until there are enough.
    }
    return new RangeOptions.Cut(divided.pieces(), all.bytes(), divided.longest());
  }

  /** The ranges of a way, ascending; arguments as of {@link #cut}. */
  List<ByteRange.Bounded> ranges(int cuts, int pieces) {
    Division divided = divided(cuts);
    while (divided.pieces() < pieces && divided.divide()) {
      // On, until there are enough.
    }
    long[] lengths = divided.lengths;
    long[] parts = divided.parts;
    int[] at = IntStream.of(order).limit(cuts).sorted().toArray();
    List<ByteRange.Bounded> ranges = new ArrayList<>();
    for (int i = 0; i <= cuts; i++) {
      long start = i == 0 ? starts[0] : starts[at[i - 1] + 1];
      long each = lengths[i] / parts[i];
      long longer = lengths[i] % parts[i];
      for (long part = 0; part < parts[i]; part++) {
        long end = start + each + (part < longer ? 1 : 0);
        ranges.add(ByteRange.of(start, end));
        start = end;
      }
    }
    return ranges;
  }

  /** Ranges divided such that the longest part is as short as can be. Not thread-safe. */
  static final class Division {
    private final long[] lengths;
    private final long[] parts;
    private final PriorityQueue<Integer> longestFirst;
    private int pieces;

    private Division(long[] lengths) {
      this.lengths = lengths;
      this.parts = new long[lengths.length];
      this.longestFirst =
          new PriorityQueue<>(
              Comparator.comparingLong((Integer range) -> -part(range)).thenComparing(r -> r));
      for (int i = 0; i < lengths.length; i++) {
        parts[i] = 1;
        longestFirst.add(i);
      }
      pieces = lengths.length;
    }

    private long part(int range) {
      return (lengths[range] + parts[range] - 1) / parts[range];
    }

    int pieces() {
      return pieces;
    }

    /** Bytes of the longest part. */
    long longest() {
      return part(longestFirst.element());
    }

    /** Divides the range with the longest part once more; false if it is of one byte. */
    boolean divide() {
      if (longest() <= 1) {
        return false;
      }
      int range = longestFirst.remove();
      parts[range]++;
      pieces++;
      longestFirst.add(range);
      return true;
    }
  }
}
