package io.arraymorph.delta.encoding;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.payload.PayloadWriter;
import io.arraymorph.delta.payload.Prediction;
import io.arraymorph.delta.payload.ValueCodec;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.CellOrder;
import io.arraymorph.delta.tensor.ElementBuffer;
import io.arraymorph.delta.tensor.ElementVectors;
import io.arraymorph.delta.tensor.SortedCells;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Cuts cells into pieces and encodes them: tensor to rows.
 *
 * <p>Cells come in any order but are unique; pieces go out in ascending order of their place in the
 * layout. Several encoders may each take a part of the cells of one tensor: rows are unions. Not
 * thread-safe.
 */
public final class TensorEncoder {
  private static final byte[] NOTHING = {};

  private final ArraySchema schema;
  private final TensorLayout layout;
  private final boolean parallel;
  private final long[] origin;
  private long part;

  /**
   * @param schema type, shape and fill value of the tensor
   * @param layout how to cut and encode
   * @param firstPart number of the first piece
   */
  public TensorEncoder(ArraySchema schema, TensorLayout layout, long firstPart) {
    this(schema, layout, firstPart, false);
  }

  /** As above; pieces are encoded on several threads if {@code parallel}. */
  public TensorEncoder(ArraySchema schema, TensorLayout layout, long firstPart, boolean parallel) {
    this.parallel = parallel;
    this.schema = schema;
    this.layout = layout;
    this.part = firstPart;
    this.origin = new long[schema.shape().rank()];
  }

  /**
   * Says that the cells to come lie at {@code first} or after it along a dimension: a chunk of FTSF
   * does not reach before it, where the chunks of an earlier write lie.
   */
  public TensorEncoder startingAt(int dimension, long first) {
    origin[dimension] = first;
    return this;
  }

  /** How pieces are cut and encoded. */
  public TensorLayout layout() {
    return layout;
  }

  /** Encodes {@code count} unique cells. */
  public void encode(long[][] columns, int count, Elements values, Consumer<Piece> sink) {
    Pieces pieces = pieces(columns, count, values);
    long first = part;
    part += pieces.count();
    if (parallel && pieces.count() > 1) {
      new PiecesInOrder(pieces, first).to(piece -> accept(piece, sink));
      return;
    }
    for (int k = 0; k < pieces.count(); k++) {
      accept(pieces.piece(k, first + k), sink);
    }
  }

  private static void accept(Piece piece, Consumer<Piece> sink) {
    if (piece != null) {
      sink.accept(piece);
    }
  }

