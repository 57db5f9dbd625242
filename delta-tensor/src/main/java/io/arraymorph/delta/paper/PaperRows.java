package io.arraymorph.delta.paper;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.CellOrder;
import io.arraymorph.delta.tensor.ElementVectors;
import io.arraymorph.delta.tensor.SortedCells;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.layout.npy.NpyBytes;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * A tensor as rows of one of the paper's layouts; a row has one object for each of {@link
 * PaperLayout#columns()}, of the types that {@link PaperColumn.Kind} names.
 */
public final class PaperRows {
  private static final long MOST_ROWS = 1L << 28;

  private final TensorHeader header;
  private final PaperLayout layout;
  private final Shape shape;
  private final int[] lengths;

  /**
   * @param header as {@link PaperGeometry#header} gives it
   */
  public PaperRows(TensorHeader header) {
    this.header = header;
    this.shape = header.schema().shape();
    this.layout = PaperLayout.of(header.layout().encoding(), shape.rank());
    this.lengths = ints(shape.toArray());
  }

  /** The layout of the rows. */
  public PaperLayout layout() {
    return layout;
  }

  private static int[] ints(long... values) {
    return Arrays.stream(values).mapToInt(Math::toIntExact).toArray();
  }

  /** The rows of a tensor, or of some of its cells if the layout {@link PaperLayout#isWhole}. */
  public void write(SparseTensor cells, Consumer<Object[]> sink) {
    switch (layout.encoding()) {
      case FTSF:
        chunks(cells, sink);
        break;
      case COO:
        coo(cells, sink);
        break;
      case BSGS:
        blocks(cells, sink);
        break;
      case CSF:
        new CsfLevels(cells).write(header.tensorId(), layout, lengths, sink);
        break;
      default:
        matrix(cells, sink);
    }
  }

  private void coo(SparseTensor cells, Consumer<Object[]> sink) {
    for (int i = 0; i < cells.count(); i++) {
      int[] indices = new int[lengths.length];
      for (int d = 0; d < indices.length; d++) {
        indices[d] = (int) cells.column(d)[i];
      }
      sink.accept(
          new Object[] {
            header.tensorId(), layout.label(), lengths, indices, PaperValues.real(cells.values(), i)
          });
    }
  }

