package io.arraymorph.delta.encoding;

import io.arraymorph.array.Shape;
import io.arraymorph.delta.payload.PayloadWriter;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.PieceScratch;
import io.arraymorph.delta.tensor.StoredCells;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The pieces of a tensor in blocks: cells are grouped by block, unless they come so, and each block
 * is sorted by itself when its piece is made, in the processor's cache and by whichever thread
 * makes it.
 */
final class BlockPieces extends Pieces {
  private static final int CHUNK = 1 << 14;

  private final PieceMaker maker;
  private final StoredCells cells;
  private final CellKeys keys;

  /** The cells by block, null if they came so. */
  private final KeyGroups grouped;

  private BlockPieces(
      PieceMaker maker, StoredCells cells, CellKeys keys, KeyGroups grouped, int[] cuts) {
    super(cuts);
    this.maker = maker;
    this.cells = cells;
    this.keys = keys;
    this.grouped = grouped;
  }

  /** The pieces, or empty if keys and the numbers of cells do not fit into 63 bits together. */
  static Optional<BlockPieces> of(
      PieceMaker maker, Shape shape, StoredCells cells, int count, boolean parallel) {
    CellKeys keys = new CellKeys(shape, maker.layout().block(), maker.layout().axes());
    int free = 63 - KeyGroups.indexBits(count);
    if (count == 0 || keys.blockBits() == 64 || keys.placeBits() > free) {
      return Optional.empty();
    }
    int[] inOrder = cutsInOrder(keys.blocks(), cells, count, parallel);
    if (inOrder != null) {
      return Optional.of(new BlockPieces(maker, cells, keys, null, inOrder));
    }
    if (keys.blockBits() + keys.placeBits() > free) {
      return Optional.empty();
    }
    KeyGroups grouped = KeyGroups.of(cells, count, keys, keys.placeBits(), parallel);
    int[] cuts = grouped.cuts(keys.placeBits());
    return Optional.of(new BlockPieces(maker, cells, keys, grouped, cuts));
  }

  /** Where blocks begin, and at last the number of cells; null if cells do not come by block. */
  private static int[] cutsInOrder(
      BlockNumbers blocks, StoredCells cells, int count, boolean parallel) {
    if (cutsInOrder(blocks, cells, 0, Math.min(count, CHUNK)) == null) {
      return null;
    }
    int all = (int) ((count + CHUNK - 1L) / CHUNK);
    IntStream chunks = IntStream.range(0, all).map(c -> c * CHUNK);
    int[][] found =
        (parallel ? chunks.parallel() : chunks)
            .mapToObj(
                from -> cutsInOrder(blocks, cells, from, from + Math.min(CHUNK, count - from)))
            .toArray(int[][]::new);
    if (Arrays.stream(found).anyMatch(Objects::isNull)) {
      return null;
    }
    return IntStream.concat(Arrays.stream(found).flatMapToInt(Arrays::stream), IntStream.of(count))
        .toArray();
  }

  private static int[] cutsInOrder(BlockNumbers blocks, StoredCells cells, int from, int to) {
    int before = Math.max(0, from - 1);
    int n = to - before;
    long[] numbers = PieceScratch.get().first(n);
    blocks.of(cells, before, to, numbers);
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
  Piece piece(int from, int n, long number) {
    int ownBits = KeyGroups.indexBits(n);
    long[] packed = PieceScratch.get().first(n);
    if (grouped == null) {
      keys.places(cells, from, from + n, packed);
      for (int i = 0; i < n; i++) {
        packed[i] = packed[i] << ownBits | i;
      }
    } else {
      long mask = (1L << keys.placeBits()) - 1;
      for (int i = 0; i < n; i++) {
        packed[i] = (grouped.key(from + i) & mask) << ownBits | i;
      }
    }
    long[] start = new long[cells.rank()];
    int any = grouped == null ? from : grouped.cell(from);
    Arrays.setAll(start, d -> keys.blockStart(d, cells.index(d, any)));
    long[] sorted = KeyGroups.sorted(packed, n, ownBits, keys.inOrderBits(), keys.placeBits());
    Box box = box(sorted, n, start, ownBits);
    int[] order = new int[n];
    int mask = (int) ((1L << ownBits) - 1);
    for (int i = 0; i < n; i++) {
      int own = (int) sorted[i] & mask;
      order[i] = grouped == null ? from + own : grouped.cell(from + own);
    }
    PieceValues own = new PieceValues(cells, order);
    RowFormat format = maker.blockFormat(box, own);
    if (format != RowFormat.BLOCK_SPARSE || box.volume() == Long.MAX_VALUE) {
      return maker.piece(number, columns(sorted, n, start, ownBits), 0, n, own);
    }
    PayloadWriter out = new PayloadWriter(2 * n);
    gaps(box, start, sorted, n, ownBits, out);
    return maker.piece(number, box, format, out.finish(), own);
  }

  /** What the places of a block's cells, sorted, span. */
  private Box box(long[] sorted, int n, long[] start, int ownBits) {
    long[] low = start.clone();
    long[] high = start.clone();
    boolean slowest = true;
    for (int d : keys.axes()) {
      int shift = keys.shift(d) + ownBits;
      long mask = keys.mask(d);
      long least = sorted[0] >>> shift & mask;
      long greatest = slowest ? sorted[n - 1] >>> shift & mask : least;
      for (int i = 1; i < n && !slowest && mask != 0; i++) {
        long place = sorted[i] >>> shift & mask;
        least = Math.min(least, place);
        greatest = Math.max(greatest, place);
      }
      low[d] += least;
      high[d] += greatest;
      slowest &= least == greatest;
    }
    return Box.of(low, high);
  }

  /** Writes the positions in the box as {@link LinearPositions} does. */
  private void gaps(Box box, long[] start, long[] sorted, int n, int ownBits, PayloadWriter out) {
    int[] axes = keys.axes();
    int varying = 0;
    int[] shift = new int[axes.length];
    long[] mask = new long[axes.length];
    long[] stride = new long[axes.length];
    long base = 0;
    long volume = 1;
    for (int k = axes.length - 1; k >= 0; k--) {
      int d = axes[k];
      if (box.extent(d) > 1) {
        shift[varying] = keys.shift(d) + ownBits;
        mask[varying] = keys.mask(d);
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
    long[] gaps = PieceScratch.get().third(n);
    long next = base;
    for (int i = 0; i < n; i++) {
      long number = 0;
      for (int v = 0; v < varying; v++) {
        number += (sorted[i] >>> shift[v] & mask[v]) * stride[v];
      }
      gaps[i] = number - next;
      next = number + 1;
    }
    out.writeVarints(gaps, n);
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
    long[] gaps = PieceScratch.get().third(n);
    long next = base;
    for (int i = 0; i < n; i++) {
      long key = sorted[i];
      long number =
          (key >>> shiftA & maskA) * strideA
              + (key >>> shiftB & maskB) * strideB
              + (key >>> shiftC & maskC) * strideC;
      gaps[i] = number - next;
      next = number + 1;
    }
    out.writeVarints(gaps, n);
  }

  private long[][] columns(long[] sorted, int n, long[] start, int ownBits) {
    long[][] own = new long[start.length][n];
    for (int d = 0; d < own.length; d++) {
      int shift = keys.shift(d) + ownBits;
      long mask = keys.mask(d);
      for (int i = 0; i < n; i++) {
        own[d][i] = start[d] + (sorted[i] >>> shift & mask);
      }
    }
    return own;
  }
}
