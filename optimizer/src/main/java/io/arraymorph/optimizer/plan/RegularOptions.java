package io.arraymorph.optimizer.plan;

import io.arraymorph.array.ElementRuns;
import io.arraymorph.store.ByteRange;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The ways to read regular runs whose gaps grow from the innermost level to the outermost, as those
 * of one hyperslab in a chunk nearly always do; by arithmetic on levels.
 */
record RegularOptions(ElementRuns runs) implements RangeOptions {
  private static final int MAX_RANGES = 1 << 20;

  /** True if no gap is larger than one of a level further out. */
  static boolean fits(ElementRuns runs) {
    long inner = runs.runLength();
    long largest = -1;
    for (int level = runs.levels() - 1; level >= 0; level--) {
      long gap = runs.stride(level) - inner;
      if (gap < largest || gap < 0) {
        return false;
      }
      largest = gap;
      inner = (runs.count(level) - 1) * runs.stride(level) + inner;
    }
    return true;
  }

  /** Bytes of what one repetition of a level holds, from its first to its last needed byte. */
  private long extent(int level) {
    long extent = runs.runLength();
    for (int l = runs.levels() - 1; l > level; l--) {
      extent += (runs.count(l) - 1) * runs.stride(l);
    }
    return extent;
  }

  private long gap(int level) {
    return runs.stride(level) - extent(level);
  }

  @Override
  public long span() {
    return runs.end() - runs.first();
  }

  @Override
  public SortedSet<Long> gaps() {
    SortedSet<Long> gaps = new TreeSet<>();
    for (int level = 0; level < runs.levels(); level++) {
      if (gap(level) > 0) {
        gaps.add(gap(level));
      }
    }
    return gaps;
  }

  /** Blocks at some levels, each divided into parts. */
  private record Way(
      int level, long blocks, long parts, long stride, long partLength, long lastLength) {}

  private Way way(long gap, long longest) {
    int level = 0;
    long blocks = 1;
    while (level < runs.levels() && gap(level) > gap && blocks * runs.count(level) <= MAX_RANGES) {
      blocks *= runs.count(level++);
    }
    // What one repetition of a level cannot hold is divided further in.
    while (level < runs.levels()
        && extent(level) > longest
        && blocks * runs.count(level) <= MAX_RANGES) {
      blocks *= runs.count(level++);
    }
    if (level == runs.levels()) {
      long parts = Math.min(pieces(runs.runLength(), longest), MAX_RANGES / blocks + 1);
      long length = (runs.runLength() + parts - 1) / parts;
      parts = (runs.runLength() + length - 1) / length;
      return new Way(level, blocks, parts, length, length, runs.runLength() - (parts - 1) * length);
    }
    long one = extent(level);
    long count = runs.count(level);
    long most = longest <= one ? 1 : Math.min(count, (longest - one) / runs.stride(level) + 1);
    if (blocks > MAX_RANGES / pieces(count, most)) {
      most = count;
    }
    long parts = pieces(count, most);
    long each = (count + parts - 1) / parts;
    parts = (count + each - 1) / each;
    long last = count - (parts - 1) * each;
    long stride = runs.stride(level);
    return new Way(
        level, blocks, parts, each * stride, (each - 1) * stride + one, (last - 1) * stride + one);
  }

  private static long pieces(long whole, long most) {
    return most >= whole ? 1 : (whole - 1) / most + 1;
  }

  @Override
  public Cut cut(long gap, long longest) {
    Way way = way(gap, longest);
    return new Cut(
        Math.multiplyExact(way.blocks, way.parts),
        way.blocks * ((way.parts - 1) * way.partLength + way.lastLength),
        way.parts == 1 ? way.lastLength : way.partLength);
  }

  @Override
  public List<ByteRange.Bounded> ranges(long gap, long longest) {
    Way way = way(gap, longest);
    return new RegularRanges(
        runs, way.level, Math.toIntExact(way.parts), way.stride, way.partLength, way.lastLength);
  }
}
