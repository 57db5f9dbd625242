package io.arraymorph.delta.encoding;

import io.arraymorph.array.Elements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.payload.PayloadWriter;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.ElementVectors;
import io.arraymorph.delta.tensor.PackedSort;
import io.arraymorph.delta.tensor.PieceScratch;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The pieces of a tensor in blocks: cells are grouped by block, unless they come so, and each block
 * is sorted by itself when its piece is made, in the processor's cache and by whichever thread
 * makes it.
 */
final class BlockPieces implements Pieces {
  private static final int CHUNK = 1 << 16;

  private final TensorEncoder encoder;
  private final long[][] columns;
  private final Elements values;

  /**
   * For each cell, by block: the block's number, the cell's place in it if there is room, and the
   * cell's number; null if cells came by block.
   */
  private final long[] grouped;

  /** The bits of the places among the grouped numbers; 0 if they are not there. */
  private final int placeBits;

  private final int indexBits;
  private final int[] cuts;
  private final int[] axes;
  private final long[] blockLengths;

  /** By how many bits the place along an axis is shifted in a key, and how many it has. */
  private final int[] shifts;

  private final int[] widths;

  /** The bits of the last axes, along which cells are in order if they came in C order. */
  private final int inOrderBits;

  private final int keyBits;

  private BlockPieces(
      TensorEncoder encoder, long[][] columns, int count, Elements values, Keys keys) {
    this.encoder = encoder;
    this.columns = columns;
    this.values = values;
    this.axes = encoder.layout().axes();
    this.blockLengths = encoder.layout().block().toArray();
    this.shifts = keys.shifts;
    this.widths = keys.widths;
    this.keyBits = keys.bits;
    this.indexBits = 32 - Integer.numberOfLeadingZeros(count);
    int k = axes.length - 1;
    while (k > 0 && axes[k - 1] < axes[k]) {
      k--;
    }
    this.inOrderBits = axes.length == 0 ? 0 : shifts[axes[k]] + widths[axes[k]];
    BlockNumbers blocks = keys.blocks;
    int[] inOrder = cutsInOrder(blocks, columns, count);
    if (inOrder != null) {
      this.grouped = null;
      this.placeBits = 0;
      this.cuts = inOrder;
      return;
    }
    int blockBits = 64 - Long.numberOfLeadingZeros(blocks.blocks() - 1);
    this.placeBits = blockBits + keyBits + indexBits <= 63 ? keyBits : 0;
    long[] numbers = new long[count];
    chunks(count)
        .forEach(
            from -> {
              int n = Math.min(CHUNK, count - from);
              long[] some = PieceScratch.get().first(n);
              long[] places = placeBits == 0 ? null : PieceScratch.get().second(n);
              blocks.of(columns, from, from + n, some, places, shifts);
              for (int i = 0; i < n; i++) {
                long place = places == null ? 0 : places[i];
                numbers[from + i] = (some[i] << placeBits | place) << indexBits | (from + i);
              }
            });
    int low = indexBits + placeBits;
    this.grouped = PackedSort.sorted(numbers, count, low, low + blockBits);
    IntStream.Builder found = IntStream.builder();
    for (int i = 0; i < count; i++) {
      if (i == 0 || grouped[i] >>> low != grouped[i - 1] >>> low) {
        found.add(i);
      }
    }
    this.cuts = found.add(count).build().toArray();
  }

  /** How places in a block become numbers. */
  private static final class Keys {
    private final BlockNumbers blocks;
    private final int[] shifts;
    private final int[] widths;
    private final int bits;

    Keys(Shape shape, TensorLayout layout) {
      blocks = new BlockNumbers(shape, layout.block());
      int[] axes = layout.axes();
      shifts = new int[axes.length];
      widths = new int[axes.length];
      int sum = 0;
      for (int k = axes.length - 1; k >= 0; k--) {
        int d = axes[k];
        long length = Math.max(1, Math.min(shape.length(d), layout.block().length(d)));
        widths[d] = 64 - Long.numberOfLeadingZeros(length - 1);
        shifts[d] = sum;
        sum += widths[d];
      }
      bits = sum;
    }
  }

