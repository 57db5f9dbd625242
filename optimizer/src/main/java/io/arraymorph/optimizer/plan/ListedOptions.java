package io.arraymorph.optimizer.plan;

import io.arraymorph.array.ElementRuns;
import io.arraymorph.store.ByteRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.SortedSet;

/**
 * The ways to read runs that follow no common rule, such as those of several boxes; by a list of at
 * most some thousand spans. Where there would be more, the smallest gaps of a rule are read along
 * in every way. Not thread-safe.
 */
final class ListedOptions implements RangeOptions {
  private static final int MAX_SPANS = 4096;

  private final long[] starts;
  private final long[] ends;
  private final GapCuts undivided;
  private int[] groups;
  private long groupedBy;

  private ListedOptions(long[] starts, long[] ends) {
    this.starts = starts;
    this.ends = ends;
    this.undivided = GapCuts.of(starts, ends);
  }

  static ListedOptions of(List<ByteRuns> parts) {
    List<ElementRuns> runs = new ArrayList<>();
    parts.forEach(part -> runs.add(part.runs()));
    coarsen(runs);
    List<long[]> spans = new ArrayList<>();
    for (ElementRuns part : runs) {
      for (PrimitiveIterator.OfLong it = part.starts(); it.hasNext(); ) {
        long start = it.nextLong();
        spans.add(new long[] {start, start + part.runLength()});
      }
    }
    spans.sort((a, b) -> Long.compare(a[0], b[0]));
    long[] starts = new long[spans.size()];
    long[] ends = new long[starts.length];
    int count = 0;
    for (long[] span : spans) {
      if (count > 0 && span[0] <= ends[count - 1]) {
        ends[count - 1] = Math.max(ends[count - 1], span[1]);
      } else {
        starts[count] = span[0];
        ends[count++] = span[1];
      }
    }
    return new ListedOptions(Arrays.copyOf(starts, count), Arrays.copyOf(ends, count));
  }

  /** Fills the smallest innermost gaps until there are few enough runs. */
  private static void coarsen(List<ElementRuns> runs) {
    long count = runs.stream().mapToLong(ElementRuns::runCount).sum();
    while (count > Math.max(MAX_SPANS, runs.size())) {
      int smallest = -1;
      long smallestGap = Long.MAX_VALUE;
      for (int i = 0; i < runs.size(); i++) {
        ElementRuns part = runs.get(i);
        if (part.levels() > 0) {
          long gap = part.stride(part.levels() - 1) - part.runLength();
          if (gap < smallestGap) {
            smallestGap = gap;
            smallest = i;
          }
        }
      }
      ElementRuns before = runs.get(smallest);
      ElementRuns after = before.fillInnermostGaps();
      runs.set(smallest, after);
      count -= before.runCount() - after.runCount();
    }
  }

  @Override
  public long span() {
    return ends[ends.length - 1] - starts[0];
  }

  @Override
  public SortedSet<Long> gaps() {
    return undivided.sizes();
  }

  private interface Visitor {
    /** Ranges of so many bytes each, one after the other; the last may be shorter. */
    void ranges(long start, long end, long each);
  }

  private void visit(long gap, long longest, Visitor visitor) {
    int[] firsts = groups(gap);
    for (int group = 0; group < firsts.length; group++) {
      int next = group + 1 < firsts.length ? firsts[group + 1] : starts.length;
      divide(firsts[group], next - 1, longest, visitor);
    }
  }

  /** The first span of each group without a gap above the bound; a search asks for few bounds. */
  private int[] groups(long gap) {
    if (gap != groupedBy || groups == null) {
      int[] firsts = new int[starts.length];
      int count = 0;
      for (int i = 0; i < starts.length; i++) {
        if (i == 0 || starts[i] - ends[i - 1] > gap) {
          firsts[count++] = i;
        }
      }
      groups = Arrays.copyOf(firsts, count);
      groupedBy = gap;
    }
    return groups;
  }

  /** Divides the spans first..last into about equal ranges. */
  private void divide(int first, int last, long longest, Visitor visitor) {
    long length = ends[last] - starts[first];
    if (length <= longest) {
      visitor.ranges(starts[first], ends[last], length);
      return;
    }
    long pieces = (length - 1) / longest + 1;
    long most = (length + pieces - 1) / pieces;
    for (int from = first; from <= last; ) {
      int to = Arrays.binarySearch(ends, from, last + 1, starts[from] + most);
      to = Math.max(from, to >= 0 ? to : -to - 2);
      long whole = ends[to] - starts[from];
      long parts = whole <= longest ? 1 : (whole - 1) / longest + 1;
      visitor.ranges(starts[from], ends[to], (whole + parts - 1) / parts);
      from = to + 1;
    }
  }

  /** Takes time by the spans, into however many ranges they are divided. */
  @Override
  public Cut cut(long gap, long longest) {
    Cut whole = undivided.cut(gap);
    if (whole.longest() <= longest) {
      return whole;
    }
    long[] sums = new long[3];
    visit(
        gap,
        longest,
        (start, end, each) -> {
          sums[0] += (end - start - 1) / each + 1;
          sums[1] += end - start;
          sums[2] = Math.max(sums[2], Math.min(end - start, each));
        });
    return new Cut(sums[0], sums[1], sums[2]);
  }

  @Override
  public List<ByteRange.Bounded> ranges(long gap, long longest) {
    List<ByteRange.Bounded> ranges = new ArrayList<>();
    visit(
        gap,
        longest,
        (start, end, each) -> {
          for (long at = start; at < end; at += each) {
            ranges.add(ByteRange.of(at, Math.min(end, at + each)));
          }
        });
    return ranges;
  }
}
