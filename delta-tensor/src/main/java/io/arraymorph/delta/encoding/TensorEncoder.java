package io.arraymorph.delta.encoding;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.delta.tensor.StoredCells;
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
  private final PieceMaker maker;
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
    this.part = firstPart;
    this.origin = new long[schema.shape().rank()];
    this.maker = new PieceMaker(schema, layout, origin);
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
    return maker.layout();
  }

  /** Encodes the cells of a tensor. */
  public void encode(SparseTensor tensor, Consumer<Piece> sink) {
    encode(tensor.cells(), tensor.count(), sink);
  }

  /** Encodes {@code count} unique cells. */
  public void encode(long[][] columns, int count, Elements values, Consumer<Piece> sink) {
    encode(StoredCells.of(columns, values), count, sink);
  }

  private void encode(StoredCells cells, int count, Consumer<Piece> sink) {
    Pieces pieces = pieces(cells, count);
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

  private Pieces pieces(StoredCells cells, int count) {
    Shape shape = maker.schema().shape();
    Optional<? extends Pieces> pieces = Optional.empty();
    if (maker.layout().encoding() == TensorEncoding.BSGS) {
      pieces = BlockPieces.of(maker, shape, cells, count, parallel);
    } else if (maker.layout().encoding() != TensorEncoding.FTSF) {
      pieces = RunPieces.of(maker, shape, cells, count, parallel);
    }
    return pieces.isPresent() ? pieces.get() : SortedPieces.of(maker, cells, count);
  }

  /**
   * Encodes one dense chunk of FTSF.
   *
   * @param box which cells of the tensor; lies in one chunk of the layout
   * @param elements their values, in C order
   * @return the piece, or null if every value is the fill value
   */
  public Piece chunk(Box box, Elements elements) {
    Piece piece = maker.chunk(part, box, elements);
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
            .mapToObj(i -> maker.chunk(part, chunks.get(i).box(), chunks.get(i).elements()))
            .toArray(Piece[]::new);
    for (Piece piece : pieces) {
      if (piece != null) {
        sink.accept(piece.numbered(part++));
      }
    }
  }
}
