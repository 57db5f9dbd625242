package io.arraymorph.delta.encoding;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.payload.PayloadException;
import io.arraymorph.delta.payload.PayloadReader;
import io.arraymorph.delta.payload.Prediction;
import io.arraymorph.delta.payload.ValueCodec;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.delta.tensor.ElementBuffer;
import io.arraymorph.delta.tensor.ElementVectors;
import io.arraymorph.delta.tensor.PieceScratch;
import io.arraymorph.delta.tensor.Region;
import io.arraymorph.delta.tensor.SliceAssembly;
import io.arraymorph.delta.tensor.SliceRun;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.delta.tensor.TensorSlice;
import java.util.Arrays;

/**
 * Turns pieces back into cells: row to cells of a region.
 *
 * <p>Trusts nothing it reads: counts are held against lengths and the tensor's shape before memory
 * is taken, checksums are checked. Stateless and thread-safe.
 */
public final class TensorDecoder {
  static final long MAX_PIECE_CELLS = 1L << 28;

  private final ArraySchema schema;
  private final TensorLayout layout;

  /** A decoder of the pieces of one tensor. */
  public TensorDecoder(ArraySchema schema, TensorLayout layout) {
    this.schema = schema;
    this.layout = layout;
  }

  /**
   * Appends the stored cells of a piece that lie in a region, in indices of the whole tensor.
   *
   * @throws ArrayMorphException CHUNK_CORRUPT if the piece cannot be decoded
   */
  public void decode(Piece piece, Region region, CellBuffer out) {
    if (!region.intersects(piece.box())) {
      return;
    }
    try {
      check(piece);
      int first = out.count();
      append(piece, out);
      if (piece.format() == RowFormat.BLOCK_DENSE && piece.cells() < piece.box().volume()) {
        dropFill(first, piece, out);
      }
      if (!region.covers(piece.box())) {
        out.retain(first, region, piece.box());
      }
    } catch (PayloadException e) {
      throw corrupt(piece, e);
    }
  }

  /**
   * The stored cells of a piece that lie in a slice, to be added to its result.
   *
   * @throws ArrayMorphException CHUNK_CORRUPT if the piece cannot be decoded
   */
  public SliceRun run(Piece piece, SliceAssembly result) {
    Box box = piece.box();
    int[] axes = axes(piece);
    if (!result.slice().intersects(box)) {
      return result.run(new CellBuffer(box.rank(), schema.dataType()), axes, false);
    }
    boolean follows = follows(box, result.slice());
    if (piece.format() != RowFormat.BLOCK_SPARSE || !result.takesNumbers(box, piece.cells())) {
      CellBuffer cells = new CellBuffer(box.rank(), schema.dataType());
      decode(piece, result.slice(), cells);
      return result.run(cells, axes, follows);
    }
    try {
      check(piece);
      int cells = Math.toIntExact(piece.cells());
      PayloadReader positions = PayloadReader.of(piece.positions());
      long[] numbers =
          LinearPositions.numbers(
              positions,
              cells,
              new PositionCodec.Geometry(box, axes, layout.compressedAxes()),
              PieceScratch.get()::first);
      positions.expectEnd();
      PayloadReader payload = PayloadReader.of(piece.values());
      ElementBuffer values = new ElementBuffer(schema.dataType());
      ValueCodec.read(payload, cells, values);
      payload.expectEnd();
      return result.run(numbers, cells, box, axes, values.toElements(), follows);
    } catch (PayloadException e) {
      throw corrupt(piece, e);
    }
  }

  /**
   * True if a piece's block takes all of a slice from the dimension on behind the first along which
   * it has several indices: then its cells follow each other in the result.
   */
  private boolean follows(Box box, TensorSlice slice) {
    if (!layout.encoding().usesBlocks()) {
      return Arrays.equals(layout.axes(), SparseTensor.naturalOrder(box.rank()));
    }
    int d = 0;
    while (d < box.rank() && (layout.block().length(d) == 1 || box.extent(d) == 1)) {
      d++;
    }
    for (d++; d < box.rank(); d++) {
      long block = layout.block().length(d);
      long start = box.low(d) / block * block;
      if (slice.first(d) < start || slice.last(d) >= start + block) {
        return false;
      }
    }
    return true;
  }

