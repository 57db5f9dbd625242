package io.arraymorph.array;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/** Random shapes, grids and selections, small enough to be checked element by element. */
public final class RandomArrays {
  private RandomArrays() {}

  /** A shape of rank 0 to {@code maxRank}; now and then a length is 0 or 1. */
  public static Shape shape(Random random, int maxRank, int maxLength) {
    long[] lengths = new long[random.nextInt(maxRank + 1)];
    for (int d = 0; d < lengths.length; d++) {
      int kind = random.nextInt(20);
      lengths[d] = kind == 0 ? 0 : kind == 1 ? 1 : 1 + random.nextInt(maxLength);
    }
    return Shape.of(lengths);
  }

  /** A regular or rectilinear grid over that shape. */
  public static ChunkGrid grid(Random random, Shape shape) {
    long[] chunk = new long[shape.rank()];
    List<long[]> lengths = new ArrayList<>();
    for (int d = 0; d < chunk.length; d++) {
      int length = (int) shape.length(d);
      chunk[d] = 1L + random.nextInt(length + 2);
      List<Long> parts = new ArrayList<>();
      for (long sum = 0; sum < length; sum += parts.get(parts.size() - 1)) {
        parts.add(1L + random.nextInt(length + 1));
      }
      lengths.add(parts.stream().mapToLong(Long::longValue).toArray());
    }
    return random.nextInt(3) == 0
        ? new RectilinearChunkGrid(shape, lengths)
        : new RegularChunkGrid(shape, Shape.of(chunk));
  }

  /** A range within {@code [0, length)}, often with a stride, sometimes empty or everything. */
  public static IndexRange range(Random random, long length) {
    int kind = random.nextInt(10);
    if (length == 0 || kind == 0) {
      return IndexRange.EMPTY;
    }
    if (kind < 3) {
      return IndexRange.of(0, length);
    }
    long start = random.nextInt((int) length);
    long stop = start + 1 + random.nextInt((int) (length - start));
    return new IndexRange(start, stop, kind < 7 ? 1 : 1 + random.nextInt((int) length + 1));
  }

  /** A hyperslab within that shape. */
  public static Hyperslab hyperslab(Random random, Shape shape) {
    List<IndexRange> ranges = new ArrayList<>();
    for (int d = 0; d < shape.rank(); d++) {
      IndexRange range = range(random, shape.length(d));
      ranges.add(range.isEmpty() && random.nextInt(4) > 0 ? range(random, shape.length(d)) : range);
    }
    return Hyperslab.of(ranges);
  }

  /** A product of unions of ranges within that shape. */
  public static OrthogonalSelection orthogonal(Random random, Shape shape) {
    List<IndexSet> indices = new ArrayList<>();
    for (int d = 0; d < shape.rank(); d++) {
      List<IndexRange> ranges = new ArrayList<>();
      for (int i = random.nextInt(4); i >= 0; i--) {
        ranges.add(range(random, shape.length(d)));
      }
      indices.add(IndexSet.of(ranges));
    }
    return OrthogonalSelection.of(indices);
  }

  /** The indices of a set, one by one. */
  public static Set<Long> indices(IndexSet set) {
    Set<Long> indices = new TreeSet<>();
    set.ranges().forEach(range -> addTo(indices, range));
    return indices;
  }

  /** Adds the indices of a range, one by one. */
  public static void addTo(Set<Long> indices, IndexRange range) {
    for (long i = range.start(); i < range.stop(); i += range.stride()) {
      indices.add(i);
    }
  }

  /** The elements of a hyperslab in C order: lists of indices. */
  public static List<List<Long>> elements(Hyperslab hyperslab) {
    List<List<Long>> elements = new ArrayList<>();
    elements.add(List.of());
    for (IndexRange range : hyperslab.ranges()) {
      List<List<Long>> longer = new ArrayList<>();
      for (List<Long> prefix : elements) {
        for (long i = range.start(); i < range.stop(); i += range.stride()) {
          List<Long> element = new ArrayList<>(prefix);
          element.add(i);
          longer.add(element);
        }
      }
      elements = longer;
    }
    return elements;
  }

  /** The number of an element in a C-order array. */
  public static long position(List<Long> element, Shape shape) {
    long position = 0;
    for (int d = 0; d < shape.rank(); d++) {
      position = position * shape.length(d) + element.get(d);
    }
    return position;
  }
}