  private void matrix(SparseTensor cells, Consumer<Object[]> sink) {
    boolean csr = layout.encoding() == TensorEncoding.CSR;
    int rank = shape.rank();
    Shape matrix = PaperGeometry.matrix(layout.encoding(), shape, header);
    long majors = matrix.length(csr ? 0 : 1);
    if (majors > MOST_ROWS) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          "a matrix of "
              + matrix
              + " for tensor '"
              + header.tensorId()
              + "' has "
              + majors
              + " pointers",
          "Use storage=coo, csf or bsgs");
    }
    int cut = csr ? Math.max(0, rank - 1) : Math.min(1, rank);
    SortedCells sorted =
        CellOrder.ofAxes(header.layout().axes(), shape.toArray())
            .sorted(cells.columns(), cells.count());
    Elements values = ElementVectors.gather(cells.values(), sorted.order(), 0, cells.count());
    int[] pointers = new int[(int) majors + 1];
    int[] minors = new int[cells.count()];
    double[] numbers = new double[cells.count()];
    for (int i = 0; i < cells.count(); i++) {
      long row = PaperGeometry.number(shape, sorted.columns(), i, 0, cut);
      long column = PaperGeometry.number(shape, sorted.columns(), i, cut, rank);
      pointers[(int) (csr ? row : column) + 1]++;
      minors[i] = (int) (csr ? column : row);
      numbers[i] = PaperValues.real(values, i);
    }
    for (int r = 0; r < majors; r++) {
      pointers[r + 1] += pointers[r];
    }
    sink.accept(
        new Object[] {
          header.tensorId(),
          layout.label(),
          ints(matrix.toArray()),
          lengths,
          pointers,
          minors,
          numbers
        });
  }

  private void blocks(SparseTensor cells, Consumer<Object[]> sink) {
    int rank = shape.rank();
    Shape block = header.layout().block();
    CellOrder order = new CellOrder();
    for (int d = 0; d < rank; d++) {
      order.byBlock(d, shape.length(d), block.length(d));
    }
    for (int d = 0; d < rank; d++) {
      order.byPlace(d, block.length(d));
    }
    int[] sorted = order.sort(cells.columns(), cells.count());
    for (int from = 0; from < sorted.length; ) {
      int[] place = new int[rank];
      for (int d = 0; d < rank; d++) {
        place[d] = (int) (cells.column(d)[sorted[from]] / block.length(d));
      }
      int to = from + 1;
      while (to < sorted.length && isIn(cells, sorted[to], place, block)) {
        to++;
      }
      double[][] lists = new double[rank + 1][to - from];
      for (int i = from; i < to; i++) {
        for (int d = 0; d < rank; d++) {
          lists[d][i - from] = cells.column(d)[sorted[i]] % block.length(d);
        }
        lists[rank][i - from] = PaperValues.real(cells.values(), sorted[i]);
      }
      sink.accept(
          new Object[] {
            header.tensorId(), layout.label(), lengths, ints(block.toArray()), place, lists
          });
      from = to;
    }
  }

  private static boolean isIn(SparseTensor cells, int cell, int[] place, Shape block) {
    for (int d = 0; d < place.length; d++) {
      if (cells.column(d)[cell] / block.length(d) != place[d]) {
        return false;
      }
    }
    return true;
  }

  /** Every chunk, also those without a stored cell: the paper's reader expects all. */
  private void chunks(SparseTensor cells, Consumer<Object[]> sink) {
    int rank = shape.rank();
    int outer = rank - PaperGeometry.chunkDimensions(header);
    long chunks = PaperGeometry.chunks(header);
    Shape inner = innerShape(outer);
    int next = 0;
    for (long chunk = 0; chunk < chunks; chunk++) {
      FixedWidthElements values = filled(inner);
      int width = values.type().byteWidth();
      while (next < cells.count()
          && PaperGeometry.number(shape, cells.columns(), next, 0, outer) == chunk) {
        int at = (int) PaperGeometry.number(shape, cells.columns(), next, outer, rank);
        FixedWidthElements from = (FixedWidthElements) cells.values();
        System.arraycopy(
            from.bytes(), from.offset() + next * width, values.bytes(), at * width, width);
        next++;
      }
      sink.accept(chunk(chunk, values));
    }
  }

  private Shape innerShape(int outer) {
    return Shape.of(Arrays.copyOfRange(shape.toArray(), outer, shape.rank()));
  }

  private FixedWidthElements filled(Shape inner) {
    if (!header.schema().dataType().isFixedWidth()) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_TYPE,
          "values of " + header.schema().dataType().zarrName() + " are not in numpy's files",
          "Use layout=compact");
    }
    return (FixedWidthElements)
        ElementVectors.filled(header.schema().dataType(), inner, header.schema().fill());
  }

  /**
   * The row of a chunk that is given as an array.
   *
   * @param box which cells of the tensor
   * @param values of the chunk, in C order
   * @throws ArrayMorphException SHAPE_MISMATCH if that is not a chunk
   */
  public Object[] chunk(Box box, Elements values) {
    int outer = shape.rank() - PaperGeometry.chunkDimensions(header);
    long number = 0;
    boolean whole = values instanceof FixedWidthElements;
    for (int d = 0; d < shape.rank(); d++) {
      number = d < outer ? number * shape.length(d) + box.low(d) : number;
      whole &= values.shape().length(d) == (d < outer ? 1 : shape.length(d));
    }
    if (!whole) {
      throw new ArrayMorphException(
          ErrorCode.SHAPE_MISMATCH,
          "a piece of "
              + values.shape()
              + " is not a chunk of tensor '"
              + header.tensorId()
              + "' of "
              + shape,
          "With layout=paper a chunk is the last dimensions whole, as in "
              + header.layout().block());
    }
    FixedWidthElements fixed = (FixedWidthElements) values;
    return chunk(
        number,
        new FixedWidthElements(fixed.type(), innerShape(outer), fixed.bytes(), fixed.offset()));
  }

  private Object[] chunk(long number, FixedWidthElements values) {
    return new Object[] {
      header.tensorId(),
      NpyBytes.write(values),
      Math.toIntExact(number),
      shape.rank(),
      PaperGeometry.chunkDimensions(header),
      lengths
    };
  }
}