  /** The pieces, or empty if keys and the numbers of cells do not fit into 63 bits together. */
  static Optional<BlockPieces> of(
      TensorEncoder encoder, Shape shape, long[][] columns, int count, Elements values) {
    Keys keys = new Keys(shape, encoder.layout());
    int indexBits = 32 - Integer.numberOfLeadingZeros(count);
    long blocks = keys.blocks.blocks();
    boolean fits =
        count > 0
            && blocks >= 0
            && 64 - Long.numberOfLeadingZeros(blocks) + indexBits <= 63
            && keys.bits + indexBits <= 63;
    return fits
        ? Optional.of(new BlockPieces(encoder, columns, count, values, keys))
        : Optional.empty();
  }

  private static IntStream chunks(int count) {
    return IntStream.range(0, (count + CHUNK - 1) / CHUNK).map(c -> c * CHUNK).parallel();
  }

  /** Where blocks begin, and at last the number of cells; null if cells do not come by block. */
  private static int[] cutsInOrder(BlockNumbers blocks, long[][] columns, int count) {
    int[][] found =
        chunks(count)
            .mapToObj(from -> cutsInOrder(blocks, columns, from, Math.min(count, from + CHUNK)))
            .toArray(int[][]::new);
    if (Arrays.stream(found).anyMatch(f -> f == null)) {
      return null;
    }
    return IntStream.concat(Arrays.stream(found).flatMapToInt(Arrays::stream), IntStream.of(count))
        .toArray();
  }

  private static int[] cutsInOrder(BlockNumbers blocks, long[][] columns, int from, int to) {
    int before = Math.max(0, from - 1);
    int n = to - before;
    long[] numbers = PieceScratch.get().first(n);
    blocks.of(columns, before, to, numbers);
    IntStream.Builder cuts = IntStream.builder();
    if (from == 0) {
      cuts.add(0);
    }
    for (int i = 1; i < n; i++) {
      if (numbers[i] != numbers[i - 1]) {
        if (numbers[i] < numbers[i - 1]) {
          return null;
        }
        cuts.add(before + i);
      }
    }
    return cuts.build().toArray();
  }

  @Override
  public int count() {
    return cuts.length - 1;
  }

  @Override
  public int cells(int k) {
    return cuts[k + 1] - cuts[k];
  }

  @Override
  public Piece piece(int k, long number) {
    int from = cuts[k];
    int n = cuts[k + 1] - from;
    int[] cells = cells(from, n);
    int rank = axes.length;
    long[] low = new long[rank];
    long[] high = new long[rank];
    long[] start = new long[rank];
    int ownBits = 32 - Integer.numberOfLeadingZeros(n);
    long[] keys = PieceScratch.get().first(n);
    long placeMask = (1L << placeBits) - 1;
    for (int i = 0; i < n; i++) {
      long place = placeBits == 0 ? 0 : grouped[from + i] >>> indexBits & placeMask;
      keys[i] = place << ownBits | i;
    }
    for (int d = 0; d < rank; d++) {
      long any = columns[d][cells == null ? from : cells[0]];
      start[d] = any - any % Math.max(1, blockLengths[d]);
      low[d] = any;
      high[d] = any;
      if (placeBits > 0) {
        bounds(d, n, start[d], ownBits, keys, low, high);
      } else if (widths[d] > 0) {
        addAxis(d, from, n, cells, start[d], ownBits, keys, low, high);
      }
    }
    long[] sorted = sorted(keys, n, ownBits);
    int[] order = new int[n];
    int mask = (int) ((1L << ownBits) - 1);
    for (int i = 0; i < n; i++) {
      int own = (int) sorted[i] & mask;
      order[i] = cells == null ? from + own : cells[own];
    }
    Elements own = ElementVectors.gather(values, order, 0, n);
    Box box = Box.of(low, high);
    RowFormat format = encoder.blockFormat(box, n, own);
    if (format != RowFormat.BLOCK_SPARSE || box.volume() == Long.MAX_VALUE) {
      return encoder.piece(number, columns(order, n), 0, n, own);
    }
    PayloadWriter out = new PayloadWriter(2 * n);
    gaps(box, start, sorted, n, ownBits, out);
    return encoder.piece(number, box, n, format, out.finish(), own);
  }

  /** The numbers of a block's cells, or null if they follow each other. */
  private int[] cells(int from, int n) {
    if (grouped == null) {
      return null;
    }
    int[] cells = new int[n];
    int mask = (int) ((1L << indexBits) - 1);
    for (int i = 0; i < n; i++) {
      cells[i] = (int) grouped[from + i] & mask;
    }
    return cells;
  }

