package io.arraymorph.delta.encoding;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.SparseTensor;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** Block and chunk shapes from what will be sliced and how many cells are stored. */
final class ChunkShapes {
  /**
   * Stored cells that a cell shares its block with, on average, for the block to be worth a row.
   */
  private static final double FULL_ENOUGH = 3000;

  /** The same where no slice is foreseen: larger blocks compress better. */
  private static final double FULL = 30_000;

  private static final double TOO_FULL = 60_000;
  private static final int SAMPLE = 8192;
  private static final long DENSE_BYTES = 4L << 20;

  private ChunkShapes() {}

  /**
   * A block for sparse cells: along sliced dimensions as short, along others as long as rows of
   * some thousand stored cells allow.
   */
  static Shape sparse(SparseTensor tensor, Set<Integer> sliced) {
    Shape shape = tensor.schema().shape();
    int rank = shape.rank();
    boolean hinted = !sliced.isEmpty() && sliced.size() < rank;
    Set<Integer> narrow = hinted ? sliced : longest(shape);
    double enough = hinted ? FULL_ENOUGH : FULL;
    long[] block = new long[rank];
    for (int d = 0; d < rank; d++) {
      block[d] = narrow.contains(d) ? 1 : Math.max(1, shape.length(d));
    }
    long[][] sample = sample(tensor);
    boolean growing = true;
    while (growing && occupancy(tensor, sample, block) < enough) {
      growing = grow(shape, block, narrow);
    }
    while (occupancy(tensor, sample, block) > 4 * Math.max(enough, TOO_FULL / 4)
        || cells(block) > TensorLayout.MAX_BLOCK_CELLS) {
      if (!shrink(block, narrow)) {
        break;
      }
    }
    return Shape.of(block);
  }

  /** The longest dimensions that together have at least the root of all cells: cut these. */
  private static Set<Integer> longest(Shape shape) {
    List<Integer> byLength =
        IntStream.range(0, shape.rank())
            .boxed()
            .sorted(Comparator.comparingLong((Integer d) -> -shape.length(d)))
            .toList();
    double all = cells(shape.toArray());
    double product = 1;
    Set<Integer> longest = new HashSet<>();
    for (int d : byLength) {
      if (product * product >= all && !longest.isEmpty()) {
        break;
      }
      longest.add(d);
      product *= Math.max(1, shape.length(d));
    }
    return longest;
  }

  private static double cells(long[] block) {
    return Arrays.stream(block).asDoubleStream().reduce(1, (a, b) -> a * b);
  }

  /** Doubles the narrow dimension that covers the least part of its length. */
  private static boolean grow(Shape shape, long[] block, Set<Integer> narrow) {
    int chosen = -1;
    for (int d = 0; d < block.length; d++) {
      if (narrow.contains(d) && block[d] < shape.length(d)) {
        if (chosen < 0 || part(shape, block, d) < part(shape, block, chosen)) {
          chosen = d;
        }
      }
    }
    if (chosen < 0) {
      return false;
    }
    block[chosen] = Math.min(shape.length(chosen), 2 * block[chosen]);
    return true;
  }

  private static double part(Shape shape, long[] block, int d) {
    return block[d] / (double) shape.length(d);
  }

  /** Halves the longest dimension, one that is not sliced if there is any. */
  private static boolean shrink(long[] block, Set<Integer> sliced) {
    int chosen = -1;
    for (int d = 0; d < block.length; d++) {
      boolean better =
          chosen < 0
              || (sliced.contains(chosen) && !sliced.contains(d))
              || (sliced.contains(chosen) == sliced.contains(d) && block[d] > block[chosen]);
      if (block[d] > 1 && better) {
        chosen = d;
      }
    }
    if (chosen < 0) {
      return false;
    }
    block[chosen] = (block[chosen] + 1) / 2;
    return true;
  }

  private static long[][] sample(SparseTensor tensor) {
    int n = Math.min(SAMPLE, tensor.count());
    long[][] sample = new long[tensor.schema().shape().rank()][n];
    for (int d = 0; d < sample.length; d++) {
      for (int i = 0; i < n; i++) {
        sample[d][i] = tensor.cells().index(d, (int) ((long) i * tensor.count() / n));
      }
    }
    return sample;
  }

  /** How many stored cells are expected in the block of a stored cell. */
  private static double occupancy(SparseTensor tensor, long[][] sample, long[] block) {
    int n = sample.length == 0 ? 0 : sample[0].length;
    if (n < 2) {
      return FULL_ENOUGH;
    }
    long[] hashes = new long[n];
    for (int d = 0; d < sample.length; d++) {
      for (int i = 0; i < n; i++) {
        hashes[i] = hashes[i] * 0x9E3779B97F4A7C15L + sample[d][i] / block[d];
      }
    }
    Arrays.sort(hashes);
    double pairs = 0;
    for (int from = 0; from < n; ) {
      int to = from;
      while (to < n && hashes[to] == hashes[from]) {
        to++;
      }
      pairs += (double) (to - from) * (to - from - 1);
      from = to;
    }
    return 1 + pairs / n * tensor.count() / n;
  }

  /**
   * A chunk for dense arrays of about 4 MiB: whole along the last dimensions, short along sliced
   * ones.
   */
  static Shape dense(ArraySchema schema, Set<Integer> sliced) {
    Shape shape = schema.shape();
    long width = Math.max(1, schema.dataType().byteWidth());
    long[] chunk = new long[shape.rank()];
    Arrays.fill(chunk, 1);
    long left = Math.max(1, DENSE_BYTES / width);
    for (int pass = 0; pass < 2; pass++) {
      for (int d = chunk.length - 1; d >= 0; d--) {
        if (sliced.contains(d) == (pass == 1) && !(pass == 1 && sliced.size() < chunk.length)) {
          chunk[d] = Math.max(1, Math.min(shape.length(d), left));
          left = Math.max(1, left / chunk[d]);
        }
      }
    }
    return Shape.of(chunk);
  }
}
