package io.arraymorph.spark.read;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * The pieces of one partition in order, each with the selected cells in it; made one by one.
 *
 * <p>Units are visited in C order of their grid, and within a unit its pieces in C order of theirs,
 * so that pieces of one shard come one after the other. One thread.
 */
final class PieceSequence implements Iterator<PieceSequence.PieceSelection> {

  /**
   * The selected cells in one piece: what becomes one tensor row, or a run of cell rows.
   *
   * @param piece the place of the piece in its grid
   * @param cells in indices of the array, not empty
   */
  record PieceSelection(ChunkCoordinates piece, OrthogonalSelection cells) {}

  private final ChunkPartition partition;
  private final Selection selection;
  private final ChunkGrid unitGrid;
  private final ChunkGrid pieceGrid;
  private int segment = -1;
  private long unit;
  private long lastUnit;
  private TouchedUnits units;
  private OrthogonalSelection inUnit;
  private TouchedUnits pieces;
  private long piece;

  PieceSequence(
      ChunkPartition partition, Selection selection, ChunkGrid unitGrid, ChunkGrid pieceGrid) {
    this.partition = partition;
    this.selection = selection;
    this.unitGrid = unitGrid;
    this.pieceGrid = pieceGrid;
  }

  @Override
  public boolean hasNext() {
    while (pieces == null || piece == pieces.count()) {
      if (unit == lastUnit && !nextSegment()) {
        return false;
      }
      inUnit = part().clip(unitGrid.chunkBox(units.unit(unit++)));
      pieces = new TouchedUnits(pieceGrid, inUnit);
      piece = 0;
    }
    return true;
  }

  private boolean nextSegment() {
    if (segment + 1 == partition.size()) {
      return false;
    }
    segment++;
    unit = partition.segment(segment).from();
    lastUnit = partition.segment(segment).to();
    units = new TouchedUnits(unitGrid, part());
    return true;
  }

  private OrthogonalSelection part() {
    return selection.parts().get(partition.segment(segment).part());
  }

  @Override
  public PieceSelection next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    ChunkCoordinates at = pieces.unit(piece++);
    return new PieceSelection(at, inUnit.clip(pieceGrid.chunkBox(at)));
  }
}
