package io.arraymorph.delta.encoding;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Shape;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How a tensor is cut into rows and encoded.
 *
 * @param encoding which encoding
 * @param axisOrder the order in which axes count inside a piece, slowest first; a permutation
 * @param compressedAxes for CSR and CSC the number of leading axes of the order that make the row
 *     number, else 0
 * @param block lengths of a block (BSGS) or chunk (FTSF), else all zeros
 * @param pieceCells the most cells that a row of COO, CSR, CSC or CSF holds
 * @param reason why this layout was chosen, for people
 */
public record TensorLayout(
    TensorEncoding encoding,
    List<Integer> axisOrder,
    int compressedAxes,
    Shape block,
    int pieceCells,
    String reason) {

  /** Default number of cells in a row of the encodings that are not cut by blocks. */
  public static final int DEFAULT_PIECE_CELLS = 16_384;

  /** The most cells in a block: positions are decoded in memory. */
  public static final long MAX_BLOCK_CELLS = 1L << 40;

  /** Copies the order; fails with METADATA_INVALID if the parts do not fit each other. */
  public TensorLayout {
    axisOrder = List.copyOf(axisOrder);
    int rank = axisOrder.size();
    boolean valid =
        axisOrder.stream().sorted().toList().equals(IntStream.range(0, rank).boxed().toList())
            && block.rank() == rank
            && compressedAxes >= 0
            && compressedAxes <= rank
            && pieceCells > 0
            && (!encoding.usesBlocks()
                || (!block.isEmpty() && blockCells(block) <= maxBlockCells(encoding)));
    if (!valid) {
      throw new ArrayMorphException(
          ErrorCode.METADATA_INVALID,
          "layout "
              + encoding.label()
              + " with axis order "
              + axisOrder
              + ", "
              + compressedAxes
              + " compressed axes, block "
              + block
              + " and "
              + pieceCells
              + " cells a piece",
          "Give one positive block length per dimension, at most 2^40 cells a block");
    }
  }

  private static long maxBlockCells(TensorEncoding encoding) {
    return encoding == TensorEncoding.FTSF ? TensorDecoder.MAX_PIECE_CELLS : MAX_BLOCK_CELLS;
  }

  private static long blockCells(Shape block) {
    try {
      return block.elementCount();
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    }
  }

  /** COO, CSR, CSC or CSF over a tensor of some rank, axes in natural order. */
  public static TensorLayout unblocked(TensorEncoding encoding, int rank, String reason) {
    List<Integer> axes = IntStream.range(0, rank).boxed().toList();
    return unblocked(encoding, axes, reason);
  }

  /**
   * COO, CSR, CSC or CSF with the axes in this order. CSR compresses all but the last, CSC all but
   * the first, which it moves to the end: the two-dimensional cases are the usual ones.
   */
  public static TensorLayout unblocked(
      TensorEncoding encoding, List<Integer> axisOrder, String reason) {
    int rank = axisOrder.size();
    List<Integer> order = axisOrder;
    if (encoding == TensorEncoding.CSC && rank > 0) {
      order = IntStream.range(1, rank + 1).mapToObj(k -> axisOrder.get(k % rank)).toList();
    }
    boolean compressed = encoding == TensorEncoding.CSR || encoding == TensorEncoding.CSC;
    return new TensorLayout(
        encoding,
        order,
        compressed ? Math.max(0, rank - 1) : 0,
        Shape.of(new long[rank]),
        DEFAULT_PIECE_CELLS,
        reason);
  }

  /** BSGS or FTSF with this block or chunk shape. */
  public static TensorLayout blocked(
      TensorEncoding encoding, List<Integer> axisOrder, Shape block, String reason) {
    return new TensorLayout(encoding, axisOrder, 0, block, DEFAULT_PIECE_CELLS, reason);
  }

  /** The axis order as an array. */
  public int[] axes() {
    return axisOrder.stream().mapToInt(Integer::intValue).toArray();
  }
}
