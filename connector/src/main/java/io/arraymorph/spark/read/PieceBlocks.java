package io.arraymorph.spark.read;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.ElementsAssembly;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.optimizer.execute.ElementStream;
import io.arraymorph.optimizer.execute.ReadRequest;
import io.arraymorph.spark.read.PieceSequence.PieceSelection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The pieces of a partition with the elements of each variable, packed: one array with the shape of
 * the piece's selected cells.
 *
 * <p>What is read ahead is bounded by the stream below. One thread.
 */
final class PieceBlocks implements AutoCloseable {
  /** A piece in more hyperslabs than this is read as its bounding box and packed here. */
  private static final int MAX_HYPERSLABS = 64;

  private static final int MAX_ARRAY_BYTES = Integer.MAX_VALUE - 64;

  /**
   * One piece in memory.
   *
   * @param elements one per variable, each with the shape of the cells along its dimensions
   */
  record Block(PieceSelection piece, List<Elements> elements) {}

  /**
   * What is read of each piece.
   *
   * @param projection from cells of the table to its elements
   */
  record Source(ChunkedArray array, Projection projection) {}

  private final Iterator<PieceSelection> pieces;
  private final List<Source> variables;
  private final ElementStream stream;

  /**
   * @param pieces makes the pieces of the partition, always the same; called twice
   * @param variables what to read of each piece, possibly nothing
   * @param open starts reading requests in order
   */
  PieceBlocks(
      Supplier<Iterator<PieceSelection>> pieces,
      List<Source> variables,
      Function<Iterator<ReadRequest>, ElementStream> open) {
    this.pieces = pieces.get();
    this.variables = List.copyOf(variables);
    this.stream =
        variables.isEmpty() ? null : open.apply(new Requests(pieces.get(), this.variables));
  }

  /** True if there is another piece. */
  boolean hasNext() {
    return pieces.hasNext();
  }

  /** The next piece; waits for its elements. */
  Block next() {
    PieceSelection piece = pieces.next();
    List<Elements> elements = new ArrayList<>(variables.size());
    for (Source variable : variables) {
      OrthogonalSelection cells = variable.projection().of(piece.cells());
      elements.add(packed(cells, hyperslabs(cells), variable.array().schema().dataType()));
    }
    return new Block(piece, elements);
  }

  @Override
  public void close() {
    if (stream != null) {
      stream.close();
    }
  }

  private Elements packed(OrthogonalSelection cells, List<Hyperslab> hyperslabs, DataType type) {
    if (hyperslabs.size() == 1 && hyperslabs.get(0).elementCount() == cells.elementCount()) {
      return stream.next();
    }
    ElementsAssembly assembly = ElementsAssembly.of(type, cells.counts());
    if (hyperslabs.size() == 1) {
      Elements box = stream.next();
      long[] origin = negated(hyperslabs.get(0));
      for (Hyperslab part : cells.hyperslabs()) {
        assembly.place(box, part.shift(origin), placeOf(part, cells));
      }
    } else {
      for (Hyperslab part : hyperslabs) {
        assembly.place(stream.next(), placeOf(part, cells));
      }
    }
    return assembly.finish();
  }

  private static long[] negated(Hyperslab box) {
    return box.ranges().stream().mapToLong(range -> -range.start()).toArray();
  }

  /** Where a hyperslab of the product lies when the product is packed. */
  private static Hyperslab placeOf(Hyperslab part, OrthogonalSelection cells) {
    IndexRange[] place = new IndexRange[part.rank()];
    for (int d = 0; d < place.length; d++) {
      long first = new IndexRanks(cells.indices(d)).below(part.range(d).start());
      place[d] = IndexRange.of(first, first + part.range(d).count());
    }
    return Hyperslab.of(place);
  }

  /** What to request for a piece: its hyperslabs, or one box around them. */
  private static List<Hyperslab> hyperslabs(OrthogonalSelection cells) {
    List<Hyperslab> hyperslabs = new ArrayList<>();
    for (Hyperslab hyperslab : cells.hyperslabs()) {
      if (hyperslabs.size() == MAX_HYPERSLABS) {
        return List.of(cells.bounds());
      }
      hyperslabs.add(hyperslab);
    }
    return hyperslabs;
  }

  /** The requests of all pieces, variable after variable within a piece. */
  private static final class Requests implements Iterator<ReadRequest> {
    private final Iterator<PieceSelection> pieces;
    private final List<Source> variables;
    private final Deque<ReadRequest> ready = new ArrayDeque<>();

    Requests(Iterator<PieceSelection> pieces, List<Source> variables) {
      this.pieces = pieces;
      this.variables = variables;
    }

    @Override
    public boolean hasNext() {
      while (ready.isEmpty() && pieces.hasNext()) {
        OrthogonalSelection piece = pieces.next().cells();
        for (Source variable : variables) {
          OrthogonalSelection cells = variable.projection().of(piece);
          checkSize(cells, variable.array());
          hyperslabs(cells).forEach(part -> ready.add(new ReadRequest(variable.array(), part)));
        }
      }
      return !ready.isEmpty();
    }

    @Override
    public ReadRequest next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return ready.remove();
    }

    private static void checkSize(OrthogonalSelection cells, ChunkedArray variable) {
      int width = Math.max(1, variable.schema().dataType().byteWidth());
      double bytes = width;
      for (long length : cells.counts().toArray()) {
        bytes *= length;
      }
      if (bytes > MAX_ARRAY_BYTES) {
        throw new ArrayMorphException(
            ErrorCode.TOO_LARGE,
            "one row of "
                + variable.path()
                + " would hold cells of shape "
                + cells.counts()
                + ", more than 2 GiB",
            "Read smaller pieces (option piece), fewer packed dimensions (option rows) or a slice");
      }
    }
  }
}
