package io.arraymorph.spark.read;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.spark.Piece;
import java.io.Serializable;
import java.util.Optional;

/**
 * How an array is cut for reading: pieces, that are read at once, within units, that are never
 * divided between tasks.
 *
 * @param pieces in tensor rows one row each; in cell rows the run of cells, and in rows of named
 *     dimensions the block of rows, that is decoded at once
 * @param units each holds whole pieces
 */
record PieceLayout(ChunkGrid pieces, ChunkGrid units) implements Serializable {
  /** Fewer cells than this in a piece and the work per piece outweighs that per cell. */
  private static final long MIN_CELLS = 1 << 14;

  /** Grown pieces stay below this. */
  private static final long GROWN_CELLS = 1 << 17;

  /**
   * Uncompressed bytes that one piece of cell rows, or one unit of packed rows, should not pass.
   */
  private static final long MAX_BYTES = 64L << 20;

  /**
   * The layout for tensor rows.
   *
   * @param reference the array whose chunks are the pieces
   * @param unitBytes uncompressed bytes up to which a shard is one unit
   * @throws ArrayMorphException with INVALID_OPTION if sizes do not fit the rank
   */
  static PieceLayout tensors(
      Piece piece, Shape shape, Optional<ChunkedArray> reference, int cellBytes, long unitBytes) {
    if (piece instanceof Piece.Sizes) {
      ChunkGrid sizes = ofSizes((Piece.Sizes) piece, shape);
      return new PieceLayout(sizes, unitsHolding(sizes, reference, cellBytes, unitBytes));
    }
    if (reference.isEmpty()) {
      ChunkGrid grid = grown(shape, ones(shape));
      return new PieceLayout(grid, grid);
    }
    ChunkGrid stored = reference.get().grid();
    if (piece instanceof Piece.Shard) {
      return new PieceLayout(stored, stored);
    }
    ChunkGrid chunks = chunksOf(reference.get());
    return new PieceLayout(chunks, unitsOf(stored, chunks, cellBytes, unitBytes));
  }

  /** The layout for rows of single cells. */
  static PieceLayout cells(
      Shape shape,
      Optional<ChunkedArray> reference,
      int cellBytes,
      long unitBytes,
      boolean wholeChunks) {
    if (reference.isEmpty()) {
      ChunkGrid grid = grown(shape, ones(shape));
      return new PieceLayout(grid, grid);
    }
    ChunkGrid chunks = chunksOf(reference.get());
    long[] lengths = reference.get().readChunkShape().toArray();
    long cells = saturatedProduct(lengths);
    if (cells < MIN_CELLS && !wholeChunks) {
      ChunkGrid grid = grown(shape, lengths);
      // Pieces of cells may be cut: rows are single cells. So is a shard never divided.
      ChunkGrid stored = reference.get().grid();
      return new PieceLayout(
          grid,
          SharedObjects.holds(grid, stored) ? grid : unitsOf(stored, grid, cellBytes, unitBytes));
    }
    if (cells * (double) cellBytes > MAX_BYTES && !wholeChunks) {
      ChunkGrid grid = new RegularChunkGrid(shape, shrunk(lengths, cellBytes));
      return new PieceLayout(grid, unitsOf(reference.get().grid(), grid, cellBytes, unitBytes));
    }
    return new PieceLayout(chunks, unitsOf(reference.get().grid(), chunks, cellBytes, unitBytes));
  }

