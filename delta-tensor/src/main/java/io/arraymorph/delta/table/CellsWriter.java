package io.arraymorph.delta.table;

import io.arraymorph.delta.tensor.SparseTensor;
import java.util.List;

/**
 * Writes cells of one tensor into data files, in whatever form its table has. Nothing is visible
 * until the files are committed; who does not commit calls {@link #abort()}. Not thread-safe.
 */
public interface CellsWriter {

  /** Writes sorted cells. */
  void write(SparseTensor cells);

  /** The files written; after the last cells. */
  List<PieceFile> finish();

  /** Deletes the files written so far. */
  void abort();
}
