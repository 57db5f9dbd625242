package io.arraymorph.optimizer.plan;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ElementRuns;
import io.arraymorph.store.ByteRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PrimitiveIterator;

/**
 * Needed runs of one object as disjoint ascending ranges, with gaps bridged by a {@link GapRule}.
 *
 * <p>Regular levels are bridged by arithmetic, so a chunk whose gaps are small costs time in its
 * rank, not in its rows.
 */
final class RangeMerge {
  private static final int MAX_RANGES = 1 << 20;

  private RangeMerge() {}

  static List<ByteRange.Bounded> merge(List<ByteRuns> needed, GapRule rule) {
    List<Span> spans = new ArrayList<>();
    for (ByteRuns part : needed) {
      addSpans(part.runs(), rule, spans);
    }
    spans.sort(Comparator.comparingLong(Span::start));
    List<ByteRange.Bounded> merged = new ArrayList<>();
    Span current = null;
    for (Span span : spans) {
      if (current != null && rule.bridges(span.start - current.end, current.needed)) {
        current =
            new Span(current.start, Math.max(current.end, span.end), current.needed + span.needed);
      } else {
        if (current != null) {
          merged.add(ByteRange.of(current.start, current.end));
        }
        current = span;
      }
    }
    if (current != null) {
      merged.add(ByteRange.of(current.start, current.end));
    }
    return merged;
  }

  /** The number of ranges before neighbours are joined, by arithmetic. */
  static long spans(List<ByteRuns> needed, GapRule rule) {
    return needed.stream().mapToLong(part -> fillGaps(part.runs(), rule).runCount()).sum();
  }

  private static ElementRuns fillGaps(ElementRuns exact, GapRule rule) {
    ElementRuns runs = exact;
    long needed = exact.runLength();
    while (runs.levels() > 0) {
      int innermost = runs.levels() - 1;
      if (!rule.bridges(runs.stride(innermost) - runs.runLength(), needed)) {
        break;
      }
      needed *= runs.count(innermost);
      runs = runs.fillInnermostGaps();
    }
    return runs;
  }

  private static void addSpans(ElementRuns exact, GapRule rule, List<Span> out) {
    ElementRuns runs = fillGaps(exact, rule);
    long needed = exact.elementCount() / runs.runCount();
    if (runs.runCount() > MAX_RANGES - out.size()) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          "one object would be read by more than " + MAX_RANGES + " ranges",
          "Use planner=auto, which reads small gaps along");
    }
    for (PrimitiveIterator.OfLong starts = runs.starts(); starts.hasNext(); ) {
      long start = starts.nextLong();
      long end = start + runs.runLength();
      int last = out.size() - 1;
      if (last >= 0 && out.get(last).end == start) {
        Span before = out.get(last);
        out.set(last, new Span(before.start, end, before.needed + needed));
      } else {
        out.add(new Span(start, end, needed));
      }
    }
  }

  private record Span(long start, long end, long needed) {}
}
