package io.arraymorph.optimizer.plan;

import io.arraymorph.array.ElementRuns;
import io.arraymorph.store.ByteRange;
import java.util.AbstractList;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;

/**
 * Ranges that repeat regularly, as a list that computes its members: blocks at the starts of some
 * outer levels, each divided into the same parts.
 *
 * <p>Takes memory in the rank only. Immutable.
 */
final class RegularRanges extends AbstractList<ByteRange.Bounded> implements RandomAccess {
  private final ElementRuns runs;
  private final int level;
  private final int parts;
  private final long partStride;
  private final long partLength;
  private final long lastLength;
  private final int size;

  /**
   * @param runs whose first {@code level} levels repeat the blocks
   * @param parts into which each block is divided
   * @param partStride bytes from the start of one part to the next
   * @param partLength bytes of each part but the last
   * @param lastLength bytes of the last part of each block
   */
  RegularRanges(
      ElementRuns runs, int level, int parts, long partStride, long partLength, long lastLength) {
    this.runs = runs;
    this.level = level;
    this.parts = parts;
    this.partStride = partStride;
    this.partLength = partLength;
    this.lastLength = lastLength;
    long blocks = 1;
    for (int l = 0; l < level; l++) {
      blocks = Math.multiplyExact(blocks, runs.count(l));
    }
    this.size = Math.toIntExact(Math.multiplyExact(blocks, (long) parts));
  }

  @Override
  public ByteRange.Bounded get(int index) {
    Objects.checkIndex(index, size);
    long block = index / parts;
    int part = index % parts;
    long start = runs.first() + part * partStride;
    for (int l = level - 1; l >= 0; l--) {
      start += block % runs.count(l) * runs.stride(l);
      block /= runs.count(l);
    }
    return ByteRange.of(start, start + (part == parts - 1 ? lastLength : partLength));
  }

  @Override
  public int size() {
    return size;
  }

  /** The sum of all lengths. */
  private long bytes() {
    return size / parts * ((parts - 1) * partLength + lastLength);
  }

  /** The sum of the lengths of ranges, by arithmetic where they are regular. */
  static long bytesOf(List<ByteRange.Bounded> ranges) {
    return ranges instanceof RegularRanges
        ? ((RegularRanges) ranges).bytes()
        : ranges.stream().mapToLong(ByteRange.Bounded::length).sum();
  }

  /** The length of the longest range, 0 if there is none. */
  static long longestOf(List<ByteRange.Bounded> ranges) {
    if (ranges instanceof RegularRanges) {
      RegularRanges regular = (RegularRanges) ranges;
      return regular.parts == 1
          ? regular.lastLength
          : Math.max(regular.partLength, regular.lastLength);
    }
    return ranges.stream().mapToLong(ByteRange.Bounded::length).max().orElse(0);
  }
}