  private Pieces pieces(long[][] columns, int count, Elements values) {
    if (layout.encoding() == TensorEncoding.BSGS) {
      Optional<BlockPieces> blocks = BlockPieces.of(this, schema.shape(), columns, count, values);
      if (blocks.isPresent()) {
        return blocks.get();
      }
    }
    SortedCells sorted = pieceOrder().sorted(columns, count);
    Elements inOrder =
        sorted.isUnchanged() ? values : ElementVectors.gather(values, sorted.order(), 0, count);
    int[] cuts = cuts(sorted.columns(), count);
    return new Pieces() {
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
        Elements own = ElementVectors.range(inOrder, cuts[k], cuts[k + 1]);
        return TensorEncoder.this.piece(number, sorted.columns(), cuts[k], cuts[k + 1], own);
      }
    };
  }

  /** Where pieces begin, and at last where the last one ends. */
  private int[] cuts(long[][] columns, int count) {
    IntStream.Builder cuts = IntStream.builder();
    for (int from = 0; from < count; ) {
      cuts.add(from);
      from =
          layout.encoding().usesBlocks()
              ? blockEnd(columns, from, count)
              : runEnd(columns, from, count);
    }
    return cuts.add(count).build().toArray();
  }

  private CellOrder pieceOrder() {
    CellOrder order = new CellOrder();
    Shape shape = schema.shape();
    if (!layout.encoding().usesBlocks()) {
      return CellOrder.ofAxes(layout.axes(), shape.toArray());
    }
    for (int d = 0; d < shape.rank(); d++) {
      order.byBlock(d, shape.length(d), layout.block().length(d));
    }
    int[] inner =
        layout.encoding() == TensorEncoding.FTSF
            ? io.arraymorph.delta.tensor.SparseTensor.naturalOrder(shape.rank())
            : layout.axes();
    for (int d : inner) {
      order.byPlace(d, layout.block().length(d));
    }
    return order;
  }

  private int blockEnd(long[][] columns, int from, int count) {
    int to = from + 1;
    while (to < count && inBlockOf(columns, from, to)) {
      to++;
    }
    return to;
  }

  private boolean inBlockOf(long[][] columns, int from, int cell) {
    for (int d = 0; d < columns.length; d++) {
      long block = layout.block().length(d);
      if (block < schema.shape().length(d)) {
        long index = columns[d][cell];
        long start = columns[d][from] - columns[d][from] % block;
        if (index < start || index - start >= block) {
          return false;
        }
      }
    }
    return true;
  }

  /** A run ends at the limit, or before if the slowest axis changes in its second half. */
  private int runEnd(long[][] columns, int from, int count) {
    int limit = Math.min(count, from + layout.pieceCells());
    if (limit == count || columns.length == 0) {
      return limit;
    }
    int cut = Math.max(1, layout.compressedAxes());
    for (int to = limit; to > from + layout.pieceCells() / 2; to--) {
      for (int k = 0; k < cut; k++) {
        long[] column = columns[layout.axisOrder().get(k)];
        if (column[to] != column[to - 1]) {
          return to;
        }
      }
    }
    return limit;
  }

  /** The piece of the cells {@code [from, to)}, whose values are {@code own}. */
  Piece piece(long number, long[][] columns, int from, int to, Elements own) {
    if (layout.encoding() == TensorEncoding.FTSF) {
      return chunk(number, columns, from, to, own);
    }
    Box box = boundingBox(columns, from, to);
    RowFormat format =
        layout.encoding() == TensorEncoding.BSGS
            ? blockFormat(box, to - from, own)
            : RowFormat.of(layout.encoding().label());
    PositionCodec.Geometry geometry =
        new PositionCodec.Geometry(box, layout.axes(), layout.compressedAxes());
    byte[] positions = NOTHING;
    if (!format.isDense()) {
      PayloadWriter out = new PayloadWriter();
      format.positions().write(columns, from, to, geometry, out);
      positions = out.finish();
    }
    Elements stored =
        format == RowFormat.BLOCK_DENSE ? dense(box, columns, from, to, own, true) : own;
    return piece(number, box, to - from, own.byteSize(), format, positions, stored);
  }

  /** A piece whose positions are encoded already. */
  Piece piece(
      long number, Box box, int cells, RowFormat format, byte[] positions, Elements values) {
    return piece(number, box, cells, values.byteSize(), format, positions, values);
  }

  private static Piece piece(
      long number,
      Box box,
      int cells,
      long rawBytes,
      RowFormat format,
      byte[] positions,
      Elements stored) {
    PayloadWriter out = new PayloadWriter();
    ValueCodec.write(stored, out);
    return new Piece(number, box, cells, rawBytes, format, positions, out.finish());
  }

  private static Box boundingBox(long[][] columns, int from, int to) {
    long[] low = new long[columns.length];
    long[] high = new long[columns.length];
    for (int d = 0; d < columns.length; d++) {
      long[] column = columns[d];
      long least = Long.MAX_VALUE;
      long greatest = 0;
      for (int i = from; i < to; i++) {
        least = Math.min(least, column[i]);
        greatest = Math.max(greatest, column[i]);
      }
      low[d] = least;
      high[d] = greatest;
    }
    return Box.of(low, high);
  }

  /** The format of least bytes before compression; dense only if it can tell stored cells. */
  RowFormat blockFormat(Box box, int cells, Elements values) {
    long volume = box.volume();
    double gapBytes =
        volume / (double) cells < 100 ? 1 : 1 + Math.log(volume / (double) cells) / Math.log(128);
    double width = values.byteSize() / (double) cells;
    double sparse = cells * (gapBytes + width);
    double bitmap = volume / 8.0 + cells * width;
    double dense = volume * width;
    boolean fixed = schema.dataType().isFixedWidth();
    if (volume == cells) {
      return fixed ? RowFormat.BLOCK_DENSE : RowFormat.BLOCK_BITMAP;
    }
    if (fixed && dense <= Math.min(sparse, bitmap) && !holdsFill(values, cells)) {
      return RowFormat.BLOCK_DENSE;
    }
    return bitmap < 0.5 * cells * gapBytes + cells * width
        ? RowFormat.BLOCK_BITMAP
        : RowFormat.BLOCK_SPARSE;
  }

  private boolean holdsFill(Elements values, int cells) {
    for (int i = 0; i < cells; i++) {
      if (ElementVectors.same(values, i, schema.fill(), 0)) {
        return true;
      }
    }
    return false;
  }

  /** The values at every position of a box, in axis order of the layout or natural order. */
  private Elements dense(
      Box box, long[][] columns, int from, int to, Elements own, boolean axisOrder) {
    int rank = box.rank();
    int[] axes =
        axisOrder ? layout.axes() : io.arraymorph.delta.tensor.SparseTensor.naturalOrder(rank);
    Odometer odometer = new Odometer(box, axes, 0, rank);
    int volume = Math.toIntExact(box.volume());
    long[] extents = new long[rank];
    for (int d = 0; d < rank; d++) {
      extents[d] = box.extent(d);
    }
    Shape shape = axisOrder ? Shape.of(volume) : Shape.of(extents);
    if (!schema.dataType().isFixedWidth()) {
      ElementBuffer all = new ElementBuffer(schema.dataType());
      int next = from;
      for (int place = 0; place < volume; place++) {
        boolean stored = next < to && odometer.number(columns, next) == place;
        all.append(stored ? own : schema.fill(), stored ? next++ - from : 0);
      }
      return all.toElements(shape);
    }
    FixedWidthElements all =
        (FixedWidthElements) ElementVectors.filled(schema.dataType(), shape, schema.fill());
    FixedWidthElements source = (FixedWidthElements) own;
    int width = schema.dataType().byteWidth();
    for (int i = from; i < to; i++) {
      int place = (int) odometer.number(columns, i);
      System.arraycopy(
          source.bytes(), source.offset() + (i - from) * width, all.bytes(), place * width, width);
    }
    return all;
  }

  private Piece chunk(long number, long[][] columns, int from, int to, Elements own) {
    int rank = columns.length;
    long[] low = new long[rank];
    long[] high = new long[rank];
    for (int d = 0; d < rank; d++) {
      long block = layout.block().length(d);
      long start = columns[d][from] / block * block;
      low[d] = Math.max(origin[d], start);
      high[d] = Math.min(schema.shape().length(d), start + block) - 1;
    }
    Box box = Box.of(low, high);
    return chunk(number, box, dense(box, columns, from, to, own, false));
  }

  /**
   * Encodes one dense chunk of FTSF.
   *
   * @param box which cells of the tensor; lies in one chunk of the layout
   * @param elements their values, in C order
   * @return the piece, or null if every value is the fill value
   */
  public Piece chunk(Box box, Elements elements) {
    Piece piece = chunk(part, box, elements);
    part += piece == null ? 0 : 1;
    return piece;
  }

  /** A dense chunk of FTSF on its way: which cells of the tensor, and their values in C order. */
  public record Chunk(Box box, Elements elements) {}

  /** As {@link #chunk(Box, Elements)} for several chunks, on several threads. */
  public void chunks(List<Chunk> chunks, Consumer<Piece> sink) {
    Piece[] pieces =
        IntStream.range(0, chunks.size())
            .parallel()
            .mapToObj(i -> chunk(part, chunks.get(i).box(), chunks.get(i).elements()))
            .toArray(Piece[]::new);
    for (Piece piece : pieces) {
      if (piece != null) {
        sink.accept(piece.numbered(part++));
      }
    }
  }

  private Piece chunk(long number, Box box, Elements elements) {
    PayloadWriter out = new PayloadWriter();
    boolean empty = true;
    for (int i = 0; empty && i < elements.count(); i++) {
      empty = ElementVectors.same(elements, i, schema.fill(), 0);
    }
    if (empty) {
      return null;
    }
    if (elements instanceof FixedWidthElements) {
      Prediction.write((FixedWidthElements) elements, out);
    } else {
      ValueCodec.write(elements, out);
    }
    return new Piece(
        number, box, elements.count(), elements.byteSize(), RowFormat.FTSF, NOTHING, out.finish());
  }
}