  private void addAxis(
      int d,
      int from,
      int n,
      int[] cells,
      long start,
      int ownBits,
      long[] keys,
      long[] low,
      long[] high) {
    long[] column = columns[d];
    int shift = shifts[d] + ownBits;
    long least = low[d];
    long greatest = high[d];
    if (cells == null) {
      for (int i = 0; i < n; i++) {
        long index = column[from + i];
        least = Math.min(least, index);
        greatest = Math.max(greatest, index);
        keys[i] |= (index - start) << shift;
      }
    } else {
      for (int i = 0; i < n; i++) {
        long index = column[cells[i]];
        least = Math.min(least, index);
        greatest = Math.max(greatest, index);
        keys[i] |= (index - start) << shift;
      }
    }
    low[d] = least;
    high[d] = greatest;
  }

  /** The bounds along an axis of cells whose places are in the keys. */
  private void bounds(int d, int n, long start, int ownBits, long[] keys, long[] low, long[] high) {
    int shift = shifts[d] + ownBits;
    long mask = (1L << widths[d]) - 1;
    long least = Long.MAX_VALUE;
    long greatest = 0;
    for (int i = 0; i < n; i++) {
      long place = keys[i] >>> shift & mask;
      least = Math.min(least, place);
      greatest = Math.max(greatest, place);
    }
    low[d] = start + least;
    high[d] = start + greatest;
  }

  private long[] sorted(long[] keys, int n, int ownBits) {
    if (PackedSort.isAscending(keys, n, ownBits)) {
      return keys;
    }
    long[] sorted = PackedSort.sorted(keys, n, ownBits + inOrderBits, ownBits + keyBits);
    return PackedSort.isAscending(sorted, n, ownBits)
        ? sorted
        : PackedSort.sorted(sorted, n, ownBits, ownBits + keyBits);
  }

  /** Writes the positions in the box as {@link LinearPositions} does. */
  private void gaps(Box box, long[] start, long[] sorted, int n, int ownBits, PayloadWriter out) {
    int varying = 0;
    int[] shift = new int[axes.length];
    long[] mask = new long[axes.length];
    long[] stride = new long[axes.length];
    long base = 0;
    long volume = 1;
    for (int k = axes.length - 1; k >= 0; k--) {
      int d = axes[k];
      if (box.extent(d) > 1) {
        shift[varying] = shifts[d] + ownBits;
        mask[varying] = (1L << widths[d]) - 1;
        stride[varying] = volume;
        base += (box.low(d) - start[d]) * volume;
        volume *= box.extent(d);
        varying++;
      }
    }
    if (varying <= 3) {
      gaps(shift, mask, stride, base, sorted, n, out);
      return;
    }
    long next = base;
    for (int i = 0; i < n; i++) {
      long number = 0;
      for (int v = 0; v < varying; v++) {
        number += (sorted[i] >>> shift[v] & mask[v]) * stride[v];
      }
      out.writeVarint(number - next);
      next = number + 1;
    }
  }

  /** Of up to three axes: those that are not there have no bits. */
  private static void gaps(
      int[] shift, long[] mask, long[] stride, long base, long[] sorted, int n, PayloadWriter out) {
    int[] shifts = Arrays.copyOf(shift, 3);
    long[] masks = Arrays.copyOf(mask, 3);
    long[] strides = Arrays.copyOf(stride, 3);
    int shiftA = shifts[0];
    int shiftB = shifts[1];
    int shiftC = shifts[2];
    long maskA = masks[0];
    long maskB = masks[1];
    long maskC = masks[2];
    long strideA = strides[0];
    long strideB = strides[1];
    long strideC = strides[2];
    long next = base;
    for (int i = 0; i < n; i++) {
      long key = sorted[i];
      long number =
          (key >>> shiftA & maskA) * strideA
              + (key >>> shiftB & maskB) * strideB
              + (key >>> shiftC & maskC) * strideC;
      out.writeVarint(number - next);
      next = number + 1;
    }
  }

  private long[][] columns(int[] order, int n) {
    long[][] own = new long[columns.length][n];
    for (int d = 0; d < own.length; d++) {
      for (int i = 0; i < n; i++) {
        own[d][i] = columns[d][order[i]];
      }
    }
    return own;
  }
}
