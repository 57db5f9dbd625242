package io.arraymorph.delta.encoding;

import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.Box;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The chunks of a dense array, in row-major order of the chunk grid: array to pieces of FTSF.
 *
 * <p>The array may be a part of a tensor that starts at some index along each dimension.
 */
public final class DenseChunks {
  /** Chunks encoded side by side. */
  private static final int AT_ONCE = 8;

  private final Elements array;
  private final Shape chunk;
  private final long[] origin;

  /**
   * @param array the cells, in C order
   * @param chunk lengths of a chunk, positive
   * @param origin index in the tensor of the array's first cell
   */
  public DenseChunks(Elements array, Shape chunk, long[] origin) {
    this.array = array;
    this.chunk = chunk;
    this.origin = origin.clone();
  }

  /** Encodes every chunk that is not all fill value. */
  public void encode(TensorEncoder encoder, Consumer<Piece> sink) {
    int rank = chunk.rank();
    if (array.shape().isEmpty()) {
      return;
    }
    long[] start = new long[rank];
    List<long[]> batch = new ArrayList<>();
    boolean more = true;
    while (more) {
      batch.add(start.clone());
      more = advance(start);
      if (!more || batch.size() == AT_ONCE) {
        List<TensorEncoder.Chunk> chunks = batch.parallelStream().map(this::chunk).toList();
        encoder.chunks(chunks, sink);
        batch.clear();
      }
    }
  }

  private TensorEncoder.Chunk chunk(long[] start) {
    int rank = chunk.rank();
    List<IndexRange> ranges = new ArrayList<>();
    long[] low = new long[rank];
    long[] high = new long[rank];
    for (int d = 0; d < rank; d++) {
      long end = Math.min(array.shape().length(d), start[d] + chunk.length(d));
      ranges.add(IndexRange.of(start[d], end));
      low[d] = origin[d] + start[d];
      high[d] = origin[d] + end - 1;
    }
    Elements cells = HyperslabCopy.pack(array, Hyperslab.of(ranges));
    return new TensorEncoder.Chunk(Box.of(low, high), cells);
  }

  private boolean advance(long[] start) {
    for (int d = start.length - 1; d >= 0; d--) {
      start[d] += chunk.length(d);
      if (start[d] < array.shape().length(d)) {
        return true;
      }
      start[d] = 0;
    }
    return false;
  }
}