  private static ArrayMorphException corrupt(Piece piece, PayloadException e) {
    return new ArrayMorphException(
        ErrorCode.CHUNK_CORRUPT,
        "row "
            + piece.part()
            + " ("
            + piece.format().label()
            + ", box "
            + piece.box()
            + "): "
            + e.getMessage(),
        "The table's file was damaged; restore it, or go back to an earlier version of the table",
        e);
  }

  private void check(Piece piece) {
    Box box = piece.box();
    Shape shape = schema.shape();
    boolean inside = box.rank() == shape.rank();
    for (int d = 0; inside && d < box.rank(); d++) {
      inside = box.high(d) < shape.length(d);
    }
    if (!inside) {
      throw new PayloadException("box outside the tensor's shape " + shape);
    }
    long volume = box.volume();
    boolean dense = piece.format().isDense();
    if (piece.cells() < 1 || piece.cells() > (dense ? Math.min(volume, MAX_PIECE_CELLS) : volume)) {
      throw new PayloadException(piece.cells() + " cells in a box of " + volume);
    }
    if (dense && volume > MAX_PIECE_CELLS) {
      throw new PayloadException("a dense piece of " + volume + " cells");
    }
  }

  private void append(Piece piece, CellBuffer out) {
    Box box = piece.box();
    RowFormat format = piece.format();
    int cells = Math.toIntExact(format.isDense() ? box.volume() : piece.cells());
    PositionCodec.Geometry geometry =
        new PositionCodec.Geometry(box, axes(piece), layout.compressedAxes());
    PayloadReader values = PayloadReader.of(piece.values());
    if (format.isDense()) {
      readValues(piece, cells, values, out);
      format.positions().read(values, cells, geometry, out);
      return;
    }
    PayloadReader positions = PayloadReader.of(piece.positions());
    format.positions().read(positions, cells, geometry, out);
    positions.expectEnd();
    readValues(piece, cells, values, out);
  }

  private int[] axes(Piece piece) {
    return piece.format() == RowFormat.FTSF
        ? SparseTensor.naturalOrder(piece.box().rank())
        : layout.axes();
  }

  private static void readValues(Piece piece, int cells, PayloadReader values, CellBuffer out) {
    if (piece.format() == RowFormat.FTSF) {
      Prediction.read(values, extents(piece.box()), out.values());
    } else {
      ValueCodec.read(values, cells, out.values());
    }
    values.expectEnd();
  }

  private static Shape extents(Box box) {
    long[] lengths = new long[box.rank()];
    for (int d = 0; d < lengths.length; d++) {
      lengths[d] = box.extent(d);
    }
    return Shape.of(lengths);
  }

  /**
   * The values of a piece of FTSF as a dense array over its box, without coordinates. Takes the
   * piece's values over: they may become the array.
   *
   * @throws ArrayMorphException CHUNK_CORRUPT if the piece cannot be decoded
   */
  public Elements decodeDense(Piece piece) {
    return decodeDense(piece, piece.values(), 0, piece.values().length);
  }

  /**
   * As above, with the piece's values in an array, which may become the result.
   *
   * @param from where they begin
   * @param to where they end
   */
  public Elements decodeDense(Piece piece, byte[] array, int from, int to) {
    try {
      check(piece);
      if (piece.format() != RowFormat.FTSF) {
        throw new PayloadException("row encoding " + piece.format().label() + " in a dense tensor");
      }
      PayloadReader values = PayloadReader.of(array, from, to);
      Elements elements = Prediction.readInPlace(values, extents(piece.box()), schema.dataType());
      values.expectEnd();
      return elements;
    } catch (PayloadException e) {
      throw corrupt(piece, e);
    }
  }

  private void dropFill(int first, Piece piece, CellBuffer out) {
    Elements values = out.values().toElements();
    out.retainIf(first, i -> !ElementVectors.same(values, i, schema.fill(), 0));
    if (out.count() - first != piece.cells()) {
      throw new PayloadException(
          (out.count() - first) + " values differ from the fill, not " + piece.cells());
    }
  }
}
