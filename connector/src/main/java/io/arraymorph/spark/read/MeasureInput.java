package io.arraymorph.spark.read;

import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.column.LittleEndianBytes;
import io.arraymorph.layout.column.Validity;
import java.io.Serializable;

/** What an aggregate is computed of: one value per cell. Travels to executors. */
sealed interface MeasureInput extends Serializable {

  /** The values of the cells of a block, in their order. */
  DecodedColumn values(CellBlock block);

  /**
   * A variable.
   *
   * @param variable position among the variables that are read
   */
  record OfVariable(int variable) implements MeasureInput {
    @Override
    public DecodedColumn values(CellBlock block) {
      return block.values(variable);
    }
  }

  /** A column along one dimension, repeated along the others. */
  record OfDimension(OutputColumn.Along column) implements MeasureInput {
    @Override
    public DecodedColumn values(CellBlock block) {
      int d = column.dimension();
      long[] indices = BatchReader.indices(block.cells(), d);
      int cells = Math.toIntExact(block.cells().elementCount());
      int inner = 1;
      for (int e = d + 1; e < block.cells().rank(); e++) {
        inner *= (int) block.cells().indices(e).count();
      }
      if (column.values().isEmpty()) {
        byte[] positions = new byte[Math.multiplyExact(8, cells)];
        for (int i = 0; i < cells; i++) {
          LittleEndianBytes.putLong(positions, 8 * i, indices[i / inner % indices.length]);
        }
        return DecodedColumn.fixed(Scalar.LONG, cells, positions, 0, Validity.ALL);
      }
      int[] positions = new int[cells];
      for (int i = 0; i < cells; i++) {
        positions[i] = (int) indices[i / inner % indices.length];
      }
      return column.values().get().gather(positions, 0, cells);
    }
  }
}
