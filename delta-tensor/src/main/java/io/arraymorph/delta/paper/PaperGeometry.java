package io.arraymorph.delta.paper;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.encoding.TensorLayout;
import java.util.List;
import java.util.stream.IntStream;

/** How the paper's layouts cut a tensor: chunks of whole last dimensions, blocks, a matrix. */
public final class PaperGeometry {
  private static final int CHUNK_DIMENSIONS = 3;

  private PaperGeometry() {}

  /**
   * The header of a tensor as it is in one of the paper's layouts: axes in natural order, and for
   * FTSF chunks of whole last dimensions.
   *
   * @throws ArrayMorphException UNSUPPORTED_FEATURE, UNSUPPORTED_TYPE if the layout cannot hold it
   */
  public static TensorHeader header(TensorHeader asked) {
    Shape shape = asked.schema().shape();
    TensorEncoding encoding = asked.layout().encoding();
    for (int d = 0; d < shape.rank(); d++) {
      if (shape.length(d) > Integer.MAX_VALUE) {
        throw tooLarge(asked, "dimension " + d + " of " + shape);
      }
    }
    String reason = "layout=paper";
    TensorLayout layout;
    if (encoding == TensorEncoding.FTSF) {
      layout = ftsf(shape, chunkDimensions(shape, asked.layout().block()), reason);
      if (chunks(shape, layout) > Integer.MAX_VALUE) {
        throw tooLarge(asked, "the number of chunks of " + shape);
      }
    } else {
      PaperValues.check(asked.schema().dataType());
      layout =
          encoding == TensorEncoding.BSGS
              ? TensorLayout.blocked(encoding, axes(shape), asked.layout().block(), reason)
              : TensorLayout.unblocked(encoding, shape.rank(), reason);
      if (encoding == TensorEncoding.CSR || encoding == TensorEncoding.CSC) {
        Shape matrix = matrix(encoding, shape, asked);
        if (Math.max(matrix.length(0), matrix.length(1)) > Integer.MAX_VALUE) {
          throw tooLarge(asked, "a matrix of " + matrix);
        }
      }
    }
    return new TensorHeader(
        asked.tensorId(), asked.schema(), layout, asked.storedCells(), asked.attributes());
  }

  private static ArrayMorphException tooLarge(TensorHeader header, String what) {
    return new ArrayMorphException(
        ErrorCode.UNSUPPORTED_FEATURE,
        what + " of tensor '" + header.tensorId() + "' exceeds the 32 bits of the paper's columns",
        "Use layout=compact, or another encoding");
  }

  /** The layout of FTSF with so many whole last dimensions in a chunk. */
  public static TensorLayout ftsf(Shape shape, int chunkDimensions, String reason) {
    long[] chunk = new long[shape.rank()];
    for (int d = 0; d < chunk.length; d++) {
      chunk[d] = d < chunk.length - chunkDimensions ? 1 : Math.max(1, shape.length(d));
    }
    return TensorLayout.blocked(TensorEncoding.FTSF, axes(shape), Shape.of(chunk), reason);
  }

  private static List<Integer> axes(Shape shape) {
    return IntStream.range(0, shape.rank()).boxed().toList();
  }

  /**
   * The number of last dimensions that a chunk shape has whole, or of the default if it has not.
   */
  private static int chunkDimensions(Shape shape, Shape chunk) {
    int rank = shape.rank();
    int whole = 0;
    while (whole < rank && chunk.length(rank - 1 - whole) >= shape.length(rank - 1 - whole)) {
      whole++;
    }
    boolean single = true;
    for (int d = 0; d < rank - whole; d++) {
      single &= chunk.length(d) == 1;
    }
    return single ? whole : rank < 2 ? rank : Math.min(CHUNK_DIMENSIONS, rank - 1);
  }

  /** The number of last dimensions that are whole in the chunks of a layout. */
  static int chunkDimensions(TensorHeader header) {
    return chunkDimensions(header.schema().shape(), header.layout().block());
  }

  /** The number of chunks. */
  static long chunks(Shape shape, TensorLayout layout) {
    long chunks = 1;
    for (int d = 0; d < shape.rank(); d++) {
      long length = shape.length(d);
      chunks =
          Math.multiplyExact(
              chunks, (length - 1 + layout.block().length(d)) / layout.block().length(d));
    }
    return shape.isEmpty() ? 0 : chunks;
  }

  /** The number of chunks of a tensor of FTSF. */
  public static long chunks(TensorHeader header) {
    return chunks(header.schema().shape(), header.layout());
  }

  /** Rows and columns of CSR (last dimension apart) or CSC (first dimension apart). */
  static Shape matrix(TensorEncoding encoding, Shape shape, TensorHeader header) {
    int rank = shape.rank();
    int first = encoding == TensorEncoding.CSR ? Math.max(0, rank - 1) : Math.min(1, rank);
    try {
      return Shape.of(product(shape, 0, first), product(shape, first, rank));
    } catch (ArithmeticException e) {
      throw tooLarge(header, "a matrix of " + shape);
    }
  }

  private static long product(Shape shape, int from, int to) {
    long product = 1;
    for (int d = from; d < to; d++) {
      product = Math.multiplyExact(product, shape.length(d));
    }
    return product;
  }

  /** The row-major number of a cell over dimensions {@code [from, to)}. */
  static long number(Shape shape, long[][] columns, int cell, int from, int to) {
    long number = 0;
    for (int d = from; d < to; d++) {
      number = number * shape.length(d) + columns[d][cell];
    }
    return number;
  }

  /** The indices along dimensions {@code [from, to)} of a row-major number. */
  static void indices(Shape shape, long number, int from, int to, long[] cell) {
    long rest = number;
    for (int d = to - 1; d >= from; d--) {
      long length = Math.max(1, shape.length(d));
      cell[d] = rest % length;
      rest /= length;
    }
  }
}
