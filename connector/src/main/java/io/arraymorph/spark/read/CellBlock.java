package io.arraymorph.spark.read;

import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.layout.column.DecodedColumn;

/** The cells of one piece in memory, in C order. */
interface CellBlock {

  /** Which cells of the array they are. */
  OrthogonalSelection cells();

  /** The values of a variable that is read, one per cell; decoded when first asked for. */
  DecodedColumn values(int variable);
}