  /**
   * The layout for one row per index of some dimensions, the others packed: blocks of several rows,
   * so that a chunk which several rows share is read once.
   */
  static PieceLayout named(
      Shape shape,
      boolean[] packed,
      Optional<ChunkedArray> reference,
      int cellBytes,
      long unitBytes) {
    long[] block = new long[shape.rank()];
    for (int d = 0; d < block.length; d++) {
      block[d] = packed[d] ? Math.max(1, shape.length(d)) : 1;
      if (!packed[d] && reference.isPresent()) {
        block[d] = reference.get().readChunkShape().length(d);
      }
    }
    for (int d = 0; d < block.length; d++) {
      while (!packed[d]
          && block[d] > 1
          && saturatedProduct(block) * (double) cellBytes > MAX_BYTES) {
        block[d] = (block[d] + 1) / 2;
      }
    }
    ChunkGrid grid = new RegularChunkGrid(shape, Shape.of(block));
    if (reference.isEmpty() || !(reference.get().grid() instanceof RegularChunkGrid)) {
      return new PieceLayout(grid, grid);
    }
    // As for single cells, blocks of rows may be cut where a shard ends.
    Shape stored = ((RegularChunkGrid) reference.get().grid()).chunkShape();
    for (int d = 0; d < block.length; d++) {
      block[d] = packed[d] ? block[d] : stored.length(d);
    }
    ChunkGrid units = new RegularChunkGrid(shape, Shape.of(block));
    return new PieceLayout(grid, unitsOf(units, grid, cellBytes, unitBytes));
  }

  /** The grid of what is decoded on its own: inner chunks of shards, else the stored chunks. */
  static ChunkGrid chunksOf(ChunkedArray array) {
    ChunkGrid grid = array.grid();
    boolean sharded =
        array
                .pipeline(
                    array.grid() instanceof RegularChunkGrid
                        ? ((RegularChunkGrid) grid).chunkShape()
                        : array.readChunkShape())
                .addressing()
            instanceof Addressing.Sharded;
    return sharded ? new RegularChunkGrid(grid.arrayShape(), array.readChunkShape()) : grid;
  }

  private static ChunkGrid unitsOf(
      ChunkGrid stored, ChunkGrid chunks, int cellBytes, long unitBytes) {
    boolean small =
        stored instanceof RegularChunkGrid
            && saturatedProduct(((RegularChunkGrid) stored).chunkShape().toArray())
                    * (double) cellBytes
                <= unitBytes;
    return small ? stored : chunks;
  }

  /** The stored objects if each is small and holds whole pieces, so that one task reads it. */
  private static ChunkGrid unitsHolding(
      ChunkGrid pieces, Optional<ChunkedArray> reference, int cellBytes, long unitBytes) {
    return reference.isPresent() && SharedObjects.holds(reference.get().grid(), pieces)
        ? unitsOf(reference.get().grid(), pieces, cellBytes, unitBytes)
        : pieces;
  }

  private static ChunkGrid ofSizes(Piece.Sizes piece, Shape shape) {
    if (piece.shape().rank() != shape.rank()) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          "option piece: '"
              + piece
              + "' has "
              + piece.shape().rank()
              + " sizes, the array has "
              + shape.rank()
              + " dimensions",
          "Give one size per dimension");
    }
    return new RegularChunkGrid(shape, piece.shape());
  }

  private static long[] ones(Shape shape) {
    long[] lengths = new long[shape.rank()];
    java.util.Arrays.fill(lengths, 1);
    return lengths;
  }

  /** Multiples of small chunks along the last dimensions, until there is enough work in each. */
  private static ChunkGrid grown(Shape shape, long[] chunk) {
    long[] lengths = chunk.clone();
    for (int d = lengths.length - 1; d >= 0; d--) {
      long others = saturatedProduct(lengths) / lengths[d];
      long multiple = Math.max(1, GROWN_CELLS / Math.max(1, others * chunk[d]));
      long enough = Math.max(1, (shape.length(d) + chunk[d] - 1) / chunk[d]);
      lengths[d] = chunk[d] * Math.min(multiple, enough);
    }
    return new RegularChunkGrid(shape, Shape.of(lengths));
  }

  /** Halves of large chunks along the first dimensions. */
  private static Shape shrunk(long[] chunk, int cellBytes) {
    long[] lengths = chunk.clone();
    for (int d = 0; d < lengths.length; d++) {
      while (lengths[d] > 1 && saturatedProduct(lengths) * (double) cellBytes > MAX_BYTES) {
        lengths[d] = (lengths[d] + 1) / 2;
      }
    }
    return Shape.of(lengths);
  }

  private static long saturatedProduct(long[] lengths) {
    double product = 1;
    for (long length : lengths) {
      product *= length;
    }
    return product >= Long.MAX_VALUE ? Long.MAX_VALUE : (long) product;
  }
}
