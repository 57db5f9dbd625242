package io.arraymorph.spark.read;

import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.optimizer.execute.ObjectPins;
import io.arraymorph.optimizer.function.SliceFunctionOptions;
import io.arraymorph.optimizer.plan.PlannerOptions;
import io.arraymorph.spark.RowMode;
import io.arraymorph.spark.read.PieceSequence.PieceSelection;
import io.arraymorph.store.StoreConfig;
import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalInt;

/**
 * What every task of a scan does: everything an executor needs besides its {@link ChunkPartition}.
 *
 * @param rows what one row is
 * @param packed for each dimension whether a row spans it
 * @param selection the cells to read
 * @param layout how they are cut
 * @param variables the arrays whose elements are read
 * @param columns the columns of a batch, in order
 * @param chunkNames the grid whose chunks metadata column {@code _chunk} names
 * @param filter which of these cells become rows, or take part in aggregates
 * @param limit rows after which a task may stop
 * @param planner how requests are planned
 * @param missingIsError true if an absent chunk is an error
 * @param sliceFunction the slice function that tasks may call, or null; never shows its token
 * @param query tells the tasks of this read from those of others
 * @param pinned the versions of objects that several tasks read
 * @param config how to open the store; never printed
 */
record ReadPlan(
    RowMode rows,
    List<Boolean> packed,
    Selection selection,
    PieceLayout layout,
    List<ArrayImage> variables,
    List<OutputColumn> columns,
    io.arraymorph.array.ChunkGrid chunkNames,
    CellFilter filter,
    OptionalLimit limit,
    PlannerOptions planner,
    boolean missingIsError,
    SliceFunctionOptions sliceFunction,
    String query,
    ObjectPins pinned,
    StoreConfig config)
    implements Serializable {

  /** A number of rows, or none. Unlike {@link OptionalInt}, it can be serialized. */
  record OptionalLimit(int rows) implements Serializable {
    static final OptionalLimit NONE = new OptionalLimit(-1);

    boolean isReached(long rowsSoFar) {
      return rows >= 0 && rowsSoFar >= rows;
    }
  }

  /** The pieces of a partition, only as many as the limit needs if every cell is a row. */
  Iterator<PieceSelection> pieces(ChunkPartition partition) {
    PieceSequence all =
        new PieceSequence(
            partition, partition.narrowed().orElse(selection), layout.units(), layout.pieces());
    return new Iterator<>() {
      private long rowsSoFar;

      @Override
      public boolean hasNext() {
        return !(filter.isEveryCell() && limit.isReached(rowsSoFar)) && all.hasNext();
      }

      @Override
      public PieceSelection next() {
        PieceSelection next = all.next();
        rowsSoFar += rowsOf(next.cells());
        return next;
      }
    };
  }

  /** The number of rows that some cells of one piece make. */
  long rowsOf(OrthogonalSelection cells) {
    long rows = 1;
    for (int d = 0; d < cells.rank(); d++) {
      rows *= packed.get(d) ? 1 : cells.indices(d).count();
    }
    return rows;
  }
}
