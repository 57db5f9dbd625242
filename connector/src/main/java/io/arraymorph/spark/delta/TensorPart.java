package io.arraymorph.spark.delta;

import io.arraymorph.delta.table.DataFile;
import io.arraymorph.delta.tensor.IndexRegion;
import java.io.Serializable;
import java.util.ArrayList;

/** A part of one tensor that one task reads, and in which form. */
sealed interface TensorPart extends Serializable {
  /** JSON of the tensor's header. */
  byte[] header();

  /** The files that may hold cells of it. */
  @SuppressWarnings("NonApiType") // Spark serializes it
  ArrayList<DataFile> files();

  /** Which cells. */
  IndexRegion region();

  /**
   * The stored cells, one row each.
   *
   * @param share which part of the files' pieces, from 0
   * @param shares how many there are
   */
  @SuppressWarnings("ArrayRecordComponent") // Sent to tasks, never compared.
  record StoredCells(
      byte[] header, ArrayList<DataFile> files, IndexRegion region, int share, int shares)
      implements TensorPart {}

  /** All cells of a region of bounded volume, one row each. */
  @SuppressWarnings("ArrayRecordComponent")
  record AllCells(byte[] header, ArrayList<DataFile> files, IndexRegion region)
      implements TensorPart {}

  /** The chunks of a dense tensor as they are stored, one row each; shares as above. */
  @SuppressWarnings("ArrayRecordComponent")
  record Chunks(byte[] header, ArrayList<DataFile> files, IndexRegion region, int share, int shares)
      implements TensorPart {}

  /**
   * A region of bounded volume as one row, or one for each of its hyperslabs.
   *
   * @param fills true if there are rows where no cell is stored
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Piece(byte[] header, ArrayList<DataFile> files, IndexRegion region, boolean fills)
      implements TensorPart {}
}
