package io.arraymorph.spark.delta;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.encoding.TensorLayout;
import io.arraymorph.delta.table.DeltaTensor;
import io.arraymorph.spark.RowMode;
import io.arraymorph.store.StoreConfig;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.types.StructType;

/**
 * What a read is asked for, before anything is pushed down: which tensors, and what a row is.
 *
 * @param path of the table
 * @param config of the store; may hold credentials, not to be printed
 * @param tensors in the order of their columns
 * @param columns of the read
 * @param rows what a row is
 * @param allCells true if cells that are not stored have rows too
 * @param piece lengths of a tensor row, if given
 */
record TensorRead(
    String path,
    StoreConfig config,
    List<DeltaTensor> tensors,
    TensorColumns columns,
    RowMode rows,
    boolean allCells,
    Optional<Shape> piece) {
  /** Cells of a tensor row if no option and no block says otherwise. */
  private static final long PIECE_CELLS = 1L << 20;

  private static final long MOST_PIECE_CELLS = 1L << 27;

  /**
   * Reads the options; of dense tensors a row is a tensor unless told, else a cell.
   *
   * @throws ArrayMorphException UNKNOWN_DIMENSION if {@code rows} names what no tensor has
   */
  static TensorRead of(
      TensorOptions options, StoreConfig config, List<DeltaTensor> tensors, boolean named) {
    List<TensorHeader> headers = tensors.stream().map(DeltaTensor::header).toList();
    TensorColumns columns =
        named ? TensorColumns.ofOne(headers.get(0)) : TensorColumns.ofAll(headers);
    boolean dense =
        !headers.isEmpty()
            && headers.stream().allMatch(h -> h.layout().encoding() == TensorEncoding.FTSF);
    RowMode rows = options.rows().orElse(dense ? new RowMode.Tensors() : new RowMode.Cells());
    if (rows instanceof RowMode.Named) {
      for (String name : ((RowMode.Named) rows).dimensions()) {
        if (!columns.dimensions().contains(name)) {
          throw new ArrayMorphException(
              ErrorCode.UNKNOWN_DIMENSION,
              "option rows names '" + name + "', which is none of " + columns.dimensions(),
              "Name dimensions, or use tensors or cells");
        }
      }
    }
    return new TensorRead(
        options.path(), config, tensors, columns, rows, options.allCells(), options.piece());
  }

  /** True if a row is a cell. */
  boolean cells() {
    return rows instanceof RowMode.Cells;
  }

  StructType schema() {
    return columns.schema(cells());
  }

  /** The dimensions that a row spans. */
  Set<String> packed() {
    return columns.dimensions().stream().filter(rows::packs).collect(Collectors.toSet());
  }

  /** True if the rows of a tensor are its chunks as they are stored. */
  boolean isByChunks(TensorHeader header) {
    return rows instanceof RowMode.Tensors
        && header.layout().encoding() == TensorEncoding.FTSF
        && piece.isEmpty()
        && !allCells;
  }

  /**
   * The pieces that are rows of a tensor.
   *
   * @throws ArrayMorphException TOO_LARGE if one of them is
   */
  PieceGrid grid(TensorHeader header) {
    Shape shape = header.schema().shape();
    List<String> dimensions = header.schema().dimensionNames();
    if (!(rows instanceof RowMode.Tensors)) {
      long[] lengths = new long[shape.rank()];
      for (int d = 0; d < lengths.length; d++) {
        lengths[d] = rows.packs(dimensions.get(d)) ? Math.max(1, shape.length(d)) : 1;
      }
      return checked(Shape.of(lengths), header);
    }
    if (piece.isPresent()) {
      TensorOptions.checkShape(piece.get(), dimensions);
      return checked(piece.get(), header);
    }
    TensorLayout layout = header.layout();
    return layout.encoding().usesBlocks() && layout.block().elementCount() <= 4 * PIECE_CELLS
        ? new PieceGrid(layout.block())
        : PieceGrid.ofCells(shape, PIECE_CELLS);
  }

  private static PieceGrid checked(Shape lengths, TensorHeader header) {
    long cells = 1;
    for (int d = 0; d < lengths.rank(); d++) {
      long length = Math.min(lengths.length(d), Math.max(1, header.schema().shape().length(d)));
      if (lengths.length(d) < 1) {
        throw TensorOptions.invalid("piece", lengths.toString(), "Use lengths of at least 1");
      }
      cells = length > MOST_PIECE_CELLS / cells ? MOST_PIECE_CELLS + 1 : cells * length;
    }
    if (cells > MOST_PIECE_CELLS) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          "a row of "
              + lengths
              + " cells of tensor '"
              + header.tensorId()
              + "' has more than "
              + MOST_PIECE_CELLS,
          "Use option piece with smaller lengths, or name more dimensions in rows");
    }
    return new PieceGrid(lengths);
  }

  @Override
  public String toString() {
    return path
        + (tensors.size() == 1
            ? " tensor '" + columns.header(0).tensorId() + "'"
            : " with " + tensors.size() + " tensors");
  }
}
