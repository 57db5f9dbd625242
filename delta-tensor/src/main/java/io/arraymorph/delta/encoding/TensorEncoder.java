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
import java.util.function.Consumer;

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
  private final PayloadWriter out = new PayloadWriter();
  private long part;

  /**
   * @param schema type, shape and fill value of the tensor
   * @param layout how to cut and encode
   * @param firstPart number of the first piece
   */
  public TensorEncoder(ArraySchema schema, TensorLayout layout, long firstPart) {
    this.schema = schema;
    this.layout = layout;
    this.part = firstPart;
  }

  /** The number that the next piece gets. */
  public long nextPart() {
    return part;
  }

  /** How pieces are cut and encoded. */
  public TensorLayout layout() {
    return layout;
  }

  /** Encodes {@code count} unique cells. */
  public void encode(long[][] columns, int count, Elements values, Consumer<Piece> sink) {
    int[] order = pieceOrder().sort(columns, count);
    for (int from = 0; from < count; ) {
      int to =
          layout.encoding().usesBlocks()
              ? blockEnd(columns, order, from)
              : runEnd(columns, order, from);
      Piece piece = piece(columns, order, from, to, values);
      if (piece != null) {
        sink.accept(piece);
      }
      from = to;
    }
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

  private int blockEnd(long[][] columns, int[] order, int from) {
    int rank = columns.length;
    long[] start = new long[rank];
    for (int d = 0; d < rank; d++) {
      long block = layout.block().length(d);
      start[d] = columns[d][order[from]] / block * block;
    }
    int to = from + 1;
    for (; to < order.length; to++) {
      for (int d = 0; d < rank; d++) {
        long index = columns[d][order[to]];
        if (index < start[d] || index - start[d] >= layout.block().length(d)) {
          return to;
        }
      }
    }
    return to;
  }

  /** A run ends at the limit, or before if the slowest axis changes in its second half. */
  private int runEnd(long[][] columns, int[] order, int from) {
    int limit = Math.min(order.length, from + layout.pieceCells());
    if (limit == order.length || columns.length == 0) {
      return limit;
    }
    int cut = Math.max(1, layout.compressedAxes());
    for (int to = limit; to > from + layout.pieceCells() / 2; to--) {
      for (int k = 0; k < cut; k++) {
        long[] column = columns[layout.axisOrder().get(k)];
        if (column[order[to]] != column[order[to - 1]]) {
          return to;
        }
      }
    }
    return limit;
  }

  private Piece piece(long[][] columns, int[] order, int from, int to, Elements values) {
    if (layout.encoding() == TensorEncoding.FTSF) {
      return chunk(columns, order, from, to, values);
    }
    Box box = boundingBox(columns, order, from, to);
    Elements own = ElementVectors.gather(values, order, from, to);
    RowFormat format =
        layout.encoding() == TensorEncoding.BSGS
            ? blockFormat(box, to - from, own)
            : RowFormat.of(layout.encoding().label());
    PositionCodec.Geometry geometry =
        new PositionCodec.Geometry(box, layout.axes(), layout.compressedAxes());
    byte[] positions = NOTHING;
    if (!format.isDense()) {
      format.positions().write(columns, order, from, to, geometry, out);
      positions = out.finish();
    }
    Elements stored =
        format == RowFormat.BLOCK_DENSE ? dense(box, columns, order, from, to, values, true) : own;
    ValueCodec.write(stored, out);
    return new Piece(part++, box, to - from, own.byteSize(), format, positions, out.finish());
  }

  private static Box boundingBox(long[][] columns, int[] order, int from, int to) {
    long[] low = new long[columns.length];
    long[] high = new long[columns.length];
    for (int d = 0; d < columns.length; d++) {
      long[] column = columns[d];
      long least = Long.MAX_VALUE;
      long greatest = 0;
      for (int i = from; i < to; i++) {
        least = Math.min(least, column[order[i]]);
        greatest = Math.max(greatest, column[order[i]]);
      }
      low[d] = least;
      high[d] = greatest;
    }
    return Box.of(low, high);
  }

  /** The format of least bytes before compression; dense only if it can tell stored cells. */
  private RowFormat blockFormat(Box box, int cells, Elements values) {
    long volume = box.volume();
    double gapBytes =
        volume / (double) cells < 100 ? 1 : 1 + Math.log(volume / (double) cells) / Math.log(128);
    double width = values.byteSize() / (double) cells;
    double sparse = cells * (gapBytes + width);
    double bitmap = volume / 8.0 + cells * width;
    double dense = volume * width;
    boolean canBeDense =
        schema.dataType().isFixedWidth() && (volume == cells || !holdsFill(values, cells));
    if (volume == cells || (canBeDense && dense <= Math.min(sparse, bitmap))) {
      return schema.dataType().isFixedWidth() ? RowFormat.BLOCK_DENSE : RowFormat.BLOCK_BITMAP;
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
      Box box,
      long[][] columns,
      int[] order,
      int from,
      int to,
      Elements values,
      boolean axisOrder) {
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
        boolean stored = next < to && odometer.number(columns, order[next]) == place;
        all.append(stored ? values : schema.fill(), stored ? order[next++] : 0);
      }
      return all.toElements(shape);
    }
    FixedWidthElements all =
        (FixedWidthElements) ElementVectors.filled(schema.dataType(), shape, schema.fill());
    FixedWidthElements source = (FixedWidthElements) values;
    int width = schema.dataType().byteWidth();
    for (int i = from; i < to; i++) {
      int place = (int) odometer.number(columns, order[i]);
      System.arraycopy(
          source.bytes(), source.offset() + order[i] * width, all.bytes(), place * width, width);
    }
    return all;
  }

  private Piece chunk(long[][] columns, int[] order, int from, int to, Elements values) {
    int rank = columns.length;
    long[] low = new long[rank];
    long[] high = new long[rank];
    for (int d = 0; d < rank; d++) {
      long block = layout.block().length(d);
      low[d] = columns[d][order[from]] / block * block;
      high[d] = Math.min(schema.shape().length(d), low[d] + block) - 1;
    }
    Box box = Box.of(low, high);
    return chunk(box, dense(box, columns, order, from, to, values, false));
  }

  /**
   * Encodes one dense chunk of FTSF.
   *
   * @param box which cells of the tensor; lies in one chunk of the layout
   * @param elements their values, in C order
   * @return the piece, or null if every value is the fill value
   */
  public Piece chunk(Box box, Elements elements) {
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
        part++, box, elements.count(), elements.byteSize(), RowFormat.FTSF, NOTHING, out.finish());
  }
}
