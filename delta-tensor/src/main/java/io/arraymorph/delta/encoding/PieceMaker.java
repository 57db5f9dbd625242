package io.arraymorph.delta.encoding;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.payload.PayloadWriter;
import io.arraymorph.delta.payload.Prediction;
import io.arraymorph.delta.payload.ValueCodec;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.ElementBuffer;
import io.arraymorph.delta.tensor.ElementVectors;
import io.arraymorph.delta.tensor.SparseTensor;

/** Makes pieces of cells in the order of a layout. Immutable. */
final class PieceMaker {
  private static final byte[] NOTHING = {};

  private final ArraySchema schema;
  private final TensorLayout layout;
  private final long[] origin;

  /**
   * @param origin before which no chunk of FTSF reaches
   */
  PieceMaker(ArraySchema schema, TensorLayout layout, long[] origin) {
    this.schema = schema;
    this.layout = layout;
    this.origin = origin;
  }

  ArraySchema schema() {
    return schema;
  }

  TensorLayout layout() {
    return layout;
  }

  /** The piece of the cells {@code [from, to)}, whose values are {@code own}. */
  Piece piece(long number, long[][] columns, int from, int to, PieceValues own) {
    if (layout.encoding() == TensorEncoding.FTSF) {
      return chunk(number, columns, from, to, own.elements());
    }
    Box box = boundingBox(columns, from, to);
    RowFormat format =
        layout.encoding() == TensorEncoding.BSGS
            ? blockFormat(box, own)
            : RowFormat.of(layout.encoding().label());
    PositionCodec.Geometry geometry =
        new PositionCodec.Geometry(box, layout.axes(), layout.compressedAxes());
    byte[] positions = NOTHING;
    if (!format.isDense()) {
      PayloadWriter out = new PayloadWriter();
      format.positions().write(columns, from, to, geometry, out);
      positions = out.finish();
    }
    PieceValues stored =
        format == RowFormat.BLOCK_DENSE
            ? new PieceValues(dense(box, columns, from, to, own.elements(), true))
            : own;
    return piece(number, box, to - from, own.byteSize(), format, positions, stored);
  }

  /** A piece whose positions are encoded already. */
  Piece piece(long number, Box box, RowFormat format, byte[] positions, PieceValues values) {
    return piece(number, box, values.count(), values.byteSize(), format, positions, values);
  }

  private static Piece piece(
      long number,
      Box box,
      int cells,
      long rawBytes,
      RowFormat format,
      byte[] positions,
      PieceValues stored) {
    PayloadWriter out = new PayloadWriter();
    stored.write(out);
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
  RowFormat blockFormat(Box box, PieceValues values) {
    int cells = values.count();
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
    if (fixed && dense <= Math.min(sparse, bitmap) && !holdsFill(values.elements(), cells)) {
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
    int[] axes = axisOrder ? layout.axes() : SparseTensor.naturalOrder(rank);
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

  /** One dense chunk of FTSF; null if every value is the fill value. */
  Piece chunk(long number, Box box, Elements elements) {
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
