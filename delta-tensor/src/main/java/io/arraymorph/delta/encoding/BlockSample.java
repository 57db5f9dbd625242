package io.arraymorph.delta.encoding;

import io.arraymorph.array.Elements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.ElementVectors;
import io.arraymorph.delta.tensor.SparseTensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Whole blocks of a tensor, spread over it, with about as many cells as wanted: what a layout does
 * to them it does to the tensor. Immutable.
 */
final class BlockSample {
  private final long[][] columns;
  private final Elements values;
  private final int cells;
  private final int blocks;
  private final double volume;

  BlockSample(SparseTensor tensor, Shape block, int wanted) {
    int n = tensor.count();
    int rank = block.rank();
    long[] blockOf = blocks(tensor, block);
    Map<Long, Integer> sizes = new HashMap<>();
    int step = Math.max(1, n / 512);
    for (int i = step / 2; i < n; i += step) {
      sizes.merge(blockOf[i], 1, Integer::sum);
    }
    // A block is drawn with a chance in proportion to its cells; take until enough are expected.
    List<Long> drawn = new ArrayList<>(sizes.keySet());
    Collections.sort(drawn);
    Collections.shuffle(drawn, new Random(1));
    long expected = 0;
    int take = 0;
    for (; take < drawn.size() && expected < wanted; take++) {
      expected += (long) sizes.get(drawn.get(take)) * step;
    }
    long[] taken = drawn.subList(0, take).stream().mapToLong(Long::longValue).sorted().toArray();
    int[] picked = new int[n];
    int count = 0;
    for (int i = 0; i < n; i++) {
      if (Arrays.binarySearch(taken, blockOf[i]) >= 0) {
        picked[count++] = i;
      }
    }
    columns = new long[rank][count];
    for (int d = 0; d < rank; d++) {
      for (int i = 0; i < count; i++) {
        columns[d][i] = tensor.column(d)[picked[i]];
      }
    }
    values = ElementVectors.gather(tensor.values(), picked, 0, count);
    cells = count;
    blocks = take;
    volume = take * blockVolume(tensor.schema().shape(), block);
  }

  private static double blockVolume(Shape shape, Shape block) {
    double volume = 1;
    for (int d = 0; d < shape.rank(); d++) {
      volume *= Math.max(1, Math.min(shape.length(d), block.length(d)));
    }
    return volume;
  }

  /** A number for the block of each cell; different blocks may share one only beyond 2^63. */
  static long[] blocks(SparseTensor tensor, Shape block) {
    long[] numbers = new long[tensor.count()];
    for (int d = 0; d < block.rank(); d++) {
      long length = block.length(d);
      long extent = Math.max(1, (tensor.schema().shape().length(d) - 1) / Math.max(1, length) + 1);
      if (length >= tensor.schema().shape().length(d)) {
        continue;
      }
      long[] column = tensor.column(d);
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = numbers[i] * extent + column[i] / length;
      }
    }
    return numbers;
  }

  long[][] columns() {
    return columns;
  }

  Elements values() {
    return values;
  }

  int cells() {
    return cells;
  }

  int blocks() {
    return blocks;
  }

  /** Cells, stored or not, of the sampled blocks. */
  double volume() {
    return Math.max(1, volume);
  }
}
