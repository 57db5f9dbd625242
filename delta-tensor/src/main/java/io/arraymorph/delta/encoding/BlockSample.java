package io.arraymorph.delta.encoding;

import io.arraymorph.array.Elements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.PieceScratch;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.delta.tensor.StoredCells;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Whole blocks of a tensor, spread over it, with about as many cells as wanted: what a layout does
 * to them it does to the tensor. Immutable.
 */
final class BlockSample {
  private static final int CHUNK = 1 << 14;

  private final long[][] columns;
  private final Elements values;
  private final int cells;
  private final int blocks;
  private final double volume;

  BlockSample(SparseTensor tensor, Shape block, int wanted) {
    int n = tensor.count();
    int rank = block.rank();
    StoredCells all = tensor.cells();
    BlockNumbers numbers = new BlockNumbers(tensor.schema().shape(), block);
    Map<Long, Integer> sizes = new HashMap<>();
    int step = Math.max(1, n / 512);
    long[] one = new long[1];
    for (int i = step / 2; i < n; i += step) {
      numbers.of(all, i, i + 1, one);
      sizes.merge(one[0], 1, Integer::sum);
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
    int[] picked =
        numbers.areAscending()
            ? Arrays.stream(taken)
                .mapToObj(Long::valueOf)
                .flatMapToInt(t -> run(numbers, all, n, t))
                .toArray()
            : IntStream.range(0, (n + CHUNK - 1) / CHUNK)
                .parallel()
                .mapToObj(c -> picked(numbers, all, c * CHUNK, Math.min(n, (c + 1) * CHUNK), taken))
                .flatMapToInt(Arrays::stream)
                .toArray();
    int count = picked.length;
    columns = new long[rank][count];
    for (int d = 0; d < rank; d++) {
      for (int i = 0; i < count; i++) {
        columns[d][i] = all.index(d, picked[i]);
      }
    }
    values = all.gather(picked, count);
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

  /** The cells of a block, which follow each other. */
  private static IntStream run(BlockNumbers numbers, StoredCells cells, int count, long block) {
    return IntStream.range(
        first(numbers, cells, count, block), first(numbers, cells, count, block + 1));
  }

  /** The first cell that is in a block or in one behind it. */
  private static int first(BlockNumbers numbers, StoredCells cells, int count, long block) {
    long[] one = new long[1];
    int from = 0;
    int to = count;
    while (from < to) {
      int middle = (from + to) >>> 1;
      numbers.of(cells, middle, middle + 1, one);
      if (one[0] < block) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  /** Those of the cells {@code [from, to)} that are in one of these blocks. */
  private static int[] picked(
      BlockNumbers numbers, StoredCells cells, int from, int to, long[] taken) {
    long[] blockOf = PieceScratch.get().first(to - from);
    numbers.of(cells, from, to, blockOf);
    int[] picked = new int[to - from];
    int count = 0;
    long last = -1;
    boolean in = false;
    for (int i = from; i < to; i++) {
      long block = blockOf[i - from];
      if (block != last) {
        last = block;
        in = Arrays.binarySearch(taken, block) >= 0;
      }
      picked[count] = i;
      count += in ? 1 : 0;
    }
    return Arrays.copyOf(picked, count);
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
