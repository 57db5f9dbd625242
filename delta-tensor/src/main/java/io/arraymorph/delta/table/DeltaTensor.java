package io.arraymorph.delta.table;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.delta.encoding.Piece;
import io.arraymorph.delta.encoding.TensorDecoder;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.ElementVectors;
import io.arraymorph.delta.tensor.Region;
import io.arraymorph.delta.tensor.SliceAssembly;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.delta.tensor.TensorSlice;
import java.util.List;
import java.util.function.Consumer;

/**
 * One tensor in one version of a table. Immutable, thread-safe.
 *
 * <p>A slice reads the pages of the rows that meet it and nothing else; what was learnt about files
 * is kept, so that the next slice needs one or two requests.
 */
public final class DeltaTensor {
  private final TableSnapshot snapshot;
  private final TableReader reader;
  private final TensorHeader header;

  DeltaTensor(TableSnapshot snapshot, TableReader reader, TensorHeader header) {
    this.snapshot = snapshot;
    this.reader = reader;
    this.header = header;
  }

  /** What the table says of the tensor. */
  public TensorHeader header() {
    return header;
  }

  /** Type, shape, dimension names and fill value. */
  public ArraySchema schema() {
    return header.schema();
  }

  /** The version of the table. */
  public long version() {
    return snapshot.version();
  }

  /** The whole tensor. */
  public SparseTensor read() {
    return slice(TensorSlice.all(schema().shape()));
  }

  /**
   * The stored cells of a slice in numpy's notation, as {@code "100"} or {@code "3:7, ::2, -1"}.
   */
  public SparseTensor slice(String text) {
    return slice(TensorSlice.parse(text, schema().shape()));
  }

  /** The stored cells of a slice, in positions of its result. */
  public SparseTensor slice(TensorSlice slice) {
    SliceAssembly assembly = new SliceAssembly(schema(), slice);
    TensorDecoder decoder = decoder();
    for (DataFile file : files(slice)) {
      reader.pieces(
          file, header.tensorId(), slice, piece -> decoder.run(piece, assembly), assembly::add);
    }
    return assembly.result();
  }

  /** All cells of a slice as a dense array, the fill value where nothing is stored. */
  public Elements dense(String text) {
    TensorSlice slice = TensorSlice.parse(text, schema().shape());
    if (!isChunked(slice)) {
      return slice(slice).toDense();
    }
    FixedWidthElements result =
        (FixedWidthElements)
            ElementVectors.filled(schema().dataType(), slice.resultShape(), schema().fill());
    place(
        slice,
        (at, bytes, from, length) ->
            System.arraycopy(bytes, from, result.bytes(), (int) at, length));
    return result;
  }

  /**
   * True if {@link #place} can give a slice as bytes: one that is contiguous, of a tensor in FTSF
   * with elements of one width.
   */
  private boolean isChunked(TensorSlice slice) {
    return header.layout().encoding() == TensorEncoding.FTSF
        && schema().dataType().isFixedWidth()
        && DenseSlice.isContiguous(slice);
  }

  /**
   * The least number of bytes at a time that {@link #place} puts of a slice, as a rule; 0 if it
   * cannot.
   */
  public long placedBytes(TensorSlice slice) {
    return isChunked(slice)
        ? DenseSlice.runBytes(
            slice, header.layout().block().toArray(), schema().dataType().byteWidth())
        : 0;
  }

  /**
   * Puts all cells of a slice that are in chunks, in C order of the slice's result, chunk by chunk
   * as they arrive. The target must hold the fill value already wherever no chunk is.
   *
   * @param slice one for which {@link #placedBytes} is not 0
   */
  public void place(TensorSlice slice, DenseTarget target) {
    DenseSlice dense = new DenseSlice(slice, schema().dataType().byteWidth(), target);
    TensorDecoder decoder = decoder();
    reader.eachPiece(
        files(slice),
        header.tensorId(),
        slice,
        (piece, values, from, to) -> {
          dense.claim(piece.box());
          dense.place(piece.box(), decoder.decodeDense(piece, values, from, to));
        });
  }

  /**
   * True if {@link #place} will surely put every cell of a slice, so that the target need not hold
   * the fill value. False does not say that it will not.
   *
   * @param slice one for which {@link #placedBytes} is not 0
   */
  public boolean isCovered(TensorSlice slice) {
    long cells = 0;
    int chunks = 0;
    for (DataFile file : files(slice)) {
      for (Box box : reader.boxes(file, header.tensorId(), slice)) {
        cells += DenseSlice.cells(slice, box);
        chunks++;
      }
    }
    // Up to so many chunks are known not to overlap; with more, some cells may be counted twice.
    return chunks <= DenseSlice.MOST_COMPARED && cells == slice.resultShape().elementCount();
  }

  /** A decoder of this tensor's pieces. */
  public TensorDecoder decoder() {
    return new TensorDecoder(schema(), header.layout());
  }

  /** The files that may hold cells of a region. */
  public List<DataFile> files(Region region) {
    return snapshot.dataFiles(header, region);
  }

  /** Reads the pieces that may hold cells of a region. */
  public void pieces(Region region, Consumer<Piece> sink) {
    for (DataFile file : files(region)) {
      reader.pieces(file, header.tensorId(), region, sink);
    }
  }
}
